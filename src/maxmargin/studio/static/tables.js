// Tables: a file, its target, the main job with its progress, the report.

import { get, lines, post, upload } from "./api.js";
import { $, drop, guarded, make, number, say, table } from "./dom.js";
import { openModel } from "./model.js";

let file = null, job = null, cancelling = false;
const NAMES = ["report.html", "report.md", "model.maxmargin", "predictions.csv", "run.json"];

async function show({ file: key, label }) {
  const found = await get(`api/tables/${key}`);
  $("table-large").hidden = !found.large;
  if (found.large) {
    $("table-view").hidden = true;
    $("table-large-said").textContent = `${label} has ${(found.large / 2 ** 30).toFixed(1)} GB, which is too much for the page. Take a sample of about ${found.sample >> 20} MB from all over the file, or give the file to the command maxmargin fit.`;
    $("table-sample").onclick = guarded(async () => { say("Drawing a sample…"); await show(await post(`api/tables/${key}/sample`, {})); say("The sample is drawn."); });
    return;
  }
  file = key;
  $("table-view").hidden = false; $("job").hidden = true;
  $("table-name").textContent = `${label}: ${found.rows.toLocaleString("en")} rows, ${found.columns.length} columns`;
  const names = found.columns.map((column) => column.name);
  table($("table-head"), names, found.head);
  $("target").replaceChildren(...names.map((name, k) => make("option", { value: name, text: name, selected: k === names.length - 1 })));
}

async function run() {
  cancelling = false;
  $("run").disabled = true; $("cancel").hidden = false; $("job").hidden = false; $("job-done").hidden = true;
  for (const id of ["job-columns", "job-scores", "job-notes"]) $(id).replaceChildren();
  $("job-share").removeAttribute("value"); $("job-step").textContent = "Reading the table…";
  try {
    job = (await post("api/jobs", { file, target: $("target").value, options: { time_budget: $("budget").value } })).job;
    const scores = [];
    for await (const event of lines(`api/jobs/${job}/events`)) take(event, scores);
  } finally {
    $("run").disabled = false; $("cancel").hidden = true;
  }
}

const titles = new Map();

function take(event, scores) {
  if (event.title && event.model) titles.set(event.model, event.title);
  if (event.event === "table") {
    const rows = event.columns.map((column) => [column.name, column.kind, column.treatment, column.missing || "", column.warning]);
    table($("job-columns"), ["column", "kind", "what becomes of it", "missing", "look at"], rows, [3]);
    note(event.notes);
  } else if (event.event === "progress") {
    $("job-share").value = event.share;
    const left = event.seconds_left == null ? "" : `, about ${Math.ceil(event.seconds_left)} s left`;
    $("job-step").textContent = `${event.title}${event.step ? `, ${event.step}` : ""}${left}`;
  } else if (event.event === "model_finished") {
    const row = [event.title, event.status, number(event.mean), event.folds ? event.folds.map((fold) => number(fold, 3)).join("  ") : event.reason, number(event.fit_seconds, 3)];
    row.value = event.mean ?? -Infinity;
    scores.push(row);
    scores.sort((a, b) => b.value - a.value);
    scores.forEach((each, k) => { each.className = k === 0 ? "leader" : null; });
    table($("job-scores"), ["model", "status", "mean", "folds", "seconds a fit"], scores, [2, 4]);
  } else if (event.event === "finished") {
    note(event.notes);
    done(event);
  } else if (event.event === "error") {
    $("job-step").textContent = event.message;
  } else if (event.event === "ended" && event.code !== 0) {
    ended(event);
  }
}

function ended(event) {
  if (cancelling) $("job-step").textContent = "Cancelled before a model was done: nothing was written.";
  else if (event.sentence) $("job-step").textContent = event.sentence;
  else if (!$("job-step").textContent) $("job-step").textContent = "The job failed.";
}

function note(notes) { $("job-notes").append(...notes.map((text) => make("li", { text }))); }

function done(event) {
  const { results } = event, { score } = results.test, title = titles.get(results.winner) || results.winner;
  $("job-share").value = 1; $("job-step").textContent = cancelling ? "Cancelled; what was done is kept." : "Done.";
  $("job-done").hidden = false;
  const ends = score && score.low != null && score.high != null ? ` (${number(score.low)} to ${number(score.high)})` : "";
  $("job-answer").textContent = `The best: ${title}.${score ? ` Its ${results.metric.replaceAll("_", " ")} on test rows is ${number(score.value)}${ends}.` : ""}`;
  $("job-files").replaceChildren(...NAMES.map((name) => make("a", { href: `api/jobs/${job}/files/${name}?save=1`, download: name, text: name })));
  $("report").src = `api/jobs/${job}/files/report.html`;
}

export async function startTables() {
  const take = guarded(async (chosen) => { say(`Reading ${chosen.name}…`); await show(await upload(chosen)); say("Read."); });
  drop($("table-drop"), $("table-file"), take);
  const { files } = await get("api/beside");
  for (const each of files.filter((entry) => !entry.name.endsWith(".maxmargin"))) $("table-beside").append(make("option", { value: each.name, text: each.name }));
  for (const each of files.filter((entry) => entry.name.endsWith(".maxmargin"))) $("model-beside").append(make("option", { value: each.name, text: each.name }));
  $("table-beside").addEventListener("change", guarded(async () => { if ($("table-beside").value) await show(await post("api/files/beside", { name: $("table-beside").value })); }));
  $("run").addEventListener("click", guarded(run));
  $("cancel").addEventListener("click", guarded(async () => { if (job) { cancelling = true; await post(`api/jobs/${job}/cancel`, {}); $("job-step").textContent = "Cancelling…"; } }));
  $("job-open").addEventListener("click", guarded(async () => openModel(await post(`api/jobs/${job}/model`, {}))));
}
