// The playground: points that one draws, models that follow.

import { floats, get, numbered, Overtaken, post, upload } from "./api.js";
import { Controls, START } from "./controls.js";
import { $, download, guarded, make, say } from "./dom.js";
import { colour, NAMES, paint, SHAPES, toSvg, View } from "./draw.js";

const BOX = [-3, 3, -2.25, 2.25];
const TOOLS = { add: "Add", move: "Move", erase: "Erase", paint: "Paint a cloud" };
const REACH = 14;

const state = { points: [], box: [...BOX], klass: 0, tool: "add", past: [], sets: {}, panes: [], cursor: null, held: null };
const current = () => ({ points: state.points });

class Pane {
  constructor(key, model) {
    this.key = key;
    this.canvas = make("canvas", { tabindex: 0, role: "application", "aria-label": "Plane of points. Arrow keys move a cursor, Enter adds a point, M picks one up and puts it down, Delete erases, 1 to 4 choose the class." });
    this.node = make("div", { class: "pane" }, this.canvas);
    this.controls = new Controls(key === "a" ? "Model" : "Second model", model, () => this.ask(), () => this.ask());
    this.result = null; this.busy = false; this.wanted = false;
    listen(this);
    new ResizeObserver(() => this.paint()).observe(this.canvas);
  }

  get view() { return new View(state.box, this.canvas.clientWidth || 640, this.canvas.clientHeight || 480); }
  paint() { paint(this.canvas, current(), this.result, this.view, document.activeElement === this.canvas ? state.cursor : null); }

  // One request at a time; while one is under way only the newest scene waits.
  async ask() {
    this.wanted = true;
    if (this.busy) return this.finished;
    this.busy = true;
    this.finished = (async () => {
      while (this.wanted) {
        this.wanted = false;
        await this.fit();
      }
      this.busy = false;
    })();
    return this.finished;
  }

  async fit() {
    if (new Set(state.points.map((point) => point[2])).size < 2) { this.result = null; this.controls.show(null); this.paint(); showCode(); return; }
    const scene = { points: state.points, model: this.controls.model, box: state.box, step: this.controls.step };
    const begun = performance.now();
    try {
      const result = await numbered("api/play", { scene }, this.key);
      if (result.values) result.floats = floats(result.values);
      this.result = result;
      this.controls.show(result);
    } catch (error) {
      if (error instanceof Overtaken) return;
      this.result = null;
      this.controls.show({ error: error.message });
    }
    this.paint();
    this.canvas.dataset.milliseconds = (performance.now() - begun).toFixed(1);
    this.canvas.dataset.fits = Number(this.canvas.dataset.fits || 0) + 1;
    if (this.key === "a") showCode();
  }
}

function showCode() { $("code").textContent = state.panes[0]?.result?.code || ""; }
function all() { for (const pane of state.panes) { pane.controls.reset(); pane.paint(); pane.ask(); } counted(); }
function counted() {
  const counts = SHAPES.map((_, k) => state.points.filter((point) => point[2] === k).length);
  $("count").textContent = `${state.points.length} points: ${counts.map((n, k) => (n ? `${n} ${NAMES[k]}` : "")).filter(Boolean).join(", ") || "none"}`;
}
function remember() { state.past.push(JSON.stringify(state.points)); if (state.past.length > 200) state.past.shift(); }
function nearest(view, px, py) {
  let best = -1, least = REACH;
  state.points.forEach(([x, y], k) => { const far = Math.hypot(view.x(x) - px, view.y(y) - py); if (far < least) { least = far; best = k; } });
  return best;
}
const rounded = (value) => Math.round(value * 1e4) / 1e4;
function add([x, y]) { if (state.points.length >= 5000) { say("The playground takes 5,000 points at most."); return; } state.points.push([rounded(x), rounded(y), state.klass]); }
function cloud([x, y], view) {
  const wide = (state.box[1] - state.box[0]) * 24 / view.width;
  for (let k = 0; k < 3; k++) {
    const r = wide * Math.sqrt(-2 * Math.log(1 - Math.random())), a = 2 * Math.PI * Math.random();
    add([x + r * Math.cos(a), y + r * Math.sin(a)]);
  }
}

function listen(pane) {
  const { canvas } = pane;
  const place = (event) => { const box = canvas.getBoundingClientRect(); return [event.clientX - box.left, event.clientY - box.top]; };
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    canvas.setPointerCapture(event.pointerId);
    const [px, py] = place(event), view = pane.view, hit = nearest(view, px, py);
    remember();
    if (state.tool === "erase" || event.altKey) { if (hit >= 0) state.points.splice(hit, 1); }
    else if (state.tool === "paint") { state.held = "paint"; cloud(view.point(px, py), view); }
    else if (hit >= 0) state.held = hit;
    else if (state.tool === "add") { add(view.point(px, py)); state.held = state.points.length - 1; }
    all();
  });
  canvas.addEventListener("pointermove", (event) => {
    if (state.held === null) return;
    const [px, py] = place(event), view = pane.view, [x, y] = view.point(px, py);
    if (state.held === "paint") cloud([x, y], view);
    else { state.points[state.held][0] = rounded(x); state.points[state.held][1] = rounded(y); }
    all();
  });
  for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, () => { state.held = null; });
  canvas.addEventListener("contextmenu", (event) => {
    event.preventDefault();
    const hit = nearest(pane.view, ...place(event));
    if (hit >= 0) { remember(); state.points.splice(hit, 1); all(); }
  });
  canvas.addEventListener("focus", () => { state.cursor ||= [(state.box[0] + state.box[1]) / 2, (state.box[2] + state.box[3]) / 2]; pane.paint(); });
  canvas.addEventListener("blur", () => pane.paint());
  canvas.addEventListener("keydown", (event) => keyed(event, pane));
}

function keyed(event, pane) {
  const view = pane.view, stride = event.shiftKey ? 24 : 8;
  const moves = { ArrowLeft: [-stride, 0], ArrowRight: [stride, 0], ArrowUp: [0, -stride], ArrowDown: [0, stride] };
  const px = view.x(state.cursor[0]), py = view.y(state.cursor[1]), hit = nearest(view, px, py);
  if (moves[event.key]) {
    const [dx, dy] = moves[event.key];
    state.cursor = view.point(Math.min(view.width, Math.max(0, px + dx)), Math.min(view.height, Math.max(0, py + dy)));
    if (typeof state.held === "number") { [state.points[state.held][0], state.points[state.held][1]] = state.cursor.map(rounded); all(); } else pane.paint();
  } else if (event.key === "Enter") { remember(); add(state.cursor); all(); }
  else if (event.key === "m" || event.key === "M") {
    if (typeof state.held === "number") state.held = null; else if (hit >= 0) { remember(); state.held = hit; }
    say(state.held === null ? "Put down." : "Picked up: arrow keys move it, M puts it down.");
  } else if (event.key === "Delete" || event.key === "Backspace") { if (hit >= 0) { remember(); state.points.splice(hit, 1); state.held = null; all(); } }
  else if (["1", "2", "3", "4"].includes(event.key)) choose("klass", Number(event.key) - 1);
  else return;
  event.preventDefault();
}

function choose(what, value) {
  state[what] = value;
  const group = what === "klass" ? $("classes") : $("tools");
  for (const button of group.children) {
    const on = button.dataset.value === String(value);
    button.setAttribute("aria-checked", String(on)); button.tabIndex = on ? 0 : -1;
  }
}

function radio(group, options, what) {
  for (const [value, words, mark] of options) {
    const button = make("button", { role: "radio", "data-value": String(value), "aria-checked": "false", onclick: () => choose(what, value) });
    if (mark) { const swatch = make("span", { class: "swatch" }); swatch.style.background = mark; button.append(swatch); }
    button.append(words);
    group.append(button);
  }
  group.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step) return;
    const list = [...group.children], next = list[(list.indexOf(document.activeElement) + step + list.length) % list.length];
    next.click(); next.focus(); event.preventDefault();
  });
}

// scenes

function fitView() {
  if (!state.points.length) { state.box = [...BOX]; return; }
  const xs = state.points.map((p) => p[0]), ys = state.points.map((p) => p[1]);
  let [a, b, c, d] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const pad = (low, high) => { const by = Math.max(0.12 * (high - low), 0.5); return [low - by, high + by]; };
  [a, b] = pad(a, b); [c, d] = pad(c, d);
  state.box = [a, b, c, d];
}

function load(points, fit = true) { remember(); state.points = points.map((point) => [...point]); if (fit) fitView(); all(); }
const sceneOf = () => ({ maxmargin: "scene", version: 1, points: state.points, box: state.box, models: state.panes.map((pane) => pane.controls.model) });

function restore(scene) {
  if (!scene || scene.maxmargin !== "scene" || !Array.isArray(scene.points) || !Array.isArray(scene.models)) throw new Error("This is no scene of the studio.");
  const good = scene.points.length <= 5000 && scene.points.every((p) => Array.isArray(p) && p.length === 3 && p.every(Number.isFinite));
  if (!good) throw new Error("The points of this scene cannot be read.");
  state.box = Array.isArray(scene.box) && scene.box.length === 4 && scene.box.every(Number.isFinite) ? scene.box : state.box;
  setPanes(scene.models.slice(0, 2).map((model) => ({ ...START, ...model })));
  load(scene.points, !scene.box);
}

function setPanes(models) {
  state.panes = models.map((model, k) => new Pane("ab"[k], model));
  $("panes").replaceChildren(...state.panes.map((pane) => pane.node));
  $("panes").classList.toggle("two", state.panes.length > 1);
  $("controls").replaceChildren(...state.panes.map((pane) => pane.controls.node));
  $("compare").setAttribute("aria-pressed", String(state.panes.length > 1));
}

const pack = (scene) => btoa(unescape(encodeURIComponent(JSON.stringify(scene)))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
const unpack = (text) => JSON.parse(decodeURIComponent(escape(atob(text.replaceAll("-", "+").replaceAll("_", "/")))));

async function begin() {
  const hash = new URLSearchParams(location.hash.slice(1));
  if (hash.has("scene")) { try { restore(unpack(hash.get("scene"))); return; } catch { say("The scene of this address cannot be read."); } }
  const name = hash.get("set") || "mixture", model = { ...START };
  for (const key of Object.keys(START)) if (hash.has(key)) model[key] = typeof START[key] === "number" ? Number(hash.get(key)) : hash.get(key);
  setPanes([model]);
  load(state.sets[name] || state.sets.mixture);
  $("set").value = name in state.sets ? name : "mixture";
}

// two columns of a file

async function askColumns(file) {
  const { file: key } = await upload(file), table = await get(`api/tables/${key}`);
  const names = table.columns.map((column) => column.name);
  for (const [id, k] of [["columns-first", 0], ["columns-second", 1], ["columns-label", names.length - 1]]) {
    $(id).replaceChildren(...names.map((name, j) => make("option", { value: name, text: name, selected: j === k })));
  }
  $("columns-ok").dataset.file = key;
}

async function drawColumns() {
  const names = { first: $("columns-first").value, second: $("columns-second").value, label: $("columns-label").value };
  if (!$("columns-ok").dataset.file) throw new Error("Choose a file first.");
  load((await post("api/points", { file: $("columns-ok").dataset.file, ...names })).points);
}

export const repaint = () => { for (const pane of state.panes) pane.paint(); };

export async function startPlayground() {
  radio($("classes"), NAMES.map((name, k) => [k, name, colour(k)]), "klass");
  radio($("tools"), Object.entries(TOOLS), "tool");
  choose("klass", 0); choose("tool", "add");
  state.sets = await get("api/scenes");
  for (const name of Object.keys(state.sets)) $("set").append(make("option", { value: name, text: name }));
  $("set").addEventListener("change", () => { if ($("set").value) load(state.sets[$("set").value]); });
  $("clear").addEventListener("click", () => { load([], false); });
  $("undo").addEventListener("click", () => { if (state.past.length) { state.points = JSON.parse(state.past.pop()); all(); } });
  $("fit-view").addEventListener("click", () => { fitView(); all(); });
  $("compare").addEventListener("click", () => {
    const models = state.panes.map((pane) => pane.controls.model);
    setPanes(models.length > 1 ? models.slice(0, 1) : [models[0], { ...START, kind: "adaboost" }]);
    all();
  });
  $("link").addEventListener("click", guarded(async () => {
    const address = `${location.origin}${location.pathname}#scene=${pack(sceneOf())}`;
    history.replaceState(null, "", address);
    await navigator.clipboard.writeText(address);
    say("The address of this scene is copied. It opens where this studio is open.");
  }));
  $("save").addEventListener("click", () => download("scene.json", JSON.stringify(sceneOf()), "application/json"));
  $("open").addEventListener("click", () => $("scene-file").click());
  $("scene-file").addEventListener("change", guarded(async () => {
    const text = await $("scene-file").files[0].text();
    $("scene-file").value = "";
    let scene;
    try { scene = JSON.parse(text); } catch { throw new Error("This is no scene of the studio."); }
    restore(scene);
  }));
  $("png").addEventListener("click", () => state.panes[0].canvas.toBlob((blob) => download("playground.png", blob)));
  $("svg").addEventListener("click", () => { const [pane] = state.panes; download("playground.svg", toSvg(current(), pane.result, pane.view), "image/svg+xml"); });
  $("csv").addEventListener("click", () => download("points.csv", ["x,y,class", ...state.points.map((point) => point.join(","))].join("\n"), "text/csv"));
  $("copy-code").addEventListener("click", guarded(async () => { await navigator.clipboard.writeText($("code").textContent); say("Copied."); }));
  $("columns").addEventListener("click", () => $("columns-dialog").showModal());
  $("columns-file").addEventListener("change", guarded(() => askColumns($("columns-file").files[0])));
  $("columns-dialog").addEventListener("close", guarded(async () => { if ($("columns-dialog").returnValue === "ok") await drawColumns(); }));
  window.addEventListener("hashchange", guarded(begin));
  await begin();
}
