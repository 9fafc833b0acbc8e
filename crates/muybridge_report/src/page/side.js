// The words of the page: header, findings, flights, and the legend whose rows are the switches.

const element = (name, attributes = {}, ...children) => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) if (value !== null && value !== undefined) made.setAttribute(key, value);
  made.append(...children);
  return made;
};
const timeOf = (motion, frame) => figure(motion.time(frame), 2);
const spanOf = (motion, [first, last]) =>
  first === last ? `${timeOf(motion, first)} s (${first})` : `${timeOf(motion, first)}–${timeOf(motion, last)} s (${first}–${last})`;

/** Verdict, and the facts a reader needs to trust or doubt it. */
function writeHeader(motion) {
  const verdict = document.getElementById("verdict");
  verdict.className = motion.verdict;
  const count = (severity) => { const n = motion.findings.filter((finding) => finding.severity === severity).length; return `${n} ${severity}${n === 1 ? "" : "s"}`; };
  verdict.textContent = `${{ plausible: "✓", implausible: "✗", undecided: "?" }[motion.verdict]} ${motion.verdict}: ${count("error")}, ${count("warning")}`;
  const rate = Number(motion.fps.toFixed(2)), seconds = figure((motion.frames - 1) * motion.step, 2);
  const [skate, float, penetration] = motion.feet.map((meters) => figure((meters ?? NaN) * 100, 1));
  const facts = [
    ["frames", `${motion.frames}`, `${rate} fps, ${seconds} s`],
    ["mass", `${figure(motion.mass, 1)} kg`, motion.body_source],
    ["scale", `1 unit = ${Number(motion.meters_per_unit.toPrecision(4))} m`, `${motion.unit_source}, ${motion.up} up`],
    ["floor", motion.floor === null ? "none" : `${figure(motion.floor * 100, 1)} cm`, ""],
    ["gravity", `${Number(motion.gravity.toPrecision(4))} m/s²`, ""],
    ["cut-off", motion.cutoff === null ? "none" : `${Number(motion.cutoff.toPrecision(3))} Hz`, motion.cutoff_source],
    ["feet", `skate ${skate} cm/s, float ${float} cm, penetration ${penetration} cm`, ""],
  ];
  if (motion.inside_fraction !== null) facts.push(["balance", `inside ${figure(motion.inside_fraction * 100, 0)} %`, "of contact"]);
  if (motion.residual !== null) {
    const [mean, worst] = [0, 1].map((at) => `${figure(motion.residual.force[at], 2)} BW, ${figure(motion.residual.moment[at], 0)} N m`);
    const span = motion.residual.worst === null ? "" : `most in ${spanOf(motion, motion.residual.worst)}`;
    facts.push(["residual", `mean ${mean}; worst ${worst}`, span]);
  }
  const speed = length(motion.treadmill);
  if (speed > 0) facts.push(["treadmill", `${figure(speed, 2)} m/s`, "under an in-place clip"]);
  document.getElementById("facts").append(...facts.map(([name, value, source]) =>
    element("div", {}, element("dt", {}, name), element("dd", {}, value, element("small", {}, source ? ` · ${source}` : "")))));
}

const SIGNS = {
  error: `<svg viewBox="0 0 18 18" role="img" aria-label="error"><circle cx="9" cy="9" r="8" fill="var(--outside)"/><path d="M5.8 5.8l6.4 6.4M12.2 5.8l-6.4 6.4" stroke="var(--panel)" stroke-width="2.2"/></svg>`,
  warning: `<svg viewBox="0 0 18 18" role="img" aria-label="warning"><path d="M9 1.5L17.3 16.5H.7z" fill="none" stroke="var(--outside)" stroke-width="1.8" stroke-linejoin="round"/><path d="M9 6.4v5M9 13v1.8" stroke="var(--outside)" stroke-width="1.9"/></svg>`,
  note: `<svg viewBox="0 0 18 18" role="img" aria-label="note"><circle cx="9" cy="9" r="7.4" fill="none" stroke="var(--soft)" stroke-width="1.4"/><path d="M9 7.8v5.4M9 4.6v1.8" stroke="var(--soft)" stroke-width="1.8"/></svg>`,
};

/** Value and limits as numbers, in the unit the message names. */
function limitsOf({ value, limit: [low, high] }) {
  const short = (number) => `${Number(number.toPrecision(4))}`;
  const limits = [low === null ? "" : `not under ${short(low)}`, high === null ? "" : `not over ${short(high)}`].filter(Boolean);
  return [value === null ? "" : `value ${short(value)}`, ...limits].filter(Boolean).join(", ");
}

/** One button per finding; pressing it moves the cursor there. */
function writeFindings(motion, go) {
  const list = document.getElementById("findings");
  if (!motion.findings.length) list.append(element("li", { class: "none" }, "Nothing outside its limits."));
  return motion.findings.map((finding) => {
    const button = element("button", { type: "button", class: "finding", "data-frame": finding.span[0], "data-id": finding.id, title: limitsOf(finding) });
    button.innerHTML = SIGNS[finding.severity];
    button.append(element("b", {}, finding.id, element("span", {}, spanOf(motion, finding.span))), element("p", {}, finding.message));
    button.addEventListener("click", () => go(finding.span[0]));
    list.append(element("li", {}, button));
    return { button, span: finding.span };
  });
}

/** Each flight a row: what it falls with, how far path, momentum and spin are from free fall. */
function writeFlights(motion, go) {
  document.getElementById("flights-section").hidden = !motion.flights.length;
  const head = element("tr", {}, ...["time, s", "gravity", "frames", "path", "momentum", "spin"].map((name) => element("th", { scope: "col" }, name)));
  const bad = (flight, quantity) => motion.findings.some((finding) => finding.section === "flight" && finding.quantity === quantity && finding.severity !== "note" && finding.span[0] <= flight.span[1] && flight.span[0] <= finding.span[1]);
  const percent = (value) => (value === null ? "–" : `${figure(value * 100, value < 0.0995 ? 1 : 0)} %`);
  const rows = motion.flights.map((flight) => {
    const add = flight.frames_to_add;
    const cells = [
      [timeOf(motion, flight.span[0]) + "–" + timeOf(motion, flight.span[1]), ""],
      [`${figure(flight.gravity ?? NaN, 2)} g`, bad(flight, "gravity") ? "out" : ""],
      [add > 0 ? `+${add}` : figure(add, 0), ""],
      [flight.path_error_in_meters ? `${figure((flight.path_error ?? NaN) * 100, 1)} cm` : percent(flight.path_error), bad(flight, "path") ? "out" : ""],
      [percent(flight.linear_error), ""],
      [percent(flight.angular_error), bad(flight, "spin") ? "out" : ""],
    ];
    const row = element("tr", { "data-frame": flight.span[0], title: `gravity ± ${figure(flight.gravity_standard_error ?? NaN, 3)} g; right about time at ${figure(flight.size_factor ?? NaN, 2)} times the size${flight.marked ? "; marked by hand" : ""}` },
      ...cells.map(([text, kind]) => element("td", kind ? { class: kind } : {}, text)));
    row.addEventListener("click", () => go(flight.span[0]));
    return row;
  });
  document.getElementById("flights").append(element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows)));
}

/** What the 3D view can show: name, words, drawing for the legend, whether the clip has it. */
function overlaysOf(motion, scales) {
  const svg = (drawing) => `<svg viewBox="0 0 30 18" aria-hidden="true" fill="none">${drawing}</svg>`;
  const has = (series) => series.some((track) => track.some(Number.isFinite));
  const per = (value, unit) => `1 m = ${value >= 1 ? Math.round(value) : Number(value.toPrecision(1))} ${unit}`;
  return [
    ["bodies", "bodies", svg(`<rect x="4" y="5" width="22" height="8" rx="4" fill="var(--body-light)" stroke="var(--motion)"/>`), motion.shapes.length > 0],
    ["skeleton", "skeleton", svg(`<path d="M4 13L15 5l11 6" stroke="var(--motion)" stroke-width="2"/><g fill="var(--motion)"><circle cx="4" cy="13" r="2.4"/><circle cx="15" cy="5" r="2.4"/><circle cx="26" cy="11" r="2.4"/></g>`), true],
    ["path", "center of mass", svg(`<path d="M2 14Q15 -4 28 14" stroke="var(--path)" stroke-width="2"/><circle cx="15" cy="5.2" r="4" fill="var(--path)"/>`), has(motion.massCenter)],
    ["ground", "on the ground", svg(`<path d="M15 1v11" stroke="var(--path)" stroke-width="1.4"/><ellipse cx="15" cy="13" rx="7" ry="3" stroke="var(--path)" stroke-width="2"/>`), has(motion.massCenter)],
    ["ballistic", "free fall", svg(`<path d="M2 15Q15 -6 28 15" stroke="var(--asked)" stroke-width="2" stroke-dasharray="5 3"/><g fill="var(--panel)" stroke="var(--asked)" stroke-width="1.4"><circle cx="7" cy="8.6" r="2.4"/><circle cx="15" cy="4.5" r="2.4"/><circle cx="23" cy="8.6" r="2.4"/></g>`), motion.flights.length > 0],
    ["linear", "momentum", svg(`<path d="M3 13L20 6.2" stroke="var(--linear)" stroke-width="2.6"/><path d="M28 3l-9.5.2 3.3 7z" fill="var(--linear)"/>`), has(motion.linear), per(scales.linear, "kg m/s")],
    ["angular", "angular momentum", svg(`<path d="M10 10.5L21 5.5" stroke="var(--angular)" stroke-width="2.4"/><path d="M28 2.5l-9.4.4 3.2 6.6z" fill="var(--angular)"/><path d="M5.5 7a6 4.6 -25 1 0 9 1" stroke="var(--angular)" stroke-width="1.6"/><path d="M2.8 8.8l5.6-.6-3.6-4.4z" fill="var(--angular)"/>`), has(motion.angular), per(scales.angular, "kg m²/s")],
    ["zmp", "ZMP", svg(`<path d="M15 2l7 7-7 7-7-7z" fill="var(--zmp)"/>`), has(motion.zmp)],
    ["polygon", "support", svg(`<path d="M4 14L9 4h17l-3 10z" stroke="var(--support)" stroke-width="1.8"/><path d="M7 14L15 4M12 14L20 4M17 14L25 4" stroke="var(--support)"/>`), motion.polygons.some((corners) => corners.length)],
    ["contacts", "contacts", svg(`<path d="M3 6h24" stroke="var(--grid-strong)"/><path d="M8 6v8M15 6v8M22 6v8" stroke="var(--support)" stroke-width="2.6"/>`), motion.contacts.length > 0],
    ["unseen", "unseen support", svg(`<rect x="5" y="3" width="20" height="12" stroke="var(--unseen)" stroke-width="1.8" stroke-dasharray="2 2.4"/>`), motion.unseen.length > 0],
  ];
}

/** The legend; a row is a switch. */
function writeOverlays(motion, scales, shown, changed) {
  const list = document.getElementById("overlays");
  for (const [name, words, drawing, there, scale] of overlaysOf(motion, scales)) {
    shown[name] = there && name !== "skeleton" || (name === "skeleton" && !motion.shapes.length);
    if (!there) continue;
    const box = element("input", { type: "checkbox", "data-overlay": name });
    box.checked = shown[name];
    box.addEventListener("change", () => { shown[name] = box.checked; changed(); });
    const label = element("label", { title: scale ?? words }, box);
    label.insertAdjacentHTML("beforeend", drawing);
    label.append(element("span", {}, words, scale ? element("small", {}, scale) : ""));
    list.append(element("li", {}, label));
  }
}

/** Roles and what the reader left out: there for who asks. */
function writeDetails(motion) {
  const roles = document.getElementById("roles"), played = motion.bones.filter((bone) => bone.role);
  roles.hidden = !played.length;
  roles.append(element("table", {}, ...played.map((bone) => element("tr", {}, element("td", {}, bone.name), element("td", {}, bone.role.replaceAll("_", " "))))));
  const ignored = document.getElementById("ignored");
  ignored.hidden = !motion.ignored.length;
  ignored.append(element("ul", {}, ...motion.ignored.map((sentence) => element("li", {}, sentence))));
}
