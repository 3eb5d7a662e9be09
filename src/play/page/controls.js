// What the user moves: points, fields, buttons.

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

function fill() {
  if ($("text").value !== state.text) $("text").value = state.text;
  $("data").value = state.data ?? "";
  $("lo").value = state.range[0] ?? "";
  $("hi").value = state.range[1] ?? "";
  $("at").value = state.at ?? "";
  $("draws").value = state.draws;
  $("seed").value = state.seed;
}

/** The number in a field; null if there is none, which is told beside it. */
function numberIn(field, name) {
  const value = place(field.value);
  const wrong = typeof value !== "number";
  field.setAttribute("aria-invalid", String(wrong));
  if (wrong) $("add-fault").append(`${name}: expected a number, found ${value === null ? "nothing" : `“${value}”`}. `);
  return wrong ? null : value;
}

/** The text of a date at a number of days since 1970, with the time of day where a pixel distinguishes it. */
function dateAt(days, unit) {
  const date = new Date(days * 864e5);
  if (Number.isNaN(date.getTime())) return null;
  return unit > 48 ? date.toISOString().slice(0, 16) : new Date(Math.round(days) * 864e5).toISOString().slice(0, 10);
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
    Object.assign(state, { target: $("target").value, inputs: [], values: {}, points: [], removed: [], at: null, range: [null, null] });
    change(true);
  });
  $("inputs").addEventListener("change", () => {
    const input = $("inputs").value;
    Object.assign(state, { inputs: input ? [input] : [], values: {}, points: [], removed: [], at: null, range: [null, null] });
    change(true);
  });
  $("add").addEventListener("submit", (event) => {
    event.preventDefault();
    $("add-fault").replaceChildren();
    const [x, y] = [numberIn($("point-x"), "x"), numberIn($("point-y"), "y")];
    if (x === null || y === null) return;
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
    const place = answer && takesPlace(answer) && placeOf(event, "covariance");
    if (!place) return;
    state.at = answer.data.dates ? dateAt(place.x, place.unitX) : toPixel(place.x, place.unitX);
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
      state.range = [place($("lo").value), place($("hi").value)];
      change(true);
    });
  }
  $("at").addEventListener("change", () => {
    state.at = place($("at").value);
    change(true);
  });
  const whole = (name, most) => {
    const text = $(name).value.trim();
    return text === "" ? EMPTY[name] : Math.min(Math.max(Math.round(Number(text) || 0), 0), most);
  };
  $("draws").addEventListener("change", () => {
    state.draws = whole("draws", 20);
    fill();
    change(true);
  });
  $("seed").addEventListener("change", () => {
    state.seed = whole("seed", 8999999999999999);
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
