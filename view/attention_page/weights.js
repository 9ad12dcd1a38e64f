// The weights of the page, which weights.cpp has written: for each snapshot, map and head
// one block of 16-bit codes, little-endian.
'use strict';

const NOT_A_NUMBER = 65535;
const ONE = 65534;

function weightOf(code) {
  return code === NOT_A_NUMBER ? NaN : code / ONE;
}

// One block. Layouts: "all" has every weight, row by row; "lower" those on and below the
// diagonal; "largest" the largest of each row, as pairs of a column and a weight.
class Head {
  constructor(codes, offset, map, kept) {
    Object.assign(this, { codes, offset, m: map.m, layout: map.layout, kept });
  }

  static length(map, kept) {
    if (map.layout === 'lower') return map.n * (map.n + 1) / 2;
    return map.layout === 'largest' ? 2 * map.n * kept : map.n * map.m;
  }

  // Calls f(column, weight) for every weight of row i that the page has.
  forRow(i, f) {
    const { codes, layout, m, kept } = this;
    if (layout === 'largest') {
      const first = this.offset + 2 * i * kept;
      for (let p = first; p < first + 2 * kept; p += 2) {
        f(codes[p], weightOf(codes[p + 1]));
      }
      return;
    }
    const lower = layout === 'lower';
    const first = this.offset + (lower ? i * (i + 1) / 2 : i * m);
    const count = lower ? i + 1 : m;
    for (let j = 0; j < count; ++j) f(j, weightOf(codes[first + j]));
  }
}

// What is shown: a head, or the mean of several. A weight that the page does not have
// counts as 0.
class Matrix {
  constructor(heads, n, m) {
    Object.assign(this, { heads, n, m });
  }

  forRow(i, f) {
    if (this.heads.length === 1) {
      this.heads[0].forRow(i, f);
      return;
    }
    const sums = new Float64Array(this.m);
    const present = new Uint8Array(this.m);
    for (const head of this.heads) {
      head.forRow(i, (j, weight) => {
        sums[j] += weight;
        present[j] = 1;
      });
    }
    for (let j = 0; j < this.m; ++j) if (present[j]) f(j, sums[j] / this.heads.length);
  }

  row(i) {
    const weights = new Float64Array(this.m);
    this.forRow(i, (j, weight) => { weights[j] = weight; });
    return weights;
  }

  column(j) {
    const weights = new Float64Array(this.n);
    for (let i = 0; i < this.n; ++i) {
      this.forRow(i, (k, weight) => { if (k === j) weights[i] = weight; });
    }
    return weights;
  }

  // The largest weight of each of rows * columns parts of the matrix; NaN where there is
  // one. A part is a single weight unless the matrix has more rows or columns than that.
  pooled(rows, columns) {
    const parts = new Float64Array(rows * columns);
    for (let i = 0; i < this.n; ++i) {
      const start = Math.floor(i * rows / this.n) * columns;
      this.forRow(i, (j, weight) => {
        const part = start + Math.floor(j * columns / this.m);
        // Not <, so that a NaN replaces a number and is not replaced.
        if (!(weight <= parts[part]) && !Number.isNaN(parts[part])) parts[part] = weight;
      });
    }
    return parts;
  }
}

function decode(base64) {
  const bytes = atob(base64.trim());
  const buffer = new Uint8Array(bytes.length);
  for (let i = 0; i < bytes.length; ++i) buffer[i] = bytes.charCodeAt(i);
  return new Uint16Array(buffer.buffer);
}

// heads[snapshot][map][head], and whether any weight is a NaN.
function readWeights(page, base64) {
  const codes = decode(base64);
  let offset = 0;
  const heads = page.snapshots.map(() => page.maps.map((map) => {
    const blocks = [];
    for (let h = 0; h < map.heads; ++h) {
      blocks.push(new Head(codes, offset, map, page.kept));
      offset += Head.length(map, page.kept);
    }
    return blocks;
  }));
  return { heads, hasNaN: codes.includes(NOT_A_NUMBER) };
}
