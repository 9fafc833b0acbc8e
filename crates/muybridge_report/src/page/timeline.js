// The time axis that all charts share, its window, its scale, and the strip that shows the phases of the clip.

/** A number with a fixed count of digits, a true minus sign. */
const figure = (value, digits) => (Number.isFinite(value) ? value.toFixed(digits).replace(/^-(?=0(\.0*)?$)/, "").replace("-", "−") : "–");
/** Digits after the point so that `span` shows three figures. */
const digitsFor = (span) => Math.max(0, Math.min(4, 2 - Math.floor(Math.log10(span || 1))));

/** Round steps that divide a range into about `count` parts. */
function ticks(low, high, count) {
  const raw = (high - low) / count || 1, ten = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].find((candidate) => candidate * ten >= raw * 0.999) * ten;
  const marks = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-6; i++) marks.push(i * step);
  return { marks, step };
}

/** The window of time all charts show, in frames (fractions allowed), and where a frame lies in pixels. */
class TimeAxis {
  constructor(frames) {
    this.frames = frames;
    this.width = 100;
    this.reset();
  }

  reset() { [this.first, this.last] = [-0.5, this.frames - 0.5]; }
  x(frame) { return ((frame - this.first) / (this.last - this.first)) * this.width; }
  frame(x) { return Math.max(0, Math.min(this.frames - 1, Math.round(this.first + (x / this.width) * (this.last - this.first)))); }
  zoom(x, factor) {
    const center = this.first + (x / this.width) * (this.last - this.first);
    const span = Math.max(Math.min(8, this.frames), Math.min(this.frames, (this.last - this.first) * factor));
    this.start(center - (x / this.width) * span, span);
  }
  pan(pixels) { this.start(this.first + (pixels / this.width) * (this.last - this.first), this.last - this.first); }
  /** Moves the window so that it holds a frame; false if it did. */
  reveal(frame) {
    if (frame >= this.first && frame <= this.last) return false;
    this.start(frame - 0.1 * (this.last - this.first), this.last - this.first);
    return true;
  }
  start(first, span) {
    this.first = Math.max(-0.5, Math.min(this.frames - 0.5 - span, first));
    this.last = this.first + span;
  }
}

/** Pixels left of the time axis for the figures of a scale; `--scale` in the style. */
const SCALE = 34;

/** A canvas the width of the time axis and its scale; sharp on every screen. */
function penOf(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.round((width + SCALE) * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.style.height = `${height}px`;
  const pen = canvas.getContext("2d");
  pen.setTransform(ratio, 0, 0, ratio, SCALE * ratio, 0);
  pen.font = "11px system-ui, sans-serif";
  pen.textBaseline = "middle";
  return pen;
}

/** Seconds, flights, unseen support and findings on one strip; flights of the original, where there is one, under them. */
function drawTimeline(canvas, motion, axis, color, pairing) {
  const below = pairing ? 17 : 0, height = 40 + below, pen = penOf(canvas, axis.width, height);
  const time = (frame) => motion.start + frame * motion.step;
  const { marks, step } = ticks(time(axis.first), time(axis.last), axis.width / 90);
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  pen.strokeStyle = color.line;
  pen.fillStyle = color.soft;
  for (const mark of marks) {
    const x = axis.x((mark - motion.start) / motion.step);
    pen.beginPath();
    pen.moveTo(x, 25 + below);
    pen.lineTo(x, height);
    pen.stroke();
    pen.textAlign = x < 12 ? "left" : x > axis.width - 14 ? "right" : "center";
    pen.fillText(figure(mark, digits), x, 33 + below);
  }
  const band = ([first, last]) => { const x = axis.x(first - 0.5); return [x, axis.x(last + 0.5) - x]; };
  pen.beginPath();
  pen.rect(0, 0, axis.width, height);
  pen.clip();
  pen.fillStyle = color.faint;
  pen.fillRect(0, 5, axis.width, 19);
  pen.textAlign = "center";
  for (const { span } of motion.flights) {
    const [x, width] = band(span);
    pen.globalAlpha = 0.22;
    pen.fillStyle = color.asked;
    pen.fillRect(x, 5, width, 19);
    pen.globalAlpha = 1;
    pen.fillStyle = color.ink;
    if (width > 44) pen.fillText("flight", x + width / 2, 18);
  }
  if (pairing) drawOriginalFlights(pen, axis, color, pairing);
  pen.setLineDash([2, 4]);
  pen.strokeStyle = color.unseen;
  for (const span of motion.unseen) {
    const [x, width] = band(span);
    pen.strokeRect(x, 5.5, width, 18);
    pen.fillStyle = color.soft;
    if (width > 110) pen.fillText("unseen support", x + width / 2, 18);
  }
  pen.setLineDash([]);
  for (const { span, severity } of motion.findings) {
    if (severity === "note") continue;
    const [x, width] = band(span);
    pen.fillStyle = color.outside;
    pen.fillRect(x, 5, width, severity === "error" ? 5 : 3);
  }
}

/** A thinner strip: when the original left the ground. */
function drawOriginalFlights(pen, axis, color, pairing) {
  const { original } = pairing;
  pen.fillStyle = color.faint;
  pen.fillRect(0, 26, axis.width, 14);
  pen.strokeStyle = color.asked;
  for (const { span: [first, last] } of original.flights) {
    const x = axis.x(pairing.place(first - 0.5)), width = axis.x(pairing.place(last + 0.5)) - x;
    pen.globalAlpha = 0.5;
    pen.strokeRect(x + 0.5, 26.5, Math.max(1, width - 1), 13);
    pen.globalAlpha = 1;
    pen.fillStyle = color.soft;
    if (width > 92) pen.fillText("flight, original", x + width / 2, 33.5);
  }
}
