// The tokens in two columns, queries and keys, and the lines between them.

const rowHeight = 20;
const least = 0.005;  // a lighter line could not be seen

// The token under the pointer, or the chosen one, null if there is neither:
// { side, index, to, by }, with the weights of a query to all keys, and of all queries to a
// key. In a sequence that attends to itself every token has both.
let shown = null;

function findShown() {
  const token = state.hovered || state.chosen;
  shown = token && {
    ...token,
    to: token.side === 'query' || isSelf() ? matrix.row(token.index) : null,
    by: token.side === 'key' || isSelf() ? matrix.column(token.index) : null,
  };
}

function drawLines() {
  const box = element('tokens');
  const rows = Math.max(map.n, map.m);
  const limit = Math.max(240, Math.min(0.7 * window.innerHeight, 640));
  box.style.height = Math.min(rows * rowHeight, limit) + 'px';
  element('rows').style.height = rows * rowHeight + 'px';
  // As it was, the canvas could overflow the box, whose scrollbar would take its width.
  element('lines').style.height = '0';
  const width = box.clientWidth, height = box.clientHeight;
  const context = sized(element('lines'), width, height);
  const left = Math.round(0.36 * width), right = width - left;
  const middle = (index) => (index + 0.5) * rowHeight - box.scrollTop;
  // The rows on the screen.
  const first = Math.max(0, Math.floor(box.scrollTop / rowHeight));
  const end = Math.ceil((box.scrollTop + height) / rowHeight);

  // Opacity is the weight.
  const line = (i, j, weight, colour, thickness) => {
    if (weight < least) return;
    context.globalAlpha = Number.isNaN(weight) ? 0.5 : Math.min(weight, 1);
    context.strokeStyle = Number.isNaN(weight) ? colours.nan : colour;
    context.lineWidth = thickness;
    context.beginPath();
    context.moveTo(left + 4, middle(i));
    context.lineTo(right - 4, middle(j));
    context.stroke();
  };
  if (shown) {
    if (shown.by) shown.by.forEach((w, i) => line(i, shown.index, w, colours.by, 2));
    if (shown.to) shown.to.forEach((w, j) => line(shown.index, j, w, colours.to, 2));
  } else {
    for (let i = first; i < Math.min(end, map.n); ++i) {
      matrix.forRow(i, (j, weight) => line(i, j, weight, colours.to, 1.5));
    }
  }
  for (let i = first; i < Math.min(end, map.n); ++i) {
    drawToken(context, { side: 'query', index: i }, queryText(i), shown && shown.by,
              { x: 0, y: middle(i), width: left });
  }
  for (let j = first; j < Math.min(end, map.m); ++j) {
    drawToken(context, { side: 'key', index: j }, keyText(j), shown && shown.to,
              { x: right, y: middle(j), width: left });
  }
}

// A token at its place, with the weight that it has in the shown token's: queries at the
// right end, their numbers at the left, and keys the other way round.
function drawToken(context, token, text, weights, place) {
  const isQuery = token.side === 'query';
  const end = place.x + place.width;
  const top = place.y - rowHeight / 2;
  context.textBaseline = 'middle';
  const weight = weights ? weights[token.index] : 0;
  const isNaN = Number.isNaN(weight);
  if (isNaN || weight >= least) {
    context.globalAlpha = 0.35 * (isNaN ? 1 : Math.sqrt(weight));
    context.fillStyle = isNaN ? colours.nan : isQuery ? colours.by : colours.to;
    context.fillRect(place.x, top + 1, place.width, rowHeight - 2);
    context.globalAlpha = 1;
    context.font = mono(11);
    context.textAlign = isQuery ? 'left' : 'right';
    context.fillStyle = colours.quiet;
    context.fillText(isNaN ? 'NaN' : weight.toFixed(2).replace(/^0/, ''),
                     isQuery ? place.x + 4 : end - 4, place.y);
  }
  const isShown = same(token, shown);
  context.globalAlpha = 1;
  context.fillStyle = colours.ink;
  context.font = (isShown ? 'bold ' : '') + mono(13);
  context.textAlign = isQuery ? 'right' : 'left';
  context.fillText(fitted(context, text, place.width - 36),
                   isQuery ? end - 6 : place.x + 6, place.y);
  if (isShown || (shown && isSelf() && shown.index === token.index)) {
    context.strokeStyle = isShown ? colours.ink : colours.quiet;
    context.lineWidth = 1;
    context.strokeRect(place.x + 0.5, top + 1.5, place.width - 1, rowHeight - 3);
  }
}

// The token at a place of the canvas, null where there is none.
function tokenAt(event) {
  const box = element('lines').getBoundingClientRect();
  const side = event.clientX - box.left < box.width / 2 ? 'query' : 'key';
  const y = event.clientY - box.top + element('tokens').scrollTop;
  const index = Math.floor(y / rowHeight);
  const count = side === 'query' ? map.n : map.m;
  return index >= 0 && index < count ? { side, index } : null;
}

const same = (a, b) => a && b && a.side === b.side && a.index === b.index;

function hover(token) {
  if (token === state.hovered || same(token, state.hovered)) return;
  state.hovered = token;
  drawChosen();
}

function pin(token) {
  state.chosen = same(token, state.chosen) ? null : token;
  state.hovered = null;
  drawChosen();
  announce();
}

function moveAmongTokens(event) {
  const now = state.chosen || { side: 'query', index: -1 };
  const count = { query: map.n, key: map.m };
  const visible = Math.floor(element('tokens').clientHeight / rowHeight);
  const steps = { ArrowUp: -1, ArrowDown: 1, PageUp: -visible, PageDown: visible,
                  Home: -Infinity, End: Infinity };
  let { side, index } = now;
  if (event.key in steps) index += steps[event.key];
  else if (event.key === 'ArrowLeft') side = 'query';
  else if (event.key === 'ArrowRight') side = 'key';
  else return;
  event.preventDefault();
  index = Math.max(0, Math.min(count[side] - 1, index));
  state.chosen = { side, index };
  state.hovered = null;
  const box = element('tokens');
  box.scrollTop = Math.min(index * rowHeight,
    Math.max(box.scrollTop, (index + 1) * rowHeight - box.clientHeight));
  drawChosen();
  announce();
}
