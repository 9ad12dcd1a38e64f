// The heat map of the chosen head.

let grid;   // where the cells of the heat map are
let image;  // of its cells; null when the matrix or the colours have changed

// Room for the names at the left and above, none where cells are too small for them.
function margins(context, room) {
  const widest = (count, text) => {
    let width = 0;
    for (let i = 0; i < count; ++i) {
      width = Math.max(width, context.measureText(fitted(context, text(i), 84)).width);
    }
    return Math.ceil(width) + 10;
  };
  const { n, m } = map;
  if ((room - 94) / Math.max(n, m) < 14) return { left: 0, top: 0 };
  return { left: widest(n, queryText), top: widest(m, keyText) };
}

function drawMap() {
  const canvas = element('map');
  const room = Math.min(480, canvas.parentElement.clientWidth);
  const { n, m } = map;
  const measuring = canvas.getContext('2d');
  measuring.font = mono(12);
  const { left, top } = margins(measuring, room);
  const cell = Math.min(48, (room - Math.max(left, top)) / Math.max(n, m));
  // Few queries of many keys, or the other way round, would make it too narrow to see.
  const width = Math.max(cell * m, 24), height = Math.max(cell * n, 24);
  const ratio = window.devicePixelRatio || 1;
  grid = { left, top, width, height,
           rows: Math.max(1, Math.min(n, Math.round(height * ratio))),
           columns: Math.max(1, Math.min(m, Math.round(width * ratio))) };
  const context = sized(canvas, left + width, top + height);
  if (!image || image.width !== grid.columns || image.height !== grid.rows) {
    image = heatImage(matrix, grid.rows, grid.columns);
  }
  context.imageSmoothingEnabled = false;
  context.drawImage(image, left, top, width, height);
  context.textBaseline = 'middle';
  if (left > 0) drawNames(context);
  if (left > 0 && cell >= 34) drawNumbers(context);
  context.strokeStyle = colours.rule;
  context.strokeRect(left + 0.5, top + 0.5, width - 1, height - 1);
  outline(context);
}

// The middle of a row and of a column.
const rowMiddle = (i) => grid.top + (i + 0.5) * grid.height / map.n;
const columnMiddle = (j) => grid.left + (j + 0.5) * grid.width / map.m;

function drawNames(context) {
  context.font = mono(12);
  context.fillStyle = colours.ink;
  context.textAlign = 'right';
  for (let i = 0; i < map.n; ++i) {
    context.fillText(fitted(context, queryText(i), 84), grid.left - 6, rowMiddle(i));
  }
  context.textAlign = 'left';
  for (let j = 0; j < map.m; ++j) {
    context.save();
    context.translate(columnMiddle(j), grid.top - 6);
    context.rotate(-Math.PI / 2);
    context.fillText(fitted(context, keyText(j), 84), 0, 0);
    context.restore();
  }
}

function drawNumbers(context) {
  context.font = mono(11);
  context.textAlign = 'center';
  for (let i = 0; i < map.n; ++i) {
    matrix.forRow(i, (j, weight) => {
      context.fillStyle = textColour(weight);
      context.fillText(Number.isNaN(weight) ? 'NaN' : weight.toFixed(2), columnMiddle(j),
                       rowMiddle(i));
    });
  }
}

// The row and the column of the token that is shown, and the cell.
function outline(context) {
  const outlined = (colour, i, j, rows, columns) => {
    const width = grid.width / map.m, height = grid.height / map.n;
    context.strokeStyle = colour;
    context.strokeRect(grid.left + j * width, grid.top + i * height, columns * width,
                       rows * height);
  };
  if (shown && shown.by) outlined(colours.by, 0, shown.index, map.n, 1);
  if (shown && shown.to) outlined(colours.to, shown.index, 0, 1, map.m);
  context.lineWidth = 2;
  if (state.cell) outlined(colours.ink, state.cell.i, state.cell.j, 1, 1);
}

// The cell under the pointer; of a part of several, that with the largest weight.
function cellAt(event) {
  const box = element('map').getBoundingClientRect();
  const x = event.clientX - box.left - grid.left, y = event.clientY - box.top - grid.top;
  const row = Math.floor(y / grid.height * grid.rows);
  const column = Math.floor(x / grid.width * grid.columns);
  if (row < 0 || row >= grid.rows || column < 0 || column >= grid.columns) return null;
  let found = null, best = -1;
  const first = Math.ceil(row * map.n / grid.rows);
  for (let i = first; i * grid.rows < (row + 1) * map.n; ++i) {
    found = found || { i, j: Math.ceil(column * map.m / grid.columns) };
    matrix.forRow(i, (j, weight) => {
      const size = Number.isNaN(weight) ? Infinity : weight;
      if (Math.floor(j * grid.columns / map.m) !== column || size <= best) return;
      best = size;
      found = { i, j };
    });
  }
  return found;
}

function point(cell) {
  const { cell: old, hovered } = state;
  if (cell && old && hovered && cell.i === old.i && cell.j === old.j) return;
  state.cell = cell;
  state.hovered = cell && { side: 'query', index: cell.i };
  drawChosen();
}

function moveAmongCells(event) {
  const [di, dj] = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1],
                     ArrowRight: [0, 1] }[event.key] || [0, 0];
  if (!di && !dj) return;
  event.preventDefault();
  const { i, j } = state.cell || { i: -di, j: -dj };
  point({ i: Math.max(0, Math.min(map.n - 1, i + di)),
          j: Math.max(0, Math.min(map.m - 1, j + dj)) });
}

function drawCell() {
  const { cell } = state;
  if (!cell) {
    element('cell').textContent = '';
    return;
  }
  let weight;
  matrix.forRow(cell.i, (j, found) => { if (j === cell.j) weight = found; });
  if (weight === undefined && map.layout === 'lower') weight = 0;
  const value = weight === undefined ? 'not kept' : written(weight);
  element('cell').textContent =
    `${queryText(cell.i)} (${cell.i}) → ${keyText(cell.j)} (${cell.j}): ${value}`;
}

function drawScale() {
  const box = element('scale');
  box.replaceChildren();
  const add = (weight, name) => {
    const swatch = document.createElement('i');
    swatch.style.background = `rgb(${heat(weight).join()})`;
    const item = document.createElement('span');
    item.append(swatch, name);
    box.append(item);
  };
  for (const weight of [0, 0.05, 0.25, 0.5, 1]) add(weight, String(weight));
  if (hasNaN) add(NaN, 'not a number');
}
