// The overview: a button with a small heat map for each head.

const thumbnail = 60;
const buttons = [];  // buttons[map][head]

function makeOverview() {
  page.maps.forEach((map, m) => {
    const title = document.createElement('h2');
    title.textContent = map.path;
    const row = document.createElement('div');
    buttons.push([]);
    for (let h = 0; h < map.heads; ++h) {
      const button = document.createElement('button');
      button.type = 'button';
      button.setAttribute('aria-label', `${map.path}, head ${h}`);
      const label = document.createElement('span');
      label.textContent = `head ${h}`;
      button.append(document.createElement('canvas'), label);
      button.addEventListener('click', () => choose(m, h));
      button.addEventListener('keydown', (event) => moveAmongHeads(event, m, h));
      row.append(button);
      buttons[m].push(button);
    }
    element('heads').append(title, row);
  });
}

function drawOverview() {
  page.maps.forEach((map, m) => buttons[m].forEach((button, h) => {
    const context = sized(button.firstChild, thumbnail, thumbnail);
    const weights = new Matrix([heads[state.snapshot][m][h]], map.n, map.m);
    const rows = Math.min(map.n, 2 * thumbnail), columns = Math.min(map.m, 2 * thumbnail);
    context.imageSmoothingEnabled = false;
    context.drawImage(heatImage(weights, rows, columns), 0, 0, thumbnail, thumbnail);
  }));
}

function choose(m, h) {
  if (page.maps[m].queries !== map.queries || page.maps[m].keys !== map.keys) {
    state.chosen = state.hovered = state.cell = null;
  }
  state.map = m;
  state.head = h;
  draw();
}

// Left and right: the next head, also of the next layer; up and down: the other layers.
function moveAmongHeads(event, m, h) {
  const flat = page.maps.flatMap((map, m) => buttons[m].map((_, h) => [m, h]));
  const at = flat.findIndex(([otherM, otherH]) => otherM === m && otherH === h);
  const beside = (other) =>
    buttons[other] && [other, Math.min(h, buttons[other].length - 1)];
  const target = {
    ArrowLeft: flat[at - 1],
    ArrowRight: flat[at + 1],
    ArrowUp: beside(m - 1),
    ArrowDown: beside(m + 1),
    Home: flat[0],
    End: flat[flat.length - 1],
  }[event.key];
  if (!target) return;
  event.preventDefault();
  choose(...target);
  buttons[target[0]][target[1]].focus();
}
