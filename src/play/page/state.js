"use strict";
// The page of `mercer play`: the state, and its form after the # of the address, which browsers do not send. The files
// are served as one script, in the order state.js, requests.js, shown.js, controls.js.

const $ = (id) => document.getElementById(id);
const page = Array.from(crypto.getRandomValues(new Uint8Array(8)), (b) => b.toString(16).padStart(2, "0")).join("");
// The number of steps of a slider.
const STEPS = 1000;
// How long a pause is before the curves are asked for, and how old a request is before a newer one replaces it.
const PAUSE = 150;
const OLD = 400;
// How far a click may be from a point to remove it, in pixels, by mouse and by finger.
const NEAR = { mouse: 8, touch: 16 };

const EMPTY = {
  text: "SE(x)", values: {}, at: null, range: [null, null], data: null, target: null, inputs: [], points: [], removed: [],
  draws: 3, seed: 0,
};
let offered = { files: [], sets: [] };
let state = structuredClone(EMPTY);
let answer = null;
let sliders = new Map();

function written(state) {
  const out = new URLSearchParams();
  out.set("k", state.text);
  if (state.data !== null) out.set("d", state.data);
  if (state.target !== null) out.set("t", state.target);
  for (const input of state.inputs) out.append("i", input);
  for (const [name, value] of Object.entries(state.values)) out.set("v." + name, String(value));
  if (state.at !== null) out.set("x0", String(state.at));
  if (state.range[0] !== null) out.set("from", String(state.range[0]));
  if (state.range[1] !== null) out.set("to", String(state.range[1]));
  if (state.points.length) out.set("p", state.points.map((p) => p.join(",")).join(";"));
  if (state.removed.length) out.set("o", state.removed.join(","));
  if (state.draws !== EMPTY.draws) out.set("n", String(state.draws));
  if (state.seed !== EMPTY.seed) out.set("s", String(state.seed));
  return out.toString();
}

/** A place on an axis as it is typed: a number, other text for the program to read, or null for nothing. */
function place(text) {
  const typed = text.trim().replace(/^−/, "-");
  if (typed === "") return null;
  return Number.isFinite(Number(typed)) ? Number(typed) : typed;
}

function read(fragment) {
  const found = structuredClone(EMPTY);
  const number = (text) => (text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : null);
  const numbers = (text) => text.split(",").map(number).filter((v) => v !== null);
  for (const [key, value] of new URLSearchParams(fragment)) {
    if (key === "k") found.text = value;
    else if (key === "d") found.data = value;
    else if (key === "t") found.target = value;
    else if (key === "i") found.inputs.push(value);
    else if (key.startsWith("v.") && number(value) !== null) found.values[key.slice(2)] = number(value);
    else if (key === "x0") found.at = place(value);
    else if (key === "from") found.range[0] = place(value);
    else if (key === "to") found.range[1] = place(value);
    else if (key === "p") found.points = value.split(";").map(numbers).filter((p) => p.length === 2);
    else if (key === "o") found.removed = numbers(value).filter((v) => Number.isInteger(v) && v >= 0);
    else if (key === "n") found.draws = Math.min(Math.max(Math.round(number(value) ?? EMPTY.draws), 0), 20);
    else if (key === "s") found.seed = Math.min(Math.max(Math.round(number(value) ?? 0), 0), 8999999999999999);
  }
  return found;
}

let passing = false;

/** Writes the state to the address. Changes that pass, as while a slider moves, are one step of the history. */
function remember(passes) {
  const fragment = "#" + written(state);
  if (fragment !== location.hash) history[passes && passing ? "replaceState" : "pushState"](null, "", fragment);
  passing = passes;
}
