// Charts under one time axis: curves over frames, bars of contact, and the marks of findings.

/** Height of the center of mass over the ground below it. */
function overGround(motion, frame) {
  const center = motion.at(motion.massCenter, frame);
  return center ? center[1] - motion.under(center) : NaN;
}

/** The charts of a motion: title, unit and lines; a chart marks the findings whose `curve` is its own. */
function chartsOf(motion, pairing) {
  const frames = motion.frames, weight = motion.mass * motion.gravity;
  const each = (value) => Float64Array.from({ length: frames }, (_, frame) => value(frame));
  const asked = new Float64Array(frames).fill(NaN);
  for (const { span: [first], path } of motion.flights) path.forEach((point, i) => { asked[first + i] = point[1] - motion.under(point); });
  const lines = [
    { title: "center of mass", unit: "m", note: "height above the floor", digits: 3, curve: "mass_center_height",
      lines: [{ name: "animated", color: "path", values: each((k) => overGround(motion, k)) }, { name: "free fall", color: "asked", dash: [6, 4], circles: true, values: asked }] },
    { title: "vertical force", unit: "body weights", note: "", digits: 2, zero: true, level: 1, curve: "vertical_force",
      lines: [{ name: "", color: "ink", values: each((k) => motion.force[1][k] / weight) }] },
    { title: "angular momentum", unit: "kg m²/s", note: "", digits: digitsFor(Math.max(...motion.angular.map(reachOf))), zero: true, curve: "angular_momentum",
      lines: [{ name: "x", color: "angular", values: motion.angular[0] }, { name: "y", color: "angular", dash: [8, 3, 2, 3], values: motion.angular[1] }, { name: "z", color: "angular", dash: [1.5, 3], values: motion.angular[2] }] },
    { title: "ZMP margin", unit: "cm", note: "inside the support", digits: 1, zero: true, outside: (value) => value < 0, curve: "zmp_margin",
      lines: [{ name: "", color: "zmp", values: each((k) => motion.margin[k] * 100) }] },
  ];
  if (pairing) beside(lines, pairing);
  const shown = lines.filter((chart) => chart.lines.some((line) => line.values.some(Number.isFinite)));
  return motion.contacts.length ? [...shown, { title: "contacts", unit: "", note: "", bars: motion.contacts, curve: "contacts" }] : shown;
}

/** Charts for two motions: the original's curve in each, the magnitude of the angular momentum, gravity flight by flight. */
function beside(lines, pairing) {
  const { corrected, original } = pairing;
  const [center, force, angular, margin] = lines;
  const each = (motion, value) => Float64Array.from({ length: motion.frames }, (_, frame) => value(frame));
  const faint = (of) => ({ name: "original", faint: true, color: "path", of, values: pairing.series(of) });
  const magnitude = (motion) => each(motion, (k) => Math.hypot(...motion.angular.map((track) => track[k])));
  const gravity = (motion) => {
    const values = new Float64Array(motion.frames).fill(NaN);
    for (const { span: [first, last], gravity } of motion.flights) values.fill(gravity ?? NaN, first, last + 1);
    return values;
  };
  const weight = original.mass * original.gravity;
  center.lines[0].name = "corrected";
  center.lines.splice(1, 0, faint(each(original, (k) => overGround(original, k))));
  force.lines[0].name = "corrected";
  force.lines.push({ ...faint(each(original, (k) => original.force[1][k] / weight)), color: "ink" });
  margin.lines[0].name = "corrected";
  margin.lines.push({ ...faint(each(original, (k) => original.margin[k] * 100)), color: "zmp" });
  const of = magnitude(original);
  lines[lines.indexOf(angular)] = { ...angular, note: "", digits: digitsFor(Math.max(reachOf(of), reachOf(magnitude(corrected)))),
    lines: [{ name: "corrected", color: "angular", values: magnitude(corrected) }, { ...faint(of), color: "angular" }] };
  lines.splice(1, 0, { title: "gravity of flights", unit: "g", note: "", digits: 2, zero: true, level: 1, marked: true, curve: "",
    lines: [{ name: "corrected", color: "path", values: gravity(corrected) }, faint(gravity(original))] });
}

function reachOf(values) {
  let most = 0;
  for (const value of values) if (Math.abs(value) > most) most = Math.abs(value);
  return most;
}

class Chart {
  constructor(motion, axis, spec) {
    Object.assign(this, spec);
    this.motion = motion;
    this.axis = axis;
    this.height = this.bars ? 14 * this.bars.length + 30 : this.lines.length > 2 && this.lines.some((line) => line.faint) ? 88 : 78;
    this.marks = motion.findings.filter((finding) => finding.severity !== "note" && finding.curve === this.curve)
      .sort((a, b) => a.span[0] - b.span[0]);
    this.element = document.createElement("div");
    this.element.className = "plot";
    this.element.innerHTML = `<div class="label"><b></b><span></span></div><canvas role="img"></canvas>`;
    this.element.querySelector("b").textContent = this.title;
    this.element.querySelector("span").textContent = this.unit;
    this.canvas = this.element.querySelector("canvas");
    this.canvas.setAttribute("aria-label", `${this.title}${this.unit ? " in " + this.unit : ""} over time`);
    const rows = this.bars ? this.bars.map(([bone]) => motion.bones[bone].name) : this.lines.map((line) => line.name);
    this.rows = rows.map((name) => {
      const row = document.createElement("span");
      row.className = this.bars ? "bar" : "now";
      this.element.querySelector(".label").append(row);
      return { row, name };
    });
    if (!this.bars) this.rows[0].row.before(document.createElement("br"));
    if (!this.bars) this.fit();
  }

  /** The range of values, zero and the level in it where the chart wants them. */
  fit() {
    let [low, high] = [Infinity, -Infinity];
    for (const line of this.lines) for (const value of line.values) if (Number.isFinite(value)) { low = Math.min(low, value); high = Math.max(high, value); }
    if (this.zero) [low, high] = [Math.min(low, 0), Math.max(high, this.level ?? 0)];
    const room = (high - low || 1) * 0.1;
    [this.low, this.high] = [low - room, high + room];
  }

  /** Curves of the original at their frames of now. */
  pair(pairing) {
    if (!this.bars) for (const line of this.lines) if (line.of) line.values = pairing.series(line.of);
  }

  y(value) { return 5 + (this.height - 10) * (1 - (value - this.low) / (this.high - this.low)); }

  draw(color, width) {
    const pen = penOf(this.canvas, width, this.height);
    if (!this.bars) this.grid(pen, color, width);
    pen.beginPath();
    pen.rect(0, 0, width, this.height);
    pen.clip();
    this.phases(pen, color);
    if (this.bars) return this.drawBars(pen, color);
    if (this.marked) this.marking(pen, color, width);
    for (const line of this.lines) this.drawCurve(pen, color, line);
    this.warnings(pen, color);
  }

  /** Flights tinted, frames left out and unseen support boxed, in every chart alike. */
  phases(pen, color) {
    const { motion, axis, height } = this;
    const band = (first, last, paint) => { const x = axis.x(first - 0.5); paint(x, axis.x(last + 0.5) - x); };
    pen.fillStyle = color.asked;
    pen.globalAlpha = 0.09;
    for (const { span } of motion.flights) band(...span, (x, w) => pen.fillRect(x, 0, w, height));
    pen.globalAlpha = 0.14;
    pen.fillStyle = color.unseen;
    const [first, end] = motion.range;
    if (first > 0) band(0, first - 1, (x, w) => pen.fillRect(x, 0, w, height));
    if (end < motion.frames) band(end, motion.frames - 1, (x, w) => pen.fillRect(x, 0, w, height));
    pen.globalAlpha = 1;
    pen.strokeStyle = color.unseen;
    pen.setLineDash([2, 4]);
    for (const span of motion.unseen) band(...span, (x, w) => pen.strokeRect(x, 1.5, w, height - 3));
    pen.setLineDash([]);
  }

  grid(pen, color, width) {
    const { marks, step } = ticks(this.low, this.high, 3.4);
    const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    for (const value of marks) {
      const y = Math.round(this.y(value)) + 0.5, strong = this.zero && Math.abs(value) < step * 1e-6;
      pen.strokeStyle = strong ? color["grid-strong"] : color.faint;
      pen.beginPath();
      pen.moveTo(0, y);
      pen.lineTo(width, y);
      pen.stroke();
      pen.fillStyle = color.soft;
      pen.textAlign = "right";
      pen.fillText(figure(value, digits), -6, Math.max(6, Math.min(this.height - 6, y)));
    }
  }

  /** The level that the values should have. */
  marking(pen, color, width) {
    const y = this.y(this.level);
    pen.beginPath();
    pen.moveTo(0, y);
    pen.lineTo(width, y);
    pen.strokeStyle = color.asked;
    pen.setLineDash([6, 4]);
    pen.stroke();
    pen.setLineDash([]);
  }

  drawCurve(pen, color, line) {
    const { axis } = this;
    const first = Math.max(0, Math.floor(axis.first)), last = Math.min(axis.frames - 1, Math.ceil(axis.last));
    const stroke = (keep, width, style) => {
      pen.beginPath();
      let drawing = false;
      const each = Math.max(1, Math.floor((last - first) / (axis.width * 2)));
      for (let frame = first; frame <= last; frame += each) {
        let value = line.values[frame];
        if (each > 1) value = extremeOf(line.values, frame, Math.min(last + 1, frame + each), (frame / each) % 2 < 1);
        if (!Number.isFinite(value) || !keep(value, frame)) { drawing = false; continue; }
        const [x, y] = [axis.x(frame), this.y(value)];
        if (drawing) pen.lineTo(x, y); else { pen.moveTo(x, y); pen.lineTo(x + 0.01, y); }
        drawing = true;
      }
      pen.strokeStyle = style;
      pen.lineWidth = width;
      pen.lineJoin = "round";
      pen.lineCap = line.dash ? "butt" : "round";
      pen.setLineDash(line.dash ?? []);
      pen.stroke();
      pen.setLineDash([]);
      pen.lineWidth = 1;
    };
    if (line.faint) {
      pen.globalAlpha = 0.5;
      stroke(() => true, 1.2, color[line.color]);
      pen.globalAlpha = 1;
      return;
    }
    stroke(() => true, 2, color[line.color]);
    if (this.outside) stroke((value) => this.outside(value), 3.6, color.outside);
    if (line.color !== "asked") for (const { span } of this.marks) stroke((_, frame) => span[0] <= frame && frame <= span[1], 3.4, this.outside ? color.outside : color[line.color]);
    if (line.circles && axis.width / (axis.last - axis.first) > 4) this.circles(pen, color, line, first, last);
  }

  circles(pen, color, line, first, last) {
    const every = Math.ceil(7 / (this.axis.width / (this.axis.last - this.axis.first)));
    for (let frame = first; frame <= last; frame++) {
      if (!Number.isFinite(line.values[frame]) || frame % every) continue;
      pen.beginPath();
      pen.arc(this.axis.x(frame), this.y(line.values[frame]), 2.6, 0, 2 * Math.PI);
      pen.fillStyle = color.panel;
      pen.fill();
      pen.strokeStyle = color[line.color];
      pen.lineWidth = 1.3;
      pen.stroke();
    }
  }

  /** A warning triangle over each span that a finding of this chart names. */
  warnings(pen, color) {
    let before = -Infinity;
    for (const { span } of this.marks) {
      const x = this.axis.x((span[0] + span[1]) / 2);
      if (x - before < 18 && x >= before) continue;
      warning(pen, x, 11, 13, color.outside, color.panel);
      before = x;
    }
  }

  drawBars(pen, color) {
    this.bars.forEach(([, spans], row) => {
      const y = 25 + row * 14;
      for (const [first, last] of spans) {
        const x = this.axis.x(first - 0.5), width = Math.max(1, this.axis.x(last + 0.5) - x);
        pen.fillStyle = color.support;
        pen.globalAlpha = 0.35;
        pen.fillRect(x, y + 1, width, 9);
        pen.globalAlpha = 1;
        pen.fillRect(x, y + 8, width, 2.5);
      }
    });
    this.warnings(pen, color);
  }

  /** The values of a frame beside the chart. */
  show(frame) {
    this.rows.forEach(({ row, name }, index) => {
      if (this.bars) {
        row.textContent = name;
        row.style.opacity = this.motion.touches(this.bars[index][0], frame) ? 1 : 0.45;
        return;
      }
      const value = this.lines[index].values[frame];
      row.innerHTML = `${name ? `<i>${name}</i> ` : ""}${figure(value, this.digits)}`;
      row.classList.toggle("out", !!this.outside && this.outside(value));
    });
  }

  /** The values of a frame in words, for the hover. */
  words(frame) {
    if (this.bars) return this.bars.filter(([bone]) => this.motion.touches(bone, frame)).map(([bone]) => this.motion.bones[bone].name).join(", ") || "no contact";
    return this.lines.filter((line) => Number.isFinite(line.values[frame]) || this.lines.length === 1)
      .map((line) => `${line.name ? line.name + " " : ""}${figure(line.values[frame], this.digits)}`).join(" · ") + ` ${this.unit}`;
  }
}

/** Of a run of values the largest or the smallest, in turns, so that narrow peaks survive thinning. */
function extremeOf(values, first, end, largest) {
  let found = NaN;
  for (let i = first; i < end; i++) if (!(largest ? values[i] <= found : values[i] >= found)) found = values[i];
  return found;
}
