// The page's start, and its events. Texts reach the page as textContent and on canvases
// only, so that no token can be taken for HTML.

function drawChosen() {
  findShown();
  drawLines();
  drawValues();
  drawMap();
  drawCell();
}

function draw() {
  select();
  buttons.forEach((row, m) => row.forEach((button, h) => {
    button.setAttribute('aria-pressed', String(isChosen(m, h)));
  }));
  element('name').textContent =
    `${map.path} · ${state.mean ? `mean of ${map.heads} heads` : `head ${state.head}`}`;
  element('snapshot-label').textContent = page.snapshots[state.snapshot];
  drawChosen();
}

function start() {
  document.title = page.title;
  element('title').textContent = page.title;
  element('note').textContent = page.note;
  element('choice').hidden = page.maps.every((map) => map.heads === 1);
  element('steps').hidden = page.snapshots.length === 1;
  document.querySelector('.legend .nan').hidden = !hasNaN;
  if (page.maps.some((map) => map.layout === 'largest')) {
    element('remark').textContent =
      `Of each query the ${page.kept} largest weights are kept: all of them would make ` +
      'the page too large. The others are drawn as 0.';
  }
  makeOverview();
  redraw();
}

// For other colours, too.
function redraw() {
  readColours();
  drawOverview();
  drawScale();
  draw();
}

const slider = element('snapshot');
slider.max = page.snapshots.length - 1;
slider.value = state.snapshot;
slider.addEventListener('input', () => {
  state.snapshot = Number(slider.value);
  drawOverview();
  draw();
});
for (const radio of document.querySelectorAll('#choice input')) {
  radio.addEventListener('change', () => {
    state.mean = radio.value === 'mean' && radio.checked;
    draw();
  });
}
const tokens = element('tokens'), lines = element('lines'), heatmap = element('map');
// A finger that drags scrolls, and does not point.
const points = (event) => event.pointerType !== 'touch';
tokens.addEventListener('scroll', drawLines);
tokens.addEventListener('keydown', moveAmongTokens);
lines.addEventListener('pointermove', (event) => {
  if (points(event)) hover(tokenAt(event));
});
lines.addEventListener('pointerleave', () => hover(null));
lines.addEventListener('click', (event) => pin(tokenAt(event)));
heatmap.addEventListener('pointermove', (event) => {
  if (points(event)) point(cellAt(event));
});
heatmap.addEventListener('pointerleave', (event) => {
  if (points(event)) point(null);
});
heatmap.addEventListener('click', (event) => point(cellAt(event)));
heatmap.addEventListener('keydown', moveAmongCells);
document.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape') return;
  state.chosen = state.hovered = state.cell = null;
  drawChosen();
  announce();
});
window.addEventListener('resize', draw);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
start();
