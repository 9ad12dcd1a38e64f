// Colours and canvases.

let colours;

function readColours() {
  const style = getComputedStyle(document.documentElement);
  colours = {};
  for (const name of ['paper', 'ink', 'quiet', 'rule', 'to', 'by', 'nan']) {
    colours[name] = style.getPropertyValue('--' + name).trim();
  }
  const channels = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
  colours.text = channels(colours.ink);
  colours.from = channels(colours.paper);
  colours.full = channels(colours.to);
  colours.none = channels(colours.nan);
}

// Of a weight in heat maps: grows with its square root, so that small ones are seen.
function heat(weight) {
  if (Number.isNaN(weight)) return colours.none;
  const t = Math.sqrt(Math.min(weight, 1));
  return colours.from.map((low, c) => Math.round(low + t * (colours.full[c] - low)));
}

// The colour of text that can be read on the cell of this weight: the one with the higher
// contrast. (That of WCAG 2, with 2.2 for its curve of brightness.)
function textColour(weight) {
  const luminance = (channels) => channels.reduce(
      (sum, c, i) => sum + [0.2126, 0.7152, 0.0722][i] * Math.pow(c / 255, 2.2), 0.05);
  const contrast = (a, b) => Math.max(a / b, b / a);
  const cell = luminance(heat(weight));
  return contrast(cell, luminance(colours.text)) >= contrast(cell, luminance(colours.from))
             ? colours.ink : colours.paper;
}

// --- canvases

const families = 'ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace';
const mono = (size) => `${size}px ${families}`;

// The canvas's context, in CSS pixels, with the canvas cleared.
function sized(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.style.width = width + 'px';
  canvas.style.height = height + 'px';
  const context = canvas.getContext('2d');
  context.scale(ratio, ratio);
  return context;
}

// The text, cut off with an ellipsis where it is wider than that.
function fitted(context, text, width) {
  const short = text.slice(0, 100);
  if (short === text && context.measureText(text).width <= width) return text;
  const characters = Array.from(short);
  while (characters.length > 0 &&
         context.measureText(characters.join('') + '…').width > width) characters.pop();
  return characters.join('') + '…';
}

// A matrix of one pixel a part, which drawImage() enlarges.
function heatImage(weights, rows, columns) {
  const image = new OffscreenCanvas(columns, rows);
  const context = image.getContext('2d');
  const pixels = context.createImageData(columns, rows);
  weights.pooled(rows, columns).forEach((weight, part) => {
    pixels.data.set([...heat(weight), 255], 4 * part);
  });
  context.putImageData(pixels, 0, 0);
  return image;
}
