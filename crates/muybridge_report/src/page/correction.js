// The words of a correction: verdicts before and after, findings that went, stayed or came, what was done and why; and the
// switches that say how both motions are shown.

/** The verdict before, in front of that after. */
function writeVerdicts(fix) {
  const verdict = document.getElementById("verdict");
  verdict.prepend(element("span", { class: "before" }, `${fix.verdict} → `));
  document.querySelector("h1").append(element("small", {}, fix.output === null ? " · corrected, not written" : ` → ${fix.output}`));
}

/** A section at the head of the column. */
function section(title, ...children) {
  return element("section", { class: "correction" }, element("h2", {}, title), ...children);
}

function writeCorrection(fix, motion, go) {
  const lead = [section("Before → after", comparison(fix, motion, go)), section("Done", ...done(fix, motion, go))];
  if (fix.left.length) {
    lead.push(section("Left as it was", ...fix.left.map(({ span, why }) => step(motion, go, span, "", why))));
  }
  document.querySelector("aside").prepend(...lead);
  document.getElementById("findings-title").textContent = "Findings now";
  document.getElementById("flights-section").querySelector("h2").textContent = "Flights now";
}

/** The value before, without its unit where the value after has the same. */
function shortOf(before, after) {
  const unit = /[^0-9]+$/.exec(after ?? "")?.[0];
  return before === null ? "none" : unit && before.endsWith(unit) ? before.slice(0, -unit.length) : before;
}

/** Finding, where it is now, value before and after. */
function comparison(fix, motion, go) {
  if (!fix.findings.length) return element("p", { class: "none" }, "Nothing outside its limits, before or after.");
  const head = element("tr", {}, ...["finding", "before → after", "limit"].map((name) => element("th", { scope: "col" }, name)));
  const rows = fix.findings.map(({ id, span, frames, whole, before, after, limit, gone, outside, grave }) => {
    const tone = outside ? "none" : gone ? "good" : "out", sign = outside ? "·" : gone ? "✓" : grave ? "✗" : "!";
    const row = element("tr", { "data-frame": span[0], title: `frames ${frames} of the original` },
      element("td", {}, element("span", { class: tone }, sign), ` ${id}`, element("small", {}, whole ? "whole clip" : `${timeOf(motion, span[0])}–${timeOf(motion, span[1])} s`)),
      element("td", {}, `${shortOf(before, after)} → `, element("span", { class: tone }, after ?? "gone")), element("td", {}, limit));
    row.addEventListener("click", () => go(span[0]));
    return row;
  });
  return element("table", { class: "comparison" }, element("thead", {}, head), element("tbody", {}, ...rows));
}

/** What was done to each flight, and the sums over the clip. */
function done(fix, motion, go) {
  const steps = fix.steps.map(({ tool, span, reason, moved }) => step(motion, go, span, tool, reason, moved));
  const facts = fix.facts.map((sentence) => element("li", {}, sentence));
  return [...steps, element("ul", { class: "facts" }, ...facts)];
}

function step(motion, go, span, words, reason, moved) {
  const button = element("button", { type: "button", class: "finding step", "data-frame": span[0] },
    element("b", {}, words, element("span", {}, spanOf(motion, span))), element("p", {}, reason), element("p", { class: "none" }, moved ?? ""));
  button.addEventListener("click", () => go(span[0]));
  return button;
}

/** How both motions are shown; pressed buttons say what is on. */
function writePairing(pairing, changed) {
  const group = (name, label, entries) => element("div", { class: "switches", role: "group", "aria-label": label },
    ...entries.map(([value, words, title]) => {
      const button = element("button", { type: "button", title, [`data-${name}`]: value }, words);
      button.addEventListener("click", () => { const before = pairing[name]; pairing[name] = value; press(); changed(name, before); });
      return button;
    }));
  const bar = element("div", { id: "pairing" }, group("show", "Motions shown", [
    ["over", "overlaid", "The original behind the corrected motion (G)"],
    ["side", "side by side", "The original beside the corrected motion (G)"],
    ["corrected", "corrected", "The corrected motion alone (G)"],
    ["original", "original", "The original alone (G)"],
  ]));
  if (pairing.retimed) {
    bar.append(group("by", "Frame of the original", [
      ["pose", "same pose", "The original in the frame that the pose is from (P)"],
      ["moment", "same moment", "The original as many seconds after its start (P)"],
    ]));
  }
  const press = () => bar.querySelectorAll("button").forEach((button) => {
    const [[name, value]] = Object.entries(button.dataset);
    button.setAttribute("aria-pressed", pairing[name] === value);
  });
  press();
  document.getElementById("view").append(bar);
  const next = (name) => () => {
    const buttons = [...bar.querySelectorAll(`[data-${name}]`)], now = buttons.findIndex((button) => button.getAttribute("aria-pressed") === "true");
    buttons[(now + 1) % buttons.length]?.click();
  };
  return { g: next("show"), p: next("by") };
}
