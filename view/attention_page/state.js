// What the page shows. Everything is drawn from `state`: an event changes it and calls
// draw() or drawChosen() (page.js).

const element = (id) => document.getElementById(id);
const page = JSON.parse(element('page').textContent);
for (const map of page.maps) {
  map.n = page.texts[map.queries].length;
  map.m = page.texts[map.keys].length;
}
const { heads, hasNaN } = readWeights(page, element('weights').textContent);

const state = {
  snapshot: page.snapshots.length - 1,
  map: 0,
  head: 0,
  mean: false,
  // A token, { side: 'query' or 'key', index }, chosen by a click, a tap or a key.
  chosen: null,
  hovered: null,  // the token under the pointer, shown in place of the chosen one
  cell: null,     // of the heat map: { i, j }, a query and a key
};
const isChosen = (map, head) => map === state.map && head === state.head;

// What the state selects.
let map, matrix;
function select() {
  map = page.maps[state.map];
  const all = heads[state.snapshot][state.map];
  matrix = new Matrix(state.mean ? all : [all[state.head]], map.n, map.m);
  image = null;
}

const queryText = (i) => page.texts[map.queries][i];
const keyText = (j) => page.texts[map.keys][j];
// A sequence that attends to itself: a token is a query and a key.
const isSelf = () => map.queries === map.keys;

function written(weight) {
  return Number.isNaN(weight) ? 'NaN' : weight.toFixed(4);
}
