// Two motions under one cursor: which frame of the original stands beside a frame of the corrected clip. Either that of the
// same moment, or that of the same pose: where the time map took the frame from.

class Pairing {
  constructor(corrected, original, knots) {
    Object.assign(this, { corrected, original, knots });
    /** "pose" or "moment". */
    this.by = "pose";
    /** "over", "side", "corrected" or "original". */
    this.show = "over";
  }

  /** True if some frame of the same pose is not of the same moment. */
  get retimed() { return this.knots.some(([frame, source]) => Math.abs(frame - source) > 1e-6); }

  /** Frame of the original, with fractions, beside a frame of the corrected clip. */
  frame(corrected) {
    if (this.by === "pose") return this.kept(between(this.knots, corrected, 0, 1));
    return this.kept((this.corrected.time(corrected) - this.original.start) / this.original.step);
  }

  /** Where a frame of the original lies on the time axis of the corrected clip. */
  place(original) {
    if (this.by === "pose") return between(this.knots, original, 1, 0);
    return (this.original.time(original) - this.corrected.start) / this.corrected.step;
  }

  kept(frame) { return Math.max(0, Math.min(this.original.frames - 1, frame)); }

  /** Values of the original, one per frame of the corrected clip; nothing where the original is over. */
  series(values) {
    return Float64Array.from({ length: this.corrected.frames }, (_, frame) => {
      const at = this.frame(frame), first = Math.floor(at), part = at - first;
      if (Math.abs(this.place(at) - frame) > 1) return NaN;
      return part < 1e-6 ? values[first] : values[first] * (1 - part) + values[first + 1] * part;
    });
  }
}

/** The line through knots at `value` of their entry `from`, read at their entry `to`; straight on outside. */
function between(knots, value, from, to) {
  if (knots.length < 2) return value - knots[0][from] + knots[0][to];
  let after = knots.findIndex((knot) => knot[from] >= value);
  if (after < 0) return knots.at(-1)[to] + value - knots.at(-1)[from];
  after = Math.max(1, after);
  const [a, b] = [knots[after - 1], knots[after]];
  return a[to] + ((value - a[from]) / (b[from] - a[from])) * (b[to] - a[to]);
}
