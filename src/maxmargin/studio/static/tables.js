// Tables: a file, its target, the main job with its progress, the report.

import { get, lines, post, upload } from "./api.js";
import { $, drop, guarded, make, number, say, table } from "./dom.js";
import { openModel } from "./model.js";

let file = null, job = null;

async function show({ file: key, label }) {
  const found = await get(`api/tables/${key}`);
  file = key;
  $("table-view").hidden = false; $("job").hidden = true;
  $("table-name").textContent = `${label}: ${found.rows.toLocaleString("en")} rows, ${found.columns.length} columns`;
  const names = found.columns.map((column) => column.name);
  table($("table-head"), names, found.head);
  $("target").replaceChildren(...names.map((name, k) => make("option", { value: name, text: name, selected: k === names.length - 1 })));
}

async function run() {
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

function take(event, scores) {
  if (event.event === "table") {
    table($("job-columns"), ["column", "kind", "what becomes of it"], event.columns.map((column) => [column.name, column.kind, column.reason || column.role || ""]));
    note(event.notes);
  } else if (event.event === "progress") {
    if (event.share != null) $("job-share").value = event.share;
    const left = event.seconds_left == null ? "" : `, about ${Math.ceil(event.seconds_left)} s left`;
    $("job-step").textContent = `${event.title}${event.step ? `, ${event.step}` : ""}${left}`;
  } else if (event.event === "model_finished") {
    const row = [event.title, number(event.mean), number(event.fit_seconds, 3)];
    row.value = event.mean ?? -Infinity;
    scores.push(row);
    scores.sort((a, b) => b.value - a.value);
    scores.forEach((each, k) => { each.className = k === 0 ? "leader" : null; });
    table($("job-scores"), ["model", "mean score of the folds", "seconds a fit"], scores, [1, 2]);
  } else if (event.event === "finished") {
    note(event.notes || []);
    done(event);
  } else if (event.event === "error") {
    $("job-step").textContent = event.message || event.sentence || "The job failed.";
  } else if (event.event === "ended" && event.code !== 0) {
    $("job-step").textContent = event.sentence || (event.code === 130 || event.code < 0 ? "Cancelled." : $("job-step").textContent);
  }
}

function note(notes) { $("job-notes").append(...notes.map((text) => make("li", { text }))); }

function done(event) {
  $("job-share").value = 1; $("job-step").textContent = "Done.";
  $("job-done").hidden = false;
  const score = event.score || event.test || {};
  $("job-answer").textContent = [event.title || event.winner || event.model, typeof score === "number" ? `test score ${number(score)}` : score.value != null ? `test score ${number(score.value)} (${number(score.low)} to ${number(score.high)})` : ""].filter(Boolean).join(": ");
  const names = ["report.html", "report.md", "model.maxmargin", "predictions.csv", "run.json"];
  $("job-files").replaceChildren(...names.map((name) => make("a", { href: `api/jobs/${job}/files/${name}?save=1`, download: name, text: name })));
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
  $("cancel").addEventListener("click", guarded(async () => { if (job) { await post(`api/jobs/${job}/cancel`, {}); $("job-step").textContent = "Cancelling…"; } }));
  $("job-open").addEventListener("click", guarded(async () => openModel(await post(`api/jobs/${job}/model`, {}))));
}
