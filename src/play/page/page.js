"use strict";
// The page of `mercer play`. The state is an object; it is written after the # of the address, which browsers do not
// send, and posted whole. Everything that is shown comes from the answer.

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
  text: "SE(x)", values: {}, at: null, range: null, data: null, target: null, inputs: [], points: [], removed: [],
  draws: 3, seed: 0,
};
let offered = { files: [], sets: [] };
let state = structuredClone(EMPTY);
let answer = null;
let sliders = new Map();

// ---- the state in the address

function written(state) {
  const out = new URLSearchParams();
  out.set("k", state.text);
  if (state.data !== null) out.set("d", state.data);
  if (state.target !== null) out.set("t", state.target);
  for (const input of state.inputs) out.append("i", input);
  for (const [name, value] of Object.entries(state.values)) out.set("v." + name, String(value));
  if (state.at !== null) out.set("x0", String(state.at));
  if (state.range !== null) out.set("r", state.range.join(","));
  if (state.points.length) out.set("p", state.points.map((p) => p.join(",")).join(";"));
  if (state.removed.length) out.set("o", state.removed.join(","));
  if (state.draws !== EMPTY.draws) out.set("n", String(state.draws));
  if (state.seed !== EMPTY.seed) out.set("s", String(state.seed));
  return out.toString();
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
    else if (key === "x0") found.at = number(value);
    else if (key === "r" && numbers(value).length === 2) found.range = numbers(value);
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

// ---- requests

async function post(name, body, signal) {
  const response = await fetch(name, {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body), signal,
  });
  if (response.ok) return response.json();
  const message = (await response.text()).trim();
  if (response.status === 409) return null;
  return { fault: { place: "time", message, excerpt: null } };
}

/** The widths of figures that share a row and of those that stand alone, as the style sheet lays them out. */
function widths() {
  const pair = document.querySelector(".pair");
  const wide = pair.clientWidth;
  const one = pair.classList.contains("one");
  pair.classList.remove("one");
  const columns = getComputedStyle(pair).gridTemplateColumns.split(" ").map(parseFloat);
  pair.classList.toggle("one", one);
  return { width: Math.round(columns[0]), wide: Math.round(wide) };
}

const asked = () => ({ page, ...state, ...widths() });

let running = null;
let waiting = false;
let pause = null;
let curvesRequest = null;

/** Asks for the figures of the state: one request at a time, and then the newest state. */
async function draw() {
  clearTimeout(pause);
  curvesRequest?.abort();
  if (running) {
    waiting = true;
    if (performance.now() - running.since > OLD) running.control.abort();
    return;
  }
  running = { control: new AbortController(), since: performance.now() };
  waiting = false;
  const sent = performance.now();
  try {
    const found = await post("frame", asked(), running.control.signal);
    if (found) show(found, performance.now() - sent);
  } catch (error) {
    if (error.name !== "AbortError") show(unreachable());
  }
  running = null;
  if (waiting) draw();
  else if (answer?.evidence) pause = setTimeout(curves, PAUSE);
}

const unreachable = () => ({
  fault: { place: "time", message: "The program does not answer: it was ended, or this computer was asleep.", excerpt: null },
});

async function curves() {
  curvesRequest = new AbortController();
  try {
    const found = await post("curves", asked(), curvesRequest.signal);
    if (found?.curves) showCurves(found);
  } catch (error) {
    if (error.name !== "AbortError") showCurves({ curves: [], complete: false });
  }
}

async function fit() {
  $("fit").disabled = true;
  $("stop").hidden = false;
  $("fit-note").textContent = "fitting …";
  let note;
  try {
    const found = await post("fit", asked());
    if (!found) note = "replaced by a newer fit";
    else if (found.fault) note = found.fault.message;
    else {
      state.values = found.values;
      note = found.ended;
      change(true);
    }
  } catch {
    note = unreachable().fault.message;
  }
  $("fit-note").textContent = note;
  $("fit").disabled = false;
  $("stop").hidden = true;
}

/** The state has changed, for good or in passing: shows it. */
function change(stays) {
  remember(!stays);
  draw();
}

// ---- what is shown

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function show(found, waited) {
  const fault = $("fault");
  if (found.fault) {
    fault.replaceChildren(element("p", {}, found.fault.message));
    if (found.fault.excerpt) fault.append(element("pre", {}, found.fault.excerpt.trimEnd()));
    $("text").setAttribute("aria-invalid", String(found.fault.place === "text" || found.fault.place === "model"));
    $("stale").hidden = answer === null;
    document.querySelector(".figures").classList.toggle("stale", answer !== null);
    return;
  }
  fault.replaceChildren();
  $("text").removeAttribute("aria-invalid");
  $("stale").hidden = true;
  document.querySelector(".figures").classList.remove("stale");
  answer = found;
  showFigures(found);
  showEvidence(found.evidence);
  showSliders(found.parameters);
  showData(found.data);
  showWords(found.kernel);
  $("script").textContent = found.script;
  $("notes").textContent = found.notes.join("\n");
  $("notes-box").hidden = found.notes.length === 0;
  $("time").textContent = `Computed in ${found.milliseconds.toFixed(0)} ms, shown after ${(waited ?? 0).toFixed(0)} ms.`;
}

const REASONS = {
  posterior: "Click in the prior to add a point, or choose data: the posterior appears here.",
};

function showFigures(found) {
  const several = !found.figures.gram;
  document.querySelectorAll(".pair").forEach((pair) => pair.classList.toggle("one", several));
  for (const figure of document.querySelectorAll("figure")) {
    const name = figure.id;
    const drawn = found.figures[name];
    const drawing = figure.querySelector(".drawing");
    figure.hidden = !drawn && !(name === "posterior" && !several);
    const caption = figure.querySelector(".caption");
    if (name === "covariance") caption.textContent = several ? "and functions drawn from it, over the inputs that it names" : "click to move x₀";
    if (name === "posterior" && several) caption.textContent = "over the inputs, or predicted against observed";
    if (name === "posterior" && !several) caption.textContent = drawn?.svg ? pointsNote(found) : "";
    drawing.classList.toggle("takes", !several && !!drawn?.svg && takesPoints(found));
    if (drawn?.svg) {
      const svg = new DOMParser().parseFromString(drawn.svg, "image/svg+xml").documentElement;
      svg.setAttribute("aria-label", figure.querySelector("b").textContent);
      drawing.replaceChildren(document.importNode(svg, true));
    } else {
      drawing.replaceChildren(element("p", { class: "reason" }, drawn?.reason ?? REASONS[name] ?? ""));
    }
  }
}

const takesPoints = (found) => found.data.rows !== null && !found.data.time;
const pointsNote = (found) =>
  takesPoints(found) ? "click to add a point, click a point to remove it" : "points are not set by hand on an axis of dates";

function number(value, digits = 2) {
  return value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits }).replace("-", "−");
}

function showEvidence(evidence) {
  $("evidence").hidden = $("curves-note").hidden = evidence === null;
  if (evidence === null) return;
  const list = element("dl", { class: "terms" });
  const line = (name, value, kind = "") =>
    list.append(element("dt", { class: kind }, name), element("dd", { class: kind }, value));
  if (evidence.fit !== null) {
    line("fit −½ (y−m)ᵀK⁻¹(y−m)", number(evidence.fit));
    line("complexity −½ log |K|", number(evidence.complexity));
    line("constant", number(evidence.constant));
  }
  line(evidence.bound ? "lower bound of the evidence" : "log marginal likelihood", number(evidence.lml), "sum");
  $("terms").replaceChildren(list);
}

const toStep = (slider, value) => {
  const [lo, hi] = slider.ends;
  const t = slider.log ? Math.log(value / lo) / Math.log(hi / lo) : (value - lo) / (hi - lo);
  return Math.round(Math.min(Math.max(t, 0), 1) * STEPS);
};
const fromStep = (slider, step) => {
  const [lo, hi] = slider.ends;
  const t = step / STEPS;
  const value = slider.log ? lo * Math.pow(hi / lo, t) : lo + t * (hi - lo);
  // rounded inward, so that the value is within the ends
  return Math.min(Math.max(Number(value.toPrecision(6)), lo), hi);
};

const SVG = "http://www.w3.org/2000/svg";
function curve() {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", `0 0 ${STEPS} 30`);
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("aria-hidden", "true");
  return svg;
}

function showSliders(parameters) {
  const free = parameters.filter((p) => p.free);
  const names = free.map((p) => p.name);
  const known = [...sliders.keys()];
  if (names.length !== known.length || names.some((name, i) => name !== known[i])) {
    sliders = new Map();
    $("sliders").replaceChildren();
    free.forEach((parameter, i) => {
      const input = element("input", { type: "range", min: 0, max: STEPS, step: 1, id: `slider-${i}` });
      const output = element("output", { for: `slider-${i}` });
      const label = element("label", { for: `slider-${i}` }, element("span", {}, parameter.name), output);
      const svg = curve();
      const slider = { parameter, input, output, svg, curve: null };
      input.addEventListener("input", () => {
        const value = fromStep(slider.parameter, Number(input.value));
        state.values[parameter.name] = value;
        tell(slider, String(Number(value.toPrecision(4))));
        change(false);
      });
      input.addEventListener("change", () => (passing = false));
      sliders.set(parameter.name, slider);
      $("sliders").append(element("div", { class: "slider" }, label, input, svg));
    });
  }
  for (const parameter of free) {
    const slider = sliders.get(parameter.name);
    const dragged = slider.input.matches(":active");
    if (slider.curve && (slider.parameter.ends[0] !== parameter.ends[0] || slider.parameter.ends[1] !== parameter.ends[1])) slider.curve = null;
    slider.parameter = parameter;
    if (!dragged) slider.input.value = toStep(parameter, parameter.value);
    if (!dragged || !waiting) tell(slider, parameter.shown);
    drawCurve(slider);
  }
  $("sliders").querySelectorAll(".fixed").forEach((line) => line.remove());
  for (const parameter of parameters.filter((p) => !p.free)) {
    $("sliders").append(element("p", { class: "fixed" }, element("span", {}, parameter.name), element("span", {}, `${parameter.shown} (fixed or held)`)));
  }
  // values of parameters that the expression no longer has
  const all = new Set(parameters.map((p) => p.name));
  for (const name of Object.keys(state.values)) if (!all.has(name)) delete state.values[name];
}

function tell(slider, shown) {
  const unit = slider.parameter.unit ? " " + slider.parameter.unit : "";
  slider.output.textContent = shown + unit;
  slider.input.setAttribute("aria-valuetext", shown + unit);
}

function showCurves(found) {
  for (const slider of sliders.values()) slider.curve = null;
  for (const one of found.curves) {
    const slider = sliders.get(one.name);
    if (slider) slider.curve = one;
  }
  sliders.forEach(drawCurve);
  $("curves-note").textContent = found.complete
    ? "The curve under a slider is the log marginal likelihood along it, with the others as they are."
    : "There was not enough time for the evidence along every slider.";
}

function drawCurve(slider) {
  const { svg, parameter, curve } = slider;
  svg.replaceChildren();
  svg.classList.toggle("empty", !answer?.evidence);
  if (!answer?.evidence) return;
  if (curve) {
    const known = curve.lml.filter((v) => v !== null);
    const most = Math.max(...known);
    // the lowest values would flatten the rest
    const least = Math.max(Math.min(...known), most - 20 - 1.5 * Math.max(most - answer.evidence.lml, 0));
    const up = (v) => 29 - 28 * (Math.max(v, least) - least) / Math.max(most - least, 1e-9);
    let run = [];
    const end = () => {
      if (run.length > 1) {
        const line = document.createElementNS(SVG, "polyline");
        line.setAttribute("points", run.join(" "));
        svg.append(line);
      }
      run = [];
    };
    curve.at.forEach((at, i) => (curve.lml[i] === null ? end() : run.push(`${toStep(parameter, at)},${up(curve.lml[i]).toFixed(2)}`)));
    end();
  }
  const mark = document.createElementNS(SVG, "line");
  const x = Number(slider.input.value);
  for (const [key, value] of Object.entries({ x1: x, x2: x, y1: 0, y2: 30 })) mark.setAttribute(key, value);
  svg.append(mark);
}

function options(select, values, chosen) {
  const made = values.map(([value, text]) => element("option", { value }, text));
  select.replaceChildren(...made);
  select.value = chosen;
}

function showData(data) {
  const chosen = state.data !== null;
  document.querySelectorAll(".of-set").forEach((label) => (label.hidden = !chosen));
  const numeric = data.columns.filter((c) => c.number).map((c) => c.name);
  options($("target"), numeric.map((name) => [name, name]), data.target);
  const inputs = data.columns.filter((c) => c.name !== data.target).map((c) => c.name);
  const value = state.inputs.length === 1 ? state.inputs[0] : "";
  options($("inputs"), [["", inputs.length > 1 ? `all ${inputs.length}` : inputs[0] ?? "none"], ...(inputs.length > 1 ? inputs.map((name) => [name, name]) : [])], value);
  const input = data.columns.find((c) => c.input)?.name;
  const added = state.points.length;
  const parts = [chosen ? `${data.n} rows of ${data.target ?? "no target"}` : `${data.n} points`];
  if (chosen && added) parts.push(`${added} added`);
  if (chosen && state.removed.length) parts.push(`${state.removed.length} left out`);
  $("data-note").textContent = parts.join(", ") + (data.rows !== null ? "" : chosen ? "; choose one input to draw curves and set points" : "; points are set for kernels of one input");
  $("clear").disabled = added === 0 && state.removed.length === 0;
  $("clear").textContent = chosen ? "As loaded" : "Clear points";
  $("add").hidden = !takesPoints(answer) && added === 0 && state.removed.length === 0;
  $("at").disabled = data.rows === null;
  $("rows").hidden = !takesPoints(answer) || data.n === 0;
  const list = $("row-list");
  list.replaceChildren();
  if (!takesPoints(answer)) return;
  data.rows.forEach(([x, y], i) => {
    const text = `${input} ${x}, ${data.target} ${y}`;
    const remove = element("button", { type: "button", class: "as-text", "aria-label": `Remove the point ${text}` }, "remove");
    remove.addEventListener("click", () => removePoint(i));
    list.append(element("li", {}, text, remove));
  });
}

function showWords(kernel) {
  $("english").textContent = kernel.english;
  const box = $("algebra");
  box.replaceChildren();
  const one = (title, algebra) => {
    const formula = new DOMParser().parseFromString(algebra.formula, "text/html").body.firstElementChild;
    box.append(element("h3", {}, title), element("div", { class: "formula", tabindex: 0 }, document.importNode(formula, true)),
      element("pre", { tabindex: 0 }, algebra.text));
    const details = element("details", {}, element("summary", {}, "LaTeX"), element("pre", { tabindex: 0 }, algebra.latex));
    box.append(details);
  };
  one("as written", kernel.written);
  if (kernel.expanded) one("expanded into a sum of products", kernel.expanded);
  else box.append(element("p", { class: "small" }, "It is already a sum of products."));
  box.append(element("h3", {}, "with the values of the sliders"), element("pre", { tabindex: 0 }, kernel.values));
}

// ---- points

/** The row of the loaded data that is the one numbered `i` of those that are left. */
function loadedRow(i) {
  const out = new Set(state.removed);
  let row = 0;
  for (let left = i; ; row++) {
    if (out.has(row)) continue;
    if (left-- === 0) return row;
  }
}

function removePoint(i) {
  const loaded = state.data === null ? 0 : answer.data.n - state.points.length;
  if (i < loaded) state.removed = [...state.removed, loadedRow(i)].sort((a, b) => a - b);
  else state.points = state.points.filter((_, at) => at !== i - loaded);
  change(true);
}

function addPoint(x, y) {
  state.points = [...state.points, [x, y]];
  change(true);
}

/** The place of a click in the axes of a figure, and the pixels of a unit; nothing outside of them. */
function placeOf(event, name) {
  const drawn = answer?.figures[name];
  const svg = document.querySelector(`#${name} .drawing svg`);
  const box = drawn?.boxes?.[0];
  if (!svg || !box || box.log[0] || box.log[1]) return null;
  const frame = svg.getBoundingClientRect();
  const scale = frame.width / drawn.width;
  const across = ((event.clientX - frame.left) / scale - box.x) / box.width;
  const up = 1 - ((event.clientY - frame.top) / scale - box.y) / box.height;
  if (across < 0 || across > 1 || up < 0 || up > 1) return null;
  const at = ([from, to], t) => from + t * (to - from);
  return {
    x: at(box.across, across), y: at(box.up, up),
    unitX: (scale * box.width) / Math.abs(box.across[1] - box.across[0]),
    unitY: (scale * box.height) / Math.abs(box.up[1] - box.up[0]),
  };
}

/** A number with the digits that a pixel distinguishes. */
const toPixel = (value, unit) => {
  const digits = Math.min(Math.max(Math.ceil(Math.log10(unit)), 0), 12);
  return Number(value.toFixed(digits));
};

function clicked(event, name) {
  if (!answer || !takesPoints(answer)) return;
  const place = placeOf(event, name);
  if (!place) return;
  const near = NEAR[event.pointerType === "touch" ? "touch" : "mouse"];
  const distance = ([x, y]) => Math.hypot((x - place.x) * place.unitX, (y - place.y) * place.unitY);
  const rows = name === "posterior" ? answer.data.rows : [];
  const nearest = rows.reduce((best, row, i) => (best === null || distance(row) < distance(rows[best]) ? i : best), null);
  if (nearest !== null && distance(rows[nearest]) <= near) removePoint(nearest);
  else addPoint(toPixel(place.x, place.unitX), toPixel(place.y, place.unitY));
}

// ---- controls

function fill() {
  if ($("text").value !== state.text) $("text").value = state.text;
  $("data").value = state.data ?? "";
  $("lo").value = state.range?.[0] ?? "";
  $("hi").value = state.range?.[1] ?? "";
  $("at").value = state.at ?? "";
  $("draws").value = state.draws;
  $("seed").value = state.seed;
}

/** The number in a field; null if it is empty, undefined if it is no number. */
function numberIn(field) {
  const text = field.value.trim().replace("−", "-");
  const value = text === "" ? null : Number(text);
  const wrong = value !== null && !Number.isFinite(value);
  field.setAttribute("aria-invalid", String(wrong));
  return wrong ? undefined : value;
}

const EXAMPLES = ["SE(x)", "SE(x) * Per(x, p=2)", "(Lin(x) + Per(x, p=1)) * SE(x, l=3)", "Matern12(x) + Lin(x)"];

function listen() {
  let typing = null;
  $("text").addEventListener("input", () => {
    state.text = $("text").value;
    remember(true);
    clearTimeout(typing);
    typing = setTimeout(draw, 120);
  });
  $("text").addEventListener("change", () => (passing = false));
  for (const example of EXAMPLES) {
    const button = element("button", { type: "button", class: "as-text" }, example);
    button.addEventListener("click", () => {
      const input = state.data === null ? "x" : answer?.data.columns.find((c) => c.input)?.name ?? "x";
      const written = /^[\p{L}_][\p{L}\p{N}_]*$/u.test(input) ? input : JSON.stringify(input);
      state.text = example.replaceAll("(x", "(" + written);
      state.values = {};
      fill();
      change(true);
    });
    $("examples").append(button, " ");
  }
  $("data").addEventListener("change", () => {
    const { text, draws, seed } = state;
    state = { ...structuredClone(EMPTY), draws, seed, data: $("data").value || null };
    // a kernel that names no input fits any data
    state.text = /\(\s*[\p{L}"]/u.test(text) ? (state.data === null ? EMPTY.text : "SE") : text;
    fill();
    change(true);
  });
  $("target").addEventListener("change", () => {
    Object.assign(state, { target: $("target").value, inputs: [], values: {}, points: [], removed: [], at: null, range: null });
    change(true);
  });
  $("inputs").addEventListener("change", () => {
    const input = $("inputs").value;
    Object.assign(state, { inputs: input ? [input] : [], values: {}, points: [], removed: [], at: null, range: null });
    change(true);
  });
  $("add").addEventListener("submit", (event) => {
    event.preventDefault();
    const [x, y] = [numberIn($("point-x")), numberIn($("point-y"))];
    if (x === null) $("point-x").setAttribute("aria-invalid", "true");
    if (y === null) $("point-y").setAttribute("aria-invalid", "true");
    if (typeof x !== "number" || typeof y !== "number") return;
    addPoint(x, y);
    $("point-x").value = $("point-y").value = "";
    $("point-x").focus();
  });
  $("clear").addEventListener("click", () => {
    state.points = [];
    state.removed = [];
    change(true);
  });
  for (const name of ["prior", "posterior"]) {
    document.querySelector(`#${name} .drawing`).addEventListener("click", (event) => clicked(event, name));
  }
  document.querySelector("#covariance .drawing").addEventListener("click", (event) => {
    const place = answer && takesPoints(answer) && placeOf(event, "covariance");
    if (!place) return;
    state.at = toPixel(place.x, place.unitX);
    fill();
    change(true);
  });
  $("fit").addEventListener("click", fit);
  $("stop").addEventListener("click", () => post("stop", { page }).catch(() => {}));
  $("reset").addEventListener("click", () => {
    state.values = {};
    change(true);
  });
  for (const id of ["lo", "hi"]) {
    $(id).addEventListener("change", () => {
      const [lo, hi] = [numberIn($("lo")), numberIn($("hi"))];
      const both = typeof lo === "number" && typeof hi === "number";
      $("hi").setAttribute("aria-invalid", String(hi === undefined || (both && lo >= hi)));
      state.range = both && lo < hi ? [lo, hi] : null;
      change(true);
    });
  }
  $("at").addEventListener("change", () => {
    const at = numberIn($("at"));
    if (at === undefined) return;
    state.at = at;
    change(true);
  });
  const whole = (field, most) => Math.min(Math.max(Math.round(Number(field.value) || 0), 0), most);
  $("draws").addEventListener("change", () => {
    state.draws = whole($("draws"), 20);
    fill();
    change(true);
  });
  $("seed").addEventListener("change", () => {
    state.seed = whole($("seed"), 8999999999999999);
    fill();
    change(true);
  });
  $("again").addEventListener("click", () => {
    state.seed += 1;
    fill();
    change(true);
  });
  $("copy-link").addEventListener("click", () => copy(location.href.split("#")[0] + "#" + written(state), "link copied"));
  $("copy-script").addEventListener("click", () => copy(answer?.script ?? "", "script copied"));
  const arrive = () => {
    passing = false;
    state = read(location.hash.slice(1));
    fill();
    draw();
  };
  addEventListener("popstate", arrive);
  let turning = null;
  addEventListener("resize", () => {
    clearTimeout(turning);
    turning = setTimeout(draw, 200);
  });
}

async function copy(text, note) {
  try {
    await navigator.clipboard.writeText(text);
    $("copied").textContent = note;
  } catch {
    $("copied").textContent = "the browser did not permit copying";
  }
  setTimeout(() => ($("copied").textContent = ""), 4000);
}

async function start() {
  listen();
  try {
    offered = await (await fetch("sets")).json();
  } catch {
    show(unreachable());
  }
  const select = $("data");
  select.append(element("option", { value: "" }, "points set by hand"));
  const group = (label, names) => {
    if (!names.length) return;
    const made = names.map(([value, text]) => element("option", { value, title: text }, value));
    select.append(element("optgroup", { label }, ...made));
  };
  group("Your files", offered.files.map((name) => [name, name]));
  group("Shipped sets", offered.sets.map((set) => [set.name, set.title]));
  if (location.hash.length > 1) state = read(location.hash.slice(1));
  else if (offered.files.length) state = { ...structuredClone(EMPTY), data: offered.files[0], text: "SE" };
  fill();
  history.replaceState(null, "", "#" + written(state));
  draw();
}

start();
