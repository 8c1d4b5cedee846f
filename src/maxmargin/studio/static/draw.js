// Pictures of a scene: shade, boundary, margins, points. One list of shapes serves canvas and SVG.

import { borders, contour } from "./contour.js";

// Okabe and Ito's colours, told apart by colour-blind readers; each class has a shape of its own too.
export const COLOURS = ["#0072b2", "#d55e00", "#009e73", "#9b4f96"];
export const LIGHT = ["#56b4e9", "#ff9a4d", "#3fd0a4", "#d99fd5"];
export const SHAPES = ["circle", "square", "triangle", "diamond"];
export const NAMES = ["blue circles", "orange squares", "green triangles", "purple diamonds"];

export const isDark = () => document.documentElement.classList.contains("dark");
export const colour = (number) => (isDark() ? LIGHT : COLOURS)[number % 4];

const rgb = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));

export class View {
  constructor(box, width, height) { Object.assign(this, { box, width, height }); }
  x(value) { return (value - this.box[0]) / (this.box[1] - this.box[0]) * this.width; }
  y(value) { return (this.box[3] - value) / (this.box[3] - this.box[2]) * this.height; }
  point(px, py) {
    return [this.box[0] + px / this.width * (this.box[1] - this.box[0]),
      this.box[3] - py / this.height * (this.box[3] - this.box[2])];
  }
}

// The shade as a small picture, a pixel a cell, which the canvas stretches smoothly.
export function shade(result) {
  const [columns, rows] = result.grid;
  const small = document.createElement("canvas");
  small.width = columns; small.height = rows;
  const context = small.getContext("2d"), image = context.createImageData(columns, rows);
  const two = result.classes.length === 2;
  for (let k = 0; k < columns * rows; k++) {
    const value = result.floats[k];
    const number = two ? result.classes[value > 0 ? 1 : 0] : result.classes[Math.round(value)];
    const strength = two ? Math.min(1, Math.abs(value) / 2) : 0.6;
    const [r, g, b] = rgb(colour(number));
    image.data.set([r, g, b, Math.round(30 + 95 * strength)], 4 * k);
  }
  context.putImageData(image, 0, 0);
  return small;
}

function lines(result, view) {
  const [columns, rows] = result.grid;
  const wide = view.width / columns, high = view.height / rows;
  const place = (segments) => segments.map(([a, b, c, d]) =>
    [(a + 0.5) * wide, (b + 0.5) * high, (c + 0.5) * wide, (d + 0.5) * high]);
  if (result.classes.length > 2) return [{ level: 0, segments: place(borders(result.floats, columns, rows)) }];
  const levels = result.margins ? [0, -1, 1] : [0];
  return levels.map((level) => ({ level, segments: place(contour(result.floats, columns, rows, level)) }));
}

// Everything but the shade, as shapes.
export function shapes(scene, result, view, cursor) {
  const ink = getComputedStyle(document.documentElement).getPropertyValue("--ink").trim();
  const paper = getComputedStyle(document.documentElement).getPropertyValue("--paper").trim();
  const list = [];
  const good = result && !result.failed;
  if (good) {
    for (const { level, segments } of lines(result, view)) {
      list.push({ kind: "lines", segments, stroke: ink, width: level === 0 ? 2.2 : 1.2, dash: level === 0 ? [] : [6, 4] });
    }
    if (result.stump) {
      const { feature, threshold } = result.stump;
      const segment = feature === 0
        ? [view.x(threshold), 0, view.x(threshold), view.height] : [0, view.y(threshold), view.width, view.y(threshold)];
      list.push({ kind: "lines", segments: [segment], stroke: ink, width: 3, dash: [2, 3] });
    }
    const slack = result.slack || [];
    if (slack.length && result.classes.length === 2) list.push(...slacks(scene, result, view, ink));
  }
  const weights = good && result.weights, top = weights ? Math.max(...weights) : 1;
  const residuals = good && result.residuals, witness = result && result.failed && result.witness;
  const most = witness && witness.length ? Math.max(...witness) : 1;
  scene.points.forEach(([px, py, number], k) => {
    let size = 5;
    if (weights) size = 2.5 + 12 * Math.sqrt(weights[k] / top);
    if (residuals) size = 2.5 + 9 * Math.sqrt(residuals[k]);
    if (witness && witness.length) size = 3 + 8 * Math.sqrt(witness[k] / most);
    list.push({ kind: SHAPES[number % 4], x: view.x(px), y: view.y(py), size, fill: colour(number), stroke: paper });
  });
  if (good) {
    for (const k of result.support || []) ring(list, scene.points[k], view, ink, 9, 1.6);
    for (const k of result.moved || []) ring(list, scene.points[k], view, ink, 14, 3);
  }
  if (result && result.mean) {
    list.push({ kind: "cross", x: view.x(result.mean[0]), y: view.y(result.mean[1]), size: 12, stroke: ink });
  }
  if (cursor) list.push({ kind: "cross", x: view.x(cursor[0]), y: view.y(cursor[1]), size: 10, stroke: ink });
  return list;
}

function ring(list, point, view, ink, size, width) {
  if (point) list.push({ kind: "ring", x: view.x(point[0]), y: view.y(point[1]), size, stroke: ink, width });
}

// The decision value between cells, and its slope by pixel, by differences of the four cells around.
function valueAt(result, view, x, y) {
  const [columns, rows] = result.grid, values = result.floats;
  const u = Math.min(columns - 1.001, Math.max(0, x / view.width * columns - 0.5)), i = Math.floor(u), s = u - i;
  const v = Math.min(rows - 1.001, Math.max(0, y / view.height * rows - 0.5)), j = Math.floor(v), t = v - j;
  const a = values[j * columns + i], b = values[j * columns + i + 1];
  const c = values[(j + 1) * columns + i], d = values[(j + 1) * columns + i + 1];
  return {
    value: (1 - t) * ((1 - s) * a + s * b) + t * ((1 - s) * c + s * d),
    gx: ((1 - t) * (b - a) + t * (d - c)) * columns / view.width,
    gy: ((1 - s) * (c - a) + s * (d - b)) * rows / view.height,
  };
}

const STRIDE = 4, MOST_STRIDES = 80;

// A slack is drawn uphill, in small steps along the slope, from the point until it meets its margin.
// A line that meets none within the picture is left out.
function slackLine(result, view, x, y, sign) {
  const found = [];
  for (let k = 0; k < MOST_STRIDES; k++) {
    const { value, gx, gy } = valueAt(result, view, x, y), steep = Math.hypot(gx, gy), left = 1 - sign * value;
    if (left <= 0) return found;
    if (steep < 1e-9) return [];
    const long = Math.min(STRIDE, left / steep), nx = x + sign * gx / steep * long, ny = y + sign * gy / steep * long;
    if (nx < 0 || ny < 0 || nx > view.width || ny > view.height) return [];
    found.push([x, y, nx, ny]);
    if (left / steep <= STRIDE / 8) return found;
    [x, y] = [nx, ny];
  }
  return [];
}

function slacks(scene, result, view, ink) {
  const segments = [];
  scene.points.forEach(([px, py, number], k) => {
    if (!(result.slack[k] > 1e-3)) return;
    segments.push(...slackLine(result, view, view.x(px), view.y(py), number === result.classes[1] ? 1 : -1));
  });
  return [{ kind: "lines", segments, stroke: ink, width: 0.9, dash: [], alpha: 0.55 }];
}

function path(shape) {
  const { x, y, size } = shape;
  if (shape.kind === "square") return [[x - size, y - size], [x + size, y - size], [x + size, y + size], [x - size, y + size]];
  if (shape.kind === "triangle") return [[x, y - 1.25 * size], [x + 1.15 * size, y + 0.85 * size], [x - 1.15 * size, y + 0.85 * size]];
  return [[x, y - 1.35 * size], [x + 1.35 * size, y], [x, y + 1.35 * size], [x - 1.35 * size, y]];
}

export function paint(canvas, scene, result, view, cursor) {
  const context = canvas.getContext("2d"), ratio = window.devicePixelRatio || 1;
  const width = Math.round(view.width * ratio), height = Math.round(view.height * ratio);
  if (canvas.width !== width || canvas.height !== height) { canvas.width = width; canvas.height = height; }
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, view.width, view.height);
  if (result && !result.failed) {
    context.imageSmoothingEnabled = result.classes.length === 2;
    context.drawImage(shade(result), 0, 0, view.width, view.height);
  }
  for (const shape of shapes(scene, result, view, cursor)) stroke(context, shape);
}

function stroke(context, shape) {
  context.save();
  context.globalAlpha = shape.alpha || 1;
  context.strokeStyle = shape.stroke; context.lineWidth = shape.width || 1;
  context.beginPath();
  if (shape.kind === "lines") {
    context.setLineDash(shape.dash);
    for (const [a, b, c, d] of shape.segments) { context.moveTo(a, b); context.lineTo(c, d); }
    context.stroke();
  } else if (shape.kind === "ring") {
    context.arc(shape.x, shape.y, shape.size, 0, 7); context.stroke();
  } else if (shape.kind === "cross") {
    context.lineWidth = 2.5;
    context.moveTo(shape.x - shape.size, shape.y); context.lineTo(shape.x + shape.size, shape.y);
    context.moveTo(shape.x, shape.y - shape.size); context.lineTo(shape.x, shape.y + shape.size);
    context.stroke();
  } else {
    if (shape.kind === "circle") context.arc(shape.x, shape.y, shape.size, 0, 7);
    else { path(shape).forEach(([a, b], k) => (k ? context.lineTo(a, b) : context.moveTo(a, b))); context.closePath(); }
    context.fillStyle = shape.fill; context.fill(); context.stroke();
  }
  context.restore();
}

export function toSvg(scene, result, view) {
  const parts = [`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${view.width} ${view.height}">`];
  parts.push(`<rect width="100%" height="100%" fill="${isDark() ? "#12181f" : "#ffffff"}"/>`);
  if (result && !result.failed) {
    parts.push(`<image href="${shade(result).toDataURL()}" width="${view.width}" height="${view.height}" preserveAspectRatio="none"/>`);
  }
  for (const shape of shapes(scene, result, view, null)) parts.push(element(shape));
  return `${parts.join("\n")}\n</svg>\n`;
}

function element(shape) {
  const f = (value) => value.toFixed(2);
  if (shape.kind === "lines") {
    const d = shape.segments.map(([a, b, c, e]) => `M${f(a)} ${f(b)}L${f(c)} ${f(e)}`).join("");
    return `<path d="${d}" fill="none" stroke="${shape.stroke}" stroke-width="${shape.width}" stroke-dasharray="${shape.dash.join(" ")}" opacity="${shape.alpha || 1}"/>`;
  }
  if (shape.kind === "ring") return `<circle cx="${f(shape.x)}" cy="${f(shape.y)}" r="${shape.size}" fill="none" stroke="${shape.stroke}" stroke-width="${shape.width}"/>`;
  if (shape.kind === "cross") return `<path d="M${f(shape.x - shape.size)} ${f(shape.y)}h${2 * shape.size}M${f(shape.x)} ${f(shape.y - shape.size)}v${2 * shape.size}" stroke="${shape.stroke}" stroke-width="2.5"/>`;
  if (shape.kind === "circle") return `<circle cx="${f(shape.x)}" cy="${f(shape.y)}" r="${f(shape.size)}" fill="${shape.fill}" stroke="${shape.stroke}"/>`;
  return `<polygon points="${path(shape).map((p) => p.map(f).join(",")).join(" ")}" fill="${shape.fill}" stroke="${shape.stroke}"/>`;
}
