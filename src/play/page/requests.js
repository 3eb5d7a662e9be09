// Requests: the state is posted whole, and everything that is shown comes from the answer.

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
