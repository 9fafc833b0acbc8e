// The one cursor: pinned where it was put, or under the pointer while that is over a chart. Everything shows its frame.

const embedded = JSON.parse(document.getElementById("data").textContent);
const motions = embedded.motions.map((record) => new Motion(record));
const motion = motions[0], { correction } = embedded;
const pairing = correction ? new Pairing(motions[0], motions[1], correction.knots) : null;
const byId = (id) => document.getElementById(id);
const root = document.documentElement;
const state = { pinned: motion.range[0], hover: null, playing: false, followed: null, shown: {} };
const axis = new TimeAxis(motion.frames);
const scene = new Scene(byId("scene"), motions, state.shown, pairing);
const charts = chartsOf(motion, pairing).map((spec) => new Chart(motion, axis, spec));
const now = () => (state.playing ? state.pinned : state.hover ?? state.pinned);

let pending = false;
/** Draws once before the next picture of the screen, however often it is asked. */
function redraw() {
  if (pending) return;
  pending = true;
  requestAnimationFrame(() => { pending = false; show(now()); });
}

function show(frame) {
  if (axis.reveal(frame)) drawPlots();
  if (state.followed !== null) { scene.follow(state.followed, frame); state.followed = frame; }
  scene.draw(frame);
  charts.forEach((chart) => chart.show(frame));
  const words = `${figure(motion.time(frame), 3)} s [${frame}]`;
  const other = pairing ? ` · original ${figure(pairing.frame(frame), 1)}` : "";
  byId("readout").innerHTML = `${figure(motion.time(frame), 3)} s <small>[${frame}] of ${motion.frames}${other}</small>`;
  const slider = byId("timeline");
  slider.setAttribute("aria-valuenow", frame);
  slider.setAttribute("aria-valuetext", words);
  const cursor = byId("cursor"), x = axis.x(frame), left = byId("timeline").querySelector("canvas").offsetLeft + SCALE;
  cursor.style.left = `${left + x}px`;
  cursor.style.visibility = x < -1 || x > axis.width + 1 ? "hidden" : "";
  cursor.classList.toggle("left", x > axis.width - 90);
  cursor.firstElementChild.textContent = words;
  findings.forEach(({ button, span }) => button.classList.toggle("now", span[0] <= frame && frame <= span[1]));
}

/** Puts the cursor on a frame and leaves it there. */
function go(frame) {
  state.pinned = Math.max(0, Math.min(motion.frames - 1, frame));
  state.hover = null;
  redraw();
}

function play(on) {
  state.playing = on && motion.frames > 1;
  document.body.classList.toggle("playing", state.playing);
  byId("play").setAttribute("aria-label", state.playing ? "Pause" : "Play");
  if (!state.playing) return redraw();
  if (state.pinned >= motion.frames - 1) state.pinned = motion.range[0];
  let before = performance.now(), passed = state.pinned;
  const step = (time) => {
    if (!state.playing) return;
    if (Math.round(passed) !== state.pinned) passed = state.pinned;
    passed += ((time - before) / 1000) * Number(byId("speed").value) / motion.step;
    before = time;
    if (passed >= motion.frames - 0.5) {
      if (!byId("loop").checked) { state.pinned = motion.frames - 1; return play(false); }
      passed = motion.range[0];
    }
    state.pinned = Math.min(motion.frames - 1, Math.round(passed));
    show(state.pinned);
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
}

/** Everything that lies along the time axis, but for the cursor. */
function drawPlots() {
  const canvas = byId("timeline").querySelector("canvas");
  axis.width = Math.max(50, byId("timeline").clientWidth - canvas.offsetLeft - SCALE + byId("timeline").offsetLeft);
  drawTimeline(canvas, motion, axis, scene.color, pairing);
  charts.forEach((chart) => chart.draw(scene.color, axis.width));
}

/** Everything, in the sizes and colors of now. */
function layout() {
  scene.restyle();
  scene.resize();
  drawPlots();
  redraw();
}

function theme(dark) {
  root.dataset.theme = dark ? "dark" : "light";
  byId("theme").textContent = dark ? "light" : "dark";
  byId("theme").setAttribute("aria-label", dark ? "Switch to light" : "Switch to dark");
}

function follow() {
  state.followed = state.followed === null ? now() : null;
  byId("follow").setAttribute("aria-pressed", state.followed !== null);
}

function look(view) {
  if (state.followed !== null) follow();
  scene.look(view);
  redraw();
}

/** Hovering moves the cursor for as long as the pointer stays, pressing pins it. */
function connectPlots() {
  const plots = byId("plots"), tip = byId("tip");
  const placed = (event) => event.clientX - byId("timeline").querySelector("canvas").getBoundingClientRect().left - SCALE;
  const inside = (event) => placed(event) >= -4;
  const chartOf = (event) => charts.find((chart) => chart.element.contains(event.target));
  let dragging = false;
  const hover = (event) => {
    const frame = axis.frame(placed(event)), chart = chartOf(event);
    tip.style.display = chart && !state.playing ? "block" : "none";
    if (chart) {
      tip.innerHTML = `<b></b> <small></small>`;
      tip.firstElementChild.textContent = chart.words(frame);
      tip.lastElementChild.textContent = `${figure(motion.time(frame), 3)} s [${frame}]`;
      const box = plots.getBoundingClientRect(), width = tip.offsetWidth, x = event.clientX - box.left;
      tip.style.left = `${x + 14 + width > box.width ? x - 14 - width : x + 14}px`;
      tip.style.top = `${event.clientY - box.top - 34}px`;
    }
    return frame;
  };
  plots.addEventListener("pointermove", (event) => {
    if (!dragging && !inside(event)) { state.hover = null; tip.style.display = "none"; return redraw(); }
    const frame = hover(event);
    if (dragging) state.pinned = frame; else state.hover = frame;
    redraw();
  });
  plots.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || !inside(event)) return;
    dragging = true;
    plots.setPointerCapture(event.pointerId);
    state.pinned = axis.frame(placed(event));
    redraw();
  });
  const release = () => { dragging = false; };
  plots.addEventListener("pointerup", release);
  plots.addEventListener("pointercancel", release);
  plots.addEventListener("pointerleave", () => { state.hover = null; tip.style.display = "none"; redraw(); });
  plots.addEventListener("dblclick", () => { axis.reset(); drawPlots(); redraw(); });
  plots.addEventListener("wheel", (event) => {
    const zooms = event.ctrlKey || event.metaKey || event.altKey, along = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
    if (!zooms && !along) return;
    event.preventDefault();
    if (zooms) axis.zoom(placed(event), Math.exp(event.deltaY * 0.003)); else axis.pan(along);
    state.hover = axis.frame(placed(event));
    drawPlots();
    redraw();
  }, { passive: false });
}

/** One finger or button orbits; shift, the right button or two fingers pan; wheel or pinch zooms. */
function connectScene() {
  const canvas = byId("scene"), pointers = new Map();
  const middle = () => {
    const all = [...pointers.values()], x = all.reduce((sum, p) => sum + p.x, 0) / all.length, y = all.reduce((sum, p) => sum + p.y, 0) / all.length;
    return { x, y, spread: all.length > 1 ? Math.hypot(all[0].x - all[1].x, all[0].y - all[1].y) : 0 };
  };
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!pointers.has(event.pointerId)) return;
    const before = middle();
    pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    const after = middle(), [dx, dy] = [after.x - before.x, after.y - before.y];
    if (pointers.size > 1 || event.shiftKey || event.buttons & 2) scene.camera.pan(dx, dy); else scene.camera.orbit(dx, dy);
    if (before.spread && after.spread) scene.camera.zoom(before.spread / after.spread);
    redraw();
  });
  for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, (event) => pointers.delete(event.pointerId));
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    scene.camera.zoom(Math.exp(event.deltaY * 0.0012));
    redraw();
  }, { passive: false });
}

/** Shows more or less time around the cursor. */
function widen(factor) {
  axis.zoom(axis.x(now()), factor);
  drawPlots();
  redraw();
}

function connectKeys() {
  const jump = (by) => () => { play(false); go(now() + by); };
  const keys = {
    ArrowLeft: (event) => jump(event.shiftKey ? -10 : -1)(), ArrowRight: (event) => jump(event.shiftKey ? 10 : 1)(),
    Home: () => go(0), End: () => go(motion.frames - 1), " ": () => play(!state.playing),
    l: () => byId("loop").click(), f: follow, t: () => byId("theme").click(),
    0: () => look(0), 1: () => look(1), 2: () => look(2), 3: () => look(3),
    "[": () => widen(1.5), "]": () => widen(1 / 1.5),
    ...pairingKeys,
    "+": () => { scene.camera.zoom(0.88); redraw(); }, "-": () => { scene.camera.zoom(1.14); redraw(); },
  };
  document.addEventListener("keydown", (event) => {
    const busy = event.target.closest("select, summary") || (event.key === " " && event.target.closest("button, input"));
    const action = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (busy || !action || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    action(event);
  });
  for (const [id, by] of [["back", -1], ["forth", 1]]) byId(id).addEventListener("click", jump(by));
  byId("first").addEventListener("click", () => go(0));
  byId("last").addEventListener("click", () => go(motion.frames - 1));
  byId("play").addEventListener("click", () => play(!state.playing));
  byId("follow").addEventListener("click", follow);
  byId("theme").addEventListener("click", () => { theme(root.dataset.theme !== "dark"); layout(); });
  document.querySelectorAll("[data-view]").forEach((button) => button.addEventListener("click", () => look(Number(button.dataset.view))));
}

/** Another way to show both motions: charts follow, and the camera where the room changes. */
function repair(name, before) {
  charts.forEach((chart) => chart.pair(pairing));
  if (name === "show") {
    scene.arrange();
    if ([before, pairing.show].includes("side")) scene.look(0);
  }
  drawPlots();
  redraw();
}

const findings = writeFindings(motion, go);
writeHeader(motion);
writeFlights(motion, go);
writeOverlays(motion, scene.scales, state.shown, redraw);
writeDetails(motion);
const pairingKeys = pairing ? writePairing(pairing, repair) : {};
if (correction) {
  document.body.classList.add("both");
  writeVerdicts(correction);
  writeCorrection(correction, motion, go);
}
byId("charts").append(...charts.map((chart) => chart.element));
byId("timeline").setAttribute("aria-valuemax", motion.frames - 1);
const dusk = matchMedia("(prefers-color-scheme: dark)");
theme(dusk.matches);
dusk.addEventListener("change", () => { theme(dusk.matches); layout(); });
connectPlots();
connectScene();
connectKeys();
layout();
scene.look(0);
const fromAddress = () => { if (/^#frame=\d+$/.test(location.hash)) go(Number(location.hash.slice(7))); };
addEventListener("hashchange", fromAddress);
fromAddress();
new ResizeObserver(layout).observe(byId("view"));
addEventListener("resize", layout);
