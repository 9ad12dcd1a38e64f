// The tokens in two columns, queries and keys, and the lines between them.

const rowHeight = 20;
const least = 0.005;  // a lighter line could not be seen

// The weights of the token that is shown: of a query to all keys, and of all queries to a
// key. In a sequence that attends to itself every token has both.
function weightsShown() {
  const shown = state.hovered || state.chosen;
  if (!shown) return null;
  const { side, index } = shown;
  return {
    side,
    index,
    to: side === 'query' || isSelf() ? matrix.row(index) : null,
    by: side === 'key' || isSelf() ? matrix.column(index) : null,
  };
}

function drawLines(shown) {
  const box = element('tokens');
  const rows = Math.max(map.n, map.m);
  const limit = Math.max(240, Math.min(0.7 * window.innerHeight, 640));
  box.style.height = Math.min(rows * rowHeight, limit) + 'px';
  element('rows').style.height = rows * rowHeight + 'px';
  const width = box.clientWidth, height = box.clientHeight;
  const context = sized(element('lines'), width, height);
  const left = Math.round(0.36 * width), right = width - left;
  const middle = (index) => index * rowHeight - box.scrollTop + rowHeight / 2;
  const first = Math.max(0, Math.floor(box.scrollTop / rowHeight));
  const end = Math.ceil((box.scrollTop + height) / rowHeight);

  // Opacity is the weight.
  const line = (i, j, weight, colour, thick) => {
    if (weight < least) return;
    context.globalAlpha = Number.isNaN(weight) ? 0.5 : Math.min(weight, 1);
    context.strokeStyle = Number.isNaN(weight) ? colours.nan : colour;
    context.lineWidth = thick;
    context.beginPath();
    context.moveTo(left + 4, middle(i));
    context.lineTo(right - 4, middle(j));
    context.stroke();
  };
  if (!shown) {
    for (let i = first; i < Math.min(end, map.n); ++i) {
      matrix.forRow(i, (j, weight) => line(i, j, weight, colours.to, 1.5));
    }
  } else {
    if (shown.by) shown.by.forEach((w, i) => line(i, shown.index, w, colours.by, 2));
    if (shown.to) shown.to.forEach((w, j) => line(shown.index, j, w, colours.to, 2));
  }

  const column = (side, count, text, weights, colour) => {
    const isLeft = side === 'query';
    const edge = isLeft ? 0 : right;
    context.textBaseline = 'middle';
    for (let index = first; index < Math.min(end, count); ++index) {
      const y = middle(index), weight = weights ? weights[index] : 0;
      if (Number.isNaN(weight) || weight >= least) {
        context.globalAlpha = Number.isNaN(weight) ? 0.35 : 0.35 * Math.sqrt(weight);
        context.fillStyle = Number.isNaN(weight) ? colours.nan : colour;
        context.fillRect(edge, y - rowHeight / 2 + 1, left, rowHeight - 2);
        context.globalAlpha = 1;
        context.font = mono(11);
        context.textAlign = isLeft ? 'left' : 'right';
        context.fillStyle = colours.quiet;
        const number = Number.isNaN(weight) ? 'NaN' : weight.toFixed(2).replace(/^0/, '');
        context.fillText(number, isLeft ? 4 : width - 4, y);
      }
      const isShown = shown && shown.index === index && shown.side === side;
      context.globalAlpha = 1;
      context.fillStyle = colours.ink;
      context.font = (isShown ? 'bold ' : '') + mono(13);
      context.textAlign = isLeft ? 'right' : 'left';
      context.fillText(fitted(context, text(index), left - 44),
                       isLeft ? left - 6 : right + 6, y);
      if (isShown || (shown && isSelf() && shown.index === index)) {
        context.strokeStyle = isShown ? colours.ink : colours.quiet;
        context.lineWidth = 1;
        context.strokeRect(edge + 0.5, y - rowHeight / 2 + 1.5, left - 1, rowHeight - 3);
      }
    }
  };
  column('query', map.n, queryText, shown && shown.by, colours.by);
  column('key', map.m, keyText, shown && shown.to, colours.to);
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
