// A motion as it was embedded, back in meters and seconds.

/** Undoes the steps from frame to frame: one Float64Array per track. */
function tracksOf({ unit, steps }, frames) {
  const tracks = [];
  for (let at = 0; at < steps.length; at += frames) {
    const track = new Float64Array(frames);
    let value = 0;
    for (let frame = 0; frame < frames; frame++) track[frame] = (value += steps[at + frame]) * unit;
    tracks.push(track);
  }
  return tracks;
}

/** Components of a series, NaN where undefined. */
function componentsOf({ unit, values }, count, frames) {
  return Array.from({ length: count }, (_, component) => {
    const track = new Float64Array(frames).fill(NaN);
    for (let frame = 0; frame * count + component < values.length && frame < frames; frame++) {
      const value = values[frame * count + component];
      if (value !== null) track[frame] = value * unit;
    }
    return track;
  });
}

const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const scaled = (a, s) => [a[0] * s, a[1] * s, a[2] * s];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const length = (a) => Math.sqrt(dot(a, a));
const unitOf = (a) => scaled(a, 1 / (length(a) || 1));
const product = (a, b) => [
  a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
  a[3] * b[1] + a[1] * b[3] + a[2] * b[0] - a[0] * b[2],
  a[3] * b[2] + a[2] * b[3] + a[0] * b[1] - a[1] * b[0],
  a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2],
];
const turned = (q, v) => {
  const t = scaled(cross(q, v), 2);
  return add(v, add(scaled(t, q[3]), cross(q, t)));
};

/** The value of a track at a frame, straight between frames. */
function valueAt(track, frame) {
  const first = Math.floor(frame), part = frame - first;
  return part > 0 ? track[first] * (1 - part) + track[first + 1] * part : track[first];
}

class Motion {
  constructor(record) {
    Object.assign(this, record);
    const frames = this.frames;
    this.positions = tracksOf(record.positions, frames);
    this.rotations = tracksOf(record.rotations, frames);
    this.massCenter = componentsOf(record.series.mass_center, 3, frames);
    this.linear = componentsOf(record.series.linear_momentum, 3, frames);
    this.angular = componentsOf(record.series.angular_momentum, 3, frames);
    this.force = componentsOf(record.series.ground_force, 3, frames);
    this.zmp = componentsOf(record.series.zero_moment_point, 3, frames);
    this.margin = componentsOf(record.series.support_margin, 1, frames)[0];
    this.ground = this.terrain.length ? this.lowest() : this.floor ?? this.lowest();
  }

  /** Height of the ground under a place: of the highest triangle no higher than half a meter over it, else of the floor. */
  under([x, y, z]) {
    let height = -Infinity;
    for (const [ax, ay, az, bx, by, bz, cx, cy, cz] of this.terrain) {
      const whole = (bx - ax) * (cz - az) - (bz - az) * (cx - ax);
      const b = ((x - ax) * (cz - az) - (z - az) * (cx - ax)) / whole, c = ((bx - ax) * (z - az) - (bz - az) * (x - ax)) / whole;
      if (!(b >= -1e-9 && c >= -1e-9 && b + c <= 1 + 1e-9)) continue;
      const at = ay + b * (by - ay) + c * (cy - ay);
      if (at <= y + 0.5 && at > height) height = at;
    }
    return Number.isFinite(height) ? height : this.ground;
  }

  time(frame) { return this.start + frame * this.step; }
  position(bone, frame) { return [0, 1, 2].map((axis) => valueAt(this.positions[bone * 3 + axis], frame)); }
  rotation(bone, frame) {
    const q = [0, 1, 2, 3].map((axis) => valueAt(this.rotations[bone * 4 + axis], frame));
    const norm = Math.hypot(...q) || 1;
    return q.map((value) => value / norm);
  }
  point(bone, frame, inBone) { return add(this.position(bone, frame), turned(this.rotation(bone, frame), inBone)); }

  /** A vector series at a frame; null where undefined. */
  at(series, frame) {
    const vector = series.map((track) => valueAt(track, frame));
    return vector.every(Number.isFinite) ? vector : null;
  }

  touches(bone, frame) {
    const entry = this.contacts.find(([touching]) => touching === bone);
    return !!entry && entry[1].some(([first, last]) => first <= frame && frame <= last);
  }

  lowest() {
    let low = Infinity;
    for (let bone = 0; bone < this.bones.length; bone++) for (const y of this.positions[bone * 3 + 1]) low = Math.min(low, y);
    return Number.isFinite(low) ? low : 0;
  }

  /** Corners of the box around all bones, center of mass and flights over the analyzed frames. */
  bounds(first = this.range[0], last = this.range[1] - 1) {
    const low = [Infinity, this.ground, Infinity], high = [-Infinity, this.ground + 0.2, -Infinity];
    const include = (point) => point.forEach((value, axis) => {
      if (Number.isFinite(value)) { low[axis] = Math.min(low[axis], value); high[axis] = Math.max(high[axis], value); }
    });
    for (let frame = first; frame <= last; frame++) for (let bone = 0; bone < this.bones.length; bone++) include(this.position(bone, frame));
    for (const flight of this.flights) flight.path.forEach(include);
    if (!Number.isFinite(low[0])) return { low: [-1, this.ground, -1], high: [1, this.ground + 2, 1] };
    return { low: low.map((value, axis) => value - (axis === 1 ? 0 : 0.12)), high: high.map((value) => value + 0.12) };
  }

  /** The horizontal direction the body travels in, or faces where it stays in place. */
  heading() {
    const [first, end] = this.range;
    const center = (frame) => this.at(this.massCenter, frame) ?? this.position(0, Math.min(frame, this.frames - 1));
    const way = sub(center(Math.max(first, end - 1)), center(first));
    way[1] = 0;
    if (length(way) > 0.4) return unitOf(way);
    const bone = (role) => this.bones.findIndex((candidate) => candidate.role === role);
    for (const part of ["upper_leg", "upper_arm", "foot"]) {
      const left = bone("left_" + part), right = bone("right_" + part);
      if (left < 0 || right < 0) continue;
      const across = sub(this.position(left, first), this.position(right, first));
      const ahead = cross(across, [0, 1, 0]);
      if (length(ahead) > 1e-3) return unitOf(ahead);
    }
    return [0, 0, 1];
  }
}
