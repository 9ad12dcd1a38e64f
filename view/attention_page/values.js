// The weights of the token that is shown, as tables and as a sentence.

const most = 12;  // values in a table; the others are summed up

// The indices of weights in the order of their size, NaN first, without zeros.
function ranked(weights) {
  const indices = [];
  weights.forEach((weight, index) => { if (weight !== 0) indices.push(index); });
  const size = (index) => Number.isNaN(weights[index]) ? Infinity : weights[index];
  return indices.sort((a, b) => size(b) === size(a) ? a - b : size(b) - size(a));
}

function valueTable(weights, text) {
  const table = document.createElement('table');
  const add = (position, name, weight) => {
    const row = table.insertRow();
    for (const cell of [position, name, weight]) row.insertCell().textContent = cell;
    row.cells[1].title = name;
    return row;
  };
  const order = ranked(weights);
  for (const index of order.slice(0, most)) {
    const row = add(index, text(index), written(weights[index]));
    row.cells[2].className = Number.isNaN(weights[index]) ? 'nan' : '';
  }
  const rest = order.slice(most);
  if (rest.length > 0) {
    const sum = rest.reduce((total, index) => total + weights[index], 0);
    add('', `${rest.length} more`, written(sum)).className = 'rest';
  }
  if (order.length === 0) add('', 'none', '').className = 'rest';
  return table;
}

function drawValues() {
  const box = element('values');
  box.replaceChildren();
  const add = (kind, content) => {
    const part = document.createElement(kind);
    part.textContent = content;
    box.append(part);
    return part;
  };
  if (!shown) {
    add('p', 'Point at a token, tap it, or choose one with the arrow keys.');
    return;
  }
  const text = shown.side === 'query' ? queryText : keyText;
  const name = `${text(shown.index)} (${shown.index})`;
  if (shown.to) {
    add('h4', `${name} attends to`).className = 'to';
    box.append(valueTable(shown.to, keyText));
  }
  if (shown.by) {
    add('h4', `${name} is attended to by`).className = 'by';
    box.append(valueTable(shown.by, queryText));
  }
}

// Says the largest weights of the chosen token, for readers of the screen.
function announce() {
  const list = (weights, text) => ranked(weights).slice(0, 3).map(
    (index) => `${text(index)} ${written(weights[index])}`).join(', ') || 'none';
  const parts = [];
  if (shown) {
    const text = shown.side === 'query' ? queryText : keyText;
    parts.push(`${text(shown.index)}, ${shown.side} ${shown.index}`);
    if (shown.to) parts.push(`attends to ${list(shown.to, keyText)}`);
    if (shown.by) parts.push(`is attended to by ${list(shown.by, queryText)}`);
  }
  element('said').textContent = parts.join('. ');
}
