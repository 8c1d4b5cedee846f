// The model of a pane: its kind, its numbers as sliders, its certificate, its steps.

import { make, number } from "./dom.js";

export const KINDS = {
  hard: ["Hard margin", ["kernel"]],
  svc: ["SVC, soft margin", ["kernel", "C", "solver"]],
  nu: ["NuSVC", ["kernel", "nu"]],
  logistic_kernel: ["Kernel logistic regression", ["kernel", "C"]],
  linear: ["LinearSVC", ["C"]],
  logistic: ["Logistic regression", ["C"]],
  neighbors: ["Nearest neighbours", ["neighbors"]],
  adaboost: ["AdaBoost", ["rounds"]],
  boosting: ["Gradient boosting", ["rounds", "rate"]],
  glass_box: ["Glass box", []],
};
const KERNELS = {
  linear: ["Linear", []], rbf: ["RBF", ["gamma"]], poly: ["Polynomial", ["degree", "gamma", "coef0"]],
  sigmoid: ["Sigmoid", ["gamma", "coef0"]], laplacian: ["Laplacian", ["gamma"]], matern: ["Matérn 3/2", ["gamma"]],
  rational: ["Rational quadratic", ["gamma"]],
};
const SOLVERS = {
  working_set: "Working sets", smo: "SMO, step by step", smo_first_order: "SMO, worst pair, step by step",
  coordinate_ascent: "Coordinate ascent, step by step",
};
// name: [words, lowest, highest, logarithmic, whole]
const SLIDERS = {
  C: ["C", 1e-3, 1e4, true], gamma: ["gamma", 1e-3, 1e2, true], degree: ["degree", 1, 8, false, true],
  coef0: ["coef0", 0, 5, false], nu: ["nu", 0.02, 1, false], neighbors: ["neighbours", 1, 60, false, true],
  rounds: ["rounds", 1, 300, true, true], rate: ["learning rate", 0.01, 1, true],
};

export const START = {
  kind: "svc", kernel: "rbf", solver: "working_set", C: 1, gamma: 1, degree: 3, coef0: 1, nu: 0.3, neighbors: 5,
  rounds: 100, rate: 0.1,
};

export class Controls {
  constructor(title, model, changed, stepped) {
    Object.assign(this, { model: { ...START, ...model }, changed, stepped, step: null, total: 0, playing: null });
    this.node = make("fieldset", {}, make("legend", { text: title }));
    this.body = make("div", { class: "panel" });
    this.certificate = make("div", { class: "certificate", role: "group", "aria-label": "Certificate" });
    this.bar = make("span");
    this.steps = make("div", { class: "steps", hidden: true, role: "group", "aria-label": "Steps" });
    this.note = make("p", { class: "hint", role: "status" });
    this.chart = make("canvas", { class: "chart", hidden: true, role: "img" });
    this.node.append(this.body, this.certificate, this.steps, this.note, this.chart);
    this.build();
    this.buildSteps();
    this.show(null);
  }

  build() {
    const model = this.model, parts = [];
    const choice = (name, words, options) => {
      const select = make("select", { onchange: () => { model[name] = select.value; this.reset(); this.build(); this.changed(); } });
      for (const [value, text] of Object.entries(options)) {
        select.append(make("option", { value, text: Array.isArray(text) ? text[0] : text, selected: model[name] === value }));
      }
      parts.push(make("label", { text: words }, select));
    };
    choice("kind", "Model", KINDS);
    const wanted = [...KINDS[model.kind][1]];
    if (wanted.includes("kernel")) { choice("kernel", "Kernel", KERNELS); wanted.push(...KERNELS[model.kernel][1]); }
    if (wanted.includes("solver")) choice("solver", "Solver", SOLVERS);
    for (const name of wanted) if (SLIDERS[name]) parts.push(this.slider(name));
    this.body.replaceChildren(...parts);
  }

  slider(name) {
    const [words, low, high, logarithmic, whole] = SLIDERS[name], model = this.model;
    const to = (value) => (logarithmic ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low));
    const from = (share) => {
      const value = logarithmic ? low * (high / low) ** share : low + share * (high - low);
      return whole ? Math.round(value) : Number(value.toPrecision(3));
    };
    const output = make("output", { text: number(model[name], 3) });
    const input = make("input", {
      type: "range", min: 0, max: 1, step: whole && !logarithmic ? 1 / (high - low) : 0.005, value: to(model[name]), "aria-label": words,
      oninput: () => {
        model[name] = from(Number(input.value));
        output.textContent = number(model[name], 3);
        input.setAttribute("aria-valuetext", output.textContent);
        this.reset();
        this.changed();
      },
    });
    input.setAttribute("aria-valuetext", output.textContent);
    return make("label", { class: "slider" }, make("span", { text: words }), input, output);
  }

  // steps

  buildSteps() {
    const button = (text, label, work) => make("button", { text, "aria-label": label, onclick: work });
    this.range = make("input", { type: "range", min: 1, max: 1, value: 1, "aria-label": "Step", oninput: () => this.go(Number(this.range.value)) });
    this.playButton = button("▶", "Play", () => (this.playing ? this.pause() : this.play()));
    this.speed = make("select", { "aria-label": "Speed" }, ...[["1", "slow"], ["4", "normal"], ["15", "fast"]].map(([value, text]) => make("option", { value, text, selected: value === "4" })));
    this.steps.append(button("«", "First step", () => this.go(1)), button("‹", "One step back", () => this.go(this.step - 1)), this.playButton,
      button("›", "One step", () => this.go((this.step ?? 0) + 1)), button("»", "Last step", () => this.go(this.total)), this.range, this.speed);
  }

  go(step) {
    this.step = Math.min(this.total, Math.max(1, step || 1));
    this.range.value = this.step;
    return this.stepped();
  }

  async play() {
    if (this.step === null || this.step >= this.total) this.step = 0;
    const own = (this.playing = {});
    this.playButton.textContent = "||"; this.playButton.setAttribute("aria-label", "Pause");
    while (this.playing === own && this.step < this.total) {
      const begun = performance.now();
      await this.go(this.step + 1);
      await new Promise((done) => { setTimeout(done, Math.max(0, 1000 / Number(this.speed.value) - (performance.now() - begun))); });
    }
    if (this.playing === own) this.pause();
  }

  pause() {
    this.playing = null;
    this.playButton.textContent = "▶"; this.playButton.setAttribute("aria-label", "Play");
  }

  reset() { this.step = null; this.pause(); }

  // what came back

  show(result) {
    if (result && result.steps) { this.total = result.steps; this.range.max = result.steps; if (this.step === null) this.range.value = result.steps; }
    this.steps.hidden = !(result && (result.steps || result.step));
    if (!result) { this.certificate.replaceChildren(make("p", { class: "hint", text: "Draw points of two classes." })); this.note.textContent = ""; return; }
    if (result.error || result.failed) {
      this.certificate.replaceChildren(make("p", { class: "status bad", text: result.failed ? "Not separable" : "No model" }),
        make("p", { class: "hint", text: result.error || result.sentence }));
      if (result.failed && result.mean) this.certificate.append(make("p", { class: "hint", text: "The cross is a mean of both classes, by weights shown as sizes: no line separates a point from itself." }));
      this.note.textContent = "";
      this.chart.hidden = true;
      return;
    }
    this.certificate.replaceChildren(...this.facts(result));
    this.note.textContent = this.words(result);
    this.draw(result);
  }

  facts(result) {
    const pair = (name, value) => make("div", {}, make("dt", { text: name }), make("dd", { text: value }));
    const list = make("dl", { class: "numbers" }), certificate = result.certificate, parts = [];
    if (certificate) {
      const good = certificate.status === "CERTIFIED";
      parts.push(make("p", { class: `status ${good ? "good" : "bad"}`, text: certificate.status, title: certificate.sentence }));
      list.append(pair("primal", number(certificate.primal, 7)), pair("dual", number(certificate.dual, 7)), pair("gap", number(certificate.gap, 3)));
      const share = certificate.relative == null ? 1 : Math.max(0, Math.min(1, certificate.relative));
      this.bar.style.width = `${100 * Math.sqrt(share)}%`;
      parts.push(list, make("div", { class: "gap", role: "img", "aria-label": `relative gap ${number(share, 2)}` }, this.bar));
    } else {
      parts.push(make("p", { class: "status", text: "No certificate" }), make("p", { class: "hint", text: "This model is not the optimum of a convex problem, so there is no gap to show." }), list);
    }
    list.append(pair("training accuracy", `${(100 * result.accuracy).toFixed(1)} %`));
    if (result.support.length) list.append(pair("support vectors", String(result.support.length)));
    return parts;
  }

  words(result) {
    if (result.moved) return `Step ${result.step} of ${this.total}: moved ${result.moved.length === 1 ? "point" : "points"} ${result.moved.map((k) => k + 1).join(" and ") || "none"}.`;
    if (result.weights) return `Round ${result.errors.length} of ${this.total}: weighted error ${number(result.weighted_error, 3)}, alpha ${number(result.alpha, 3)}. Sizes are the weights that this stump saw. Training error ${number(result.errors.at(-1), 3)}, bound ${number(result.bounds.at(-1), 3)}.`;
    if (result.residuals) return `Round ${result.losses.length} of ${this.total}: sizes are what the rounds so far leave unexplained. Loss ${number(result.losses.at(-1), 4)}.`;
    return "";
  }

  // The training error below its bound, or the loss, round by round.
  draw(result) {
    const series = result.errors ? [result.errors, result.bounds] : result.losses ? [result.losses] : [];
    this.chart.hidden = series.length === 0;
    if (!series.length) return;
    this.chart.setAttribute("aria-label", result.errors ? "Training error and, above it, its bound, by round" : "Training loss by round");
    const ratio = window.devicePixelRatio || 1, wide = this.chart.clientWidth, high = this.chart.clientHeight;
    this.chart.width = wide * ratio; this.chart.height = high * ratio;
    const context = this.chart.getContext("2d"), style = getComputedStyle(document.documentElement);
    context.scale(ratio, ratio);
    const most = Math.max(...series.flat(), 1e-9), count = Math.max(2, this.total || series[0].length);
    series.forEach((values, k) => {
      context.strokeStyle = style.getPropertyValue(k ? "--bad" : "--accent"); context.lineWidth = 2;
      context.beginPath();
      values.forEach((value, t) => { const x = t / (count - 1) * (wide - 4) + 2, y = high - 3 - value / most * (high - 8); if (t) context.lineTo(x, y); else context.moveTo(x, y); });
      context.stroke();
    });
  }
}
