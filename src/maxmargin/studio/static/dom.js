// Small helpers for the page. Text is always set as text, so no name or label can bring markup.

export const $ = (id) => document.getElementById(id);

export function make(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "text") node.textContent = value;
    else if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== false && value != null) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children);
  return node;
}

let fading;
export function say(text) {
  const said = $("said");
  said.textContent = text;
  said.classList.add("shown");
  clearTimeout(fading);
  fading = setTimeout(() => said.classList.remove("shown"), 6000);
}

export const guarded = (work) => async (...given) => {
  try { return await work(...given); } catch (error) { if (error.name !== "AbortError") say(error.message); return undefined; }
};

export function table(node, head, rows, numeric = []) {
  const cell = (tag, text, k) => make(tag, { text: text == null ? "" : String(text), class: numeric.includes(k) ? "number" : null, title: text == null ? null : String(text) });
  node.replaceChildren(
    make("thead", {}, make("tr", {}, ...head.map((text, k) => cell("th", text, k)))),
    make("tbody", {}, ...rows.map((row) => make("tr", { class: row.className }, ...row.map((text, k) => cell("td", text, k))))),
  );
}

export function bars(node, rows, signed = false) {
  const most = Math.max(1e-12, ...rows.map(([, value]) => Math.abs(value)));
  node.replaceChildren(...rows.map(([name, value, shown]) => {
    const fill = make("span", { class: value < 0 ? "fill against" : "fill" });
    const share = 100 * Math.abs(value) / (signed ? 2 * most : 1);
    fill.style.width = `${share}%`;
    fill.style.left = signed ? (value < 0 ? `${50 - share}%` : "50%") : "0";
    return make("div", { class: "bar" }, make("span", { class: "name", text: name, title: name }),
      make("span", { class: "track" }, fill), make("span", { class: "value", text: shown }));
  }));
}

export function drop(node, input, take) {
  node.addEventListener("click", (event) => { if (event.target !== input) input.click(); });
  node.addEventListener("keydown", (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); input.click(); } });
  input.addEventListener("change", () => { if (input.files.length) take(input.files[0]); input.value = ""; });
  for (const name of ["dragover", "dragenter"]) node.addEventListener(name, (event) => { event.preventDefault(); node.classList.add("over"); });
  for (const name of ["dragleave", "drop"]) node.addEventListener(name, () => node.classList.remove("over"));
  node.addEventListener("drop", (event) => { event.preventDefault(); if (event.dataTransfer.files.length) take(event.dataTransfer.files[0]); });
}

export function download(name, content, type) {
  const address = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  make("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

export const number = (value, digits = 4) => (value == null ? "–"
  : Math.abs(value) >= 1e5 || (value !== 0 && Math.abs(value) < 1e-3) ? value.toExponential(2) : Number(value.toPrecision(digits)).toString());
