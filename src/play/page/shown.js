// What is shown of an answer.

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

// The fields of the view, which have places on the axis of the input.
const VIEW_NAMES = { lo: "from", hi: "to", at: "x₀" };
const VIEW = Object.keys(VIEW_NAMES);

/** Tells whether the figures are those of an earlier state. */
function stale(is) {
  $("stale").hidden = !is;
  document.querySelector(".figures").classList.toggle("stale", is);
}

function show(found, waited) {
  const fault = $("fault");
  const field = VIEW.find((id) => id === found.fault?.place);
  for (const id of VIEW) $(id).setAttribute("aria-invalid", String(id === field));
  $("view-fault").textContent = field ? `${VIEW_NAMES[field]}: ${found.fault.message}` : "";
  if (field) {
    fault.replaceChildren();
    $("text").removeAttribute("aria-invalid");
    stale(answer !== null);
    return;
  }
  if (found.fault) {
    fault.replaceChildren(element("p", {}, found.fault.message));
    if (found.fault.excerpt) fault.append(element("pre", {}, found.fault.excerpt.trimEnd()));
    $("text").setAttribute("aria-invalid", String(found.fault.place === "text" || found.fault.place === "model"));
    stale(answer !== null);
    return;
  }
  fault.replaceChildren();
  $("text").removeAttribute("aria-invalid");
  stale(false);
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
  const several = found.data.rows === null;
  document.querySelectorAll(".pair").forEach((pair) => pair.classList.toggle("one", several));
  for (const figure of document.querySelectorAll("figure")) {
    const name = figure.id;
    const drawn = found.figures[name];
    const drawing = figure.querySelector(".drawing");
    figure.hidden = !drawn && !(name === "posterior" && !several);
    const caption = figure.querySelector(".caption");
    if (name === "prior") {
      caption.textContent = "functions drawn before any data" + (takesPoints(found) ? "; click to add a point" : "");
    }
    if (name === "covariance") {
      const movable = takesPlace(found) ? "click to move x₀" : "";
      caption.textContent = several ? "and functions drawn from it, over the inputs that it names" : movable;
    }
    if (name === "gram") caption.textContent = several ? rowsNote(found.data) : "the covariance of each pair of inputs";
    if (name === "posterior" && several) caption.textContent = "over the inputs, or predicted against observed";
    if (name === "posterior" && !several) caption.textContent = drawn?.svg ? pointsNote(found) : "";
    const takes = name === "covariance" ? takesPlace(found) : ["prior", "posterior"].includes(name) && takesPoints(found);
    drawing.classList.toggle("takes", !several && !!drawn?.svg && takes);
    if (drawn?.svg) {
      const svg = new DOMParser().parseFromString(drawn.svg, "image/svg+xml").documentElement;
      svg.setAttribute("aria-label", figure.querySelector("b").textContent);
      drawing.replaceChildren(document.importNode(svg, true));
    } else {
      drawing.replaceChildren(element("p", { class: "reason" }, drawn?.reason ?? REASONS[name] ?? ""));
    }
  }
}

/** Whether x₀ is a place on the axis of a single input. */
const takesPlace = (found) => found.data.rows !== null;
const takesPoints = (found) => found.data.rows !== null && !found.data.time;
const pointsNote = (found) =>
  takesPoints(found) ? "click to add a point, click a point to remove it" : "points are not set by hand on an axis of dates";

const rowsNote = ({ stride }) =>
  "the covariance of each pair of rows, in the order of the data" + (stride > 1 ? `; one row of ${stride} is shown` : "");

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
        tell(slider, shownValue(slider.parameter, value));
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
    if (slider.parameter.ends.some((end, i) => end !== parameter.ends[i])) slider.curve = null;
    slider.parameter = parameter;
    if (!dragged) slider.input.value = toStep(parameter, parameter.value);
    if (!dragged || !waiting) tell(slider, parameter.shown);
    drawCurve(slider);
  }
  $("sliders").querySelectorAll(".fixed").forEach((line) => line.remove());
  for (const parameter of parameters.filter((p) => !p.free)) {
    const value = `${parameter.shown} (fixed or held)`;
    $("sliders").append(element("p", { class: "fixed" }, element("span", {}, parameter.name), element("span", {}, value)));
  }
  // values of parameters that the expression no longer has
  const all = new Set(parameters.map((p) => p.name));
  for (const name of Object.keys(state.values)) if (!all.has(name)) delete state.values[name];
}

/** The text of a value while its slider moves: four digits, or a date. */
function shownValue(parameter, value) {
  const date = parameter.date === null ? null : new Date(value * parameter.date * 1000);
  if (date && !Number.isNaN(date.getTime())) return date.toISOString().slice(0, 10);
  return String(Number(value.toPrecision(4)));
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
    curve.at.forEach((at, i) => {
      if (curve.lml[i] === null) end();
      else run.push(`${toStep(parameter, at)},${up(curve.lml[i]).toFixed(2)}`);
    });
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
  const several = inputs.length > 1;
  const whole = ["", several ? `all ${inputs.length}` : inputs[0] ?? "none"];
  options($("inputs"), [whole, ...(several ? inputs.map((name) => [name, name]) : [])], value);
  const input = data.columns.find((c) => c.input)?.name;
  const added = state.points.length;
  const parts = [chosen ? `${data.n} rows of ${data.target ?? "no target"}` : `${data.n} points`];
  if (chosen && added) parts.push(`${added} added`);
  if (data.missing) parts.push(`${data.missing} with missing values left out`);
  if (chosen && state.removed.length) parts.push(`${state.removed.length} left out`);
  const way = chosen ? "; choose one input to draw curves and set points" : "; points are set for kernels of one input";
  $("data-note").textContent = parts.join(", ") + (data.rows !== null ? "" : way);
  $("clear").disabled = added === 0 && state.removed.length === 0;
  $("clear").textContent = chosen ? "As loaded" : "Clear points";
  $("add").hidden = !takesPoints(answer) && added === 0 && state.removed.length === 0;
  $("at").disabled = data.rows === null;
  for (const id of VIEW) $(id).inputMode = data.dates ? "text" : "decimal";
  for (const id of ["lo", "hi"]) $(id).placeholder = data.dates ? "a date" : "auto";
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
