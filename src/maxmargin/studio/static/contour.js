// Lines of equal value on a grid of cell centres, by marching squares.

// values: rows from the top, columns from the left; returns segments [x1, y1, x2, y2] in cell units.
export function contour(values, columns, rows, level) {
  const found = [];
  const at = (i, j) => values[j * columns + i] - level;
  for (let j = 0; j + 1 < rows; j++) {
    for (let i = 0; i + 1 < columns; i++) {
      const a = at(i, j), b = at(i + 1, j), c = at(i + 1, j + 1), d = at(i, j + 1);
      const points = [];
      if ((a > 0) !== (b > 0)) points.push([i + a / (a - b), j]);
      if ((b > 0) !== (c > 0)) points.push([i + 1, j + b / (b - c)]);
      if ((c > 0) !== (d > 0)) points.push([i + d / (d - c), j + 1]);
      if ((d > 0) !== (a > 0)) points.push([i, j + a / (a - d)]);
      for (let k = 0; k + 1 < points.length; k += 2) found.push([...points[k], ...points[k + 1]]);
    }
  }
  return found;
}

// Borders between cells of different class, for more than two classes.
export function borders(values, columns, rows) {
  const found = [];
  for (let j = 0; j < rows; j++) {
    for (let i = 0; i < columns; i++) {
      const own = values[j * columns + i];
      if (i + 1 < columns && values[j * columns + i + 1] !== own) found.push([i + 0.5, j - 0.5, i + 0.5, j + 0.5]);
      if (j + 1 < rows && values[(j + 1) * columns + i] !== own) found.push([i - 0.5, j + 0.5, i + 0.5, j + 0.5]);
    }
  }
  return found;
}
