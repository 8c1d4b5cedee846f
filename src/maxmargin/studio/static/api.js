// What the page asks of the studio; every failure is an Error with a sentence.

export const page = Math.random().toString(36).slice(2);
let number = 0;

export class Overtaken extends Error {}

async function answer(response) {
  if (response.ok) return response.json();
  let found = {};
  try { found = await response.clone().json(); } catch { found = { error: await response.text() }; }
  if (found.overtaken) throw new Overtaken(found.error);
  throw new Error(found.error || `The studio answered ${response.status}.`);
}

async function ask(path, options = {}) {
  let response;
  try {
    response = await fetch(path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error("The studio does not answer; has it been ended in the terminal?");
  }
  return answer(response);
}

export const get = (path) => ask(path);

export const post = (path, value, signal) => ask(path, {
  method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(value), signal,
});

// A newer request of the same page overtakes an older one in the studio's worker.
export const numbered = (path, value, key) => post(path, { ...value, page: `${page}-${key}`, number: ++number });

export async function upload(file) {
  if (file.size > 64 * 2 ** 20) {
    throw new Error(`${file.name} is larger than 64 MB. Put it beside the studio and choose it there, or take a sample.`);
  }
  return ask(`api/files?name=${encodeURIComponent(file.name)}`, { method: "POST", body: file });
}

export async function* lines(path) {
  const response = await fetch(path);
  if (!response.ok) await answer(response);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const parts = (rest + value).split("\n");
    rest = parts.pop();
    for (const part of parts) if (part) yield JSON.parse(part);
  }
}

export function floats(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return new Float32Array(bytes.buffer);
}
