// A stored model: what it is, a row to predict, a file to score.

import { get, numbered, Overtaken, post, upload } from "./api.js";
import { $, bars, download, drop, guarded, make, number, say, table } from "./dom.js";

let model = null, description = null, csv = "";
const row = {};

export async function openModel({ file, label }) {
  const found = await get(`api/models/${file}`);
  model = file; description = found;
  for (const name of Object.keys(row)) delete row[name];
  $("model-view").hidden = false;
  $("model-title").textContent = `${label}: ${found.title} for ${found.target}`;
  $("model-facts").replaceChildren(...found.facts.flatMap(([name, value]) => [make("dt", { text: name }), make("dd", { text: value })]));
  $("row-form").replaceChildren(...columns(found.fields).map(field));
  $("shapes-part").hidden = !found.shapes.length;
  $("shapes").replaceChildren(...found.shapes.map(shape));
  $("score-said").textContent = ""; $("score-head").replaceChildren(); $("score-save").hidden = true;
  document.getElementById("tab-model").click();
  await predict();
}

// A date is several features of one column, which one field gives.
function columns(fields) {
  const seen = new Map();
  for (const each of fields) if (!seen.has(each.column)) seen.set(each.column, each);
  return [...seen.values()];
}

function field(each) {
  const given = (value) => { row[each.column] = value; predict(); };
  row[each.column] = each.usual;
  if (each.kind === "number" && each.name === each.column) {
    const box = make("input", { type: "number", step: "any", value: each.usual ?? "", oninput: () => { slide.value = box.value; given(box.value === "" ? null : Number(box.value)); } });
    const slide = make("input", { type: "range", min: each.low, max: each.high, step: (each.high - each.low) / 200, value: each.usual ?? each.low, "aria-label": `${each.column}, slider`, oninput: () => { box.value = Number(Number(slide.value).toPrecision(4)); given(Number(box.value)); } });
    return make("label", { text: each.column }, box, slide);
  }
  if (each.kind === "category" && each.choices.length) {
    const select = make("select", { onchange: () => given(select.value === "" ? null : select.value) }, make("option", { value: "", text: "(missing)" }),
      ...each.choices.map((text) => make("option", { value: text, text, selected: text === each.usual })));
    return make("label", { text: each.column }, select);
  }
  const input = make("input", { type: "text", value: each.usual ?? "", oninput: () => given(input.value === "" ? null : input.value) });
  return make("label", { text: each.column }, input);
}

// What the bins of a column add to the decision, as steps around zero; bins without rows are left out.
function shape(term) {
  const used = term.values.map((value, k) => [value, term.bins[k], term.weight[k]]).filter(([, , weight]) => weight > 0);
  const most = Math.max(1e-12, ...used.map(([value]) => Math.abs(value))), wide = 100 / Math.max(1, used.length);
  const drawn = svg("svg", { viewBox: "0 0 100 50", preserveAspectRatio: "none", role: "img", "aria-label": `${term.name}: adds ${number(Math.min(...used.map(([v]) => v)), 3)} to ${number(Math.max(...used.map(([v]) => v)), 3)}` });
  used.forEach(([value, name], k) => {
    const high = 24 * Math.abs(value) / most;
    const bar = svg("rect", { x: k * wide, y: value < 0 ? 25 : 25 - high, width: wide, height: Math.max(0.4, high), class: value < 0 ? "against" : "for" });
    const title = svg("title"); title.textContent = `${name}: ${number(value, 3)}`;
    bar.append(title); drawn.append(bar);
  });
  return make("figure", {}, make("figcaption", { text: `${term.name} (±${number(most, 3)})` }), drawn);
}

function svg(tag, attributes = {}) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  return node;
}

let busy = false, wanted = false;
async function predict() {
  wanted = true;
  if (busy) return;
  busy = true;
  while (wanted) {
    wanted = false;
    try { show(await numbered(`api/models/${model}/predict`, { row }, "model")); } catch (error) { if (!(error instanceof Overtaken)) { $("prediction").textContent = "–"; say(error.message); } }
  }
  busy = false;
}

function show(found) {
  const plain = found.prediction;
  $("prediction").textContent = `${description.target}: ${typeof plain === "number" ? number(plain, 6) : plain}`;
  bars($("probabilities"), (found.probabilities || []).map(([label, share]) => [label, share, `${(100 * share).toFixed(1)} %`]));
  $("reasons-title").hidden = !found.reasons.length;
  bars($("reasons"), found.reasons.map(([column, value, effect]) => [`${column} = ${value}`, effect, number(effect, 3)]), true);
  $("nearest-title").hidden = !found.nearest.length;
  const cases = found.nearest.map(([k, adds, near, far]) => [k + 1, number(adds, 3), near, far]);
  table($("nearest"), ["training row", "adds", "near in", "far in"], cases, [0, 1]);
}

export function startModel() {
  const take = guarded(async (chosen) => openModel(await upload(chosen)));
  drop($("model-drop"), $("model-file"), take);
  $("row-form").addEventListener("submit", (event) => event.preventDefault());
  $("model-beside").addEventListener("change", guarded(async () => { if ($("model-beside").value) await openModel(await post("api/files/beside", { name: $("model-beside").value })); }));
  drop($("score-drop"), $("score-file"), guarded(async (chosen) => {
    $("score-said").textContent = `Predicting the rows of ${chosen.name}…`;
    const { file } = await upload(chosen), found = await post(`api/models/${model}/score`, { table: file });
    csv = found.csv;
    const right = found.right == null ? "" : ` ${found.right.toLocaleString("en")} of them agree with the labels in the file.`;
    $("score-said").textContent = `${found.rows.toLocaleString("en")} rows are predicted.${right} The first:`;
    table($("score-head"), found.columns, found.head);
    $("score-save").hidden = false;
  }));
  $("score-save").addEventListener("click", () => download("predictions.csv", csv, "text/csv"));
}
