// The 3D view: a painter's renderer on a 2D canvas. Floor first, then solids from far to near, then what must be seen
// through them.

class Scene {
  constructor(canvas, motions, shown) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.motions = motions;
    this.motion = motions[0];
    this.shown = shown;
    this.camera = new Camera();
    this.bounds = this.motion.bounds();
    this.extent = this.floorExtent();
    this.scales = this.arrowScales();
    this.solids = motions.map((motion) => motion.shapes.map((shape) => new Solid(motion, shape)));
  }

  /** Colors of the theme, and the hatch made from them. */
  restyle() {
    const style = getComputedStyle(document.documentElement);
    const names = ["ink", "soft", "grid", "grid-strong", "motion", "body-light", "body-dark", "path", "asked", "zmp", "support", "linear",
      "angular", "outside", "unseen", "shadow", "panel", "sky-top", "sky-bottom"];
    this.color = Object.fromEntries(names.map((name) => [name, style.getPropertyValue("--" + name).trim()]));
    this.tint = (share) => mixed(this.color["body-dark"], this.color["body-light"], share);
    const tile = document.createElement("canvas");
    tile.width = tile.height = 8;
    const pen = tile.getContext("2d");
    pen.strokeStyle = this.color.support;
    pen.lineWidth = 1.4;
    pen.beginPath();
    for (const x of [-8, 0, 8]) { pen.moveTo(x, 8); pen.lineTo(x + 8, 0); }
    pen.stroke();
    this.hatch = this.context.createPattern(tile, "repeat");
  }

  resize() {
    const ratio = window.devicePixelRatio || 1;
    const { width, height } = this.canvas.getBoundingClientRect();
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.camera.resize(Math.max(width, 1), Math.max(height, 1));
  }

  /** 0 whole motion from 30° off the side, 1 side, 2 front, 3 from above. */
  look(view) {
    const [east, , south] = this.motion.heading();
    const front = Math.atan2(east, south);
    const side = front - Math.PI / 2;
    const [yaw, pitch] = [[side + Math.PI / 6, 0.2], [side, 0.06], [front, 0.06], [side, 1.5]][view];
    const { low, high } = this.bounds;
    const room = [0.25, 0, 0.25];
    const corner = (i) => [0, 1, 2].map((axis) => (i >> axis & 1 ? high[axis] + room[axis] : low[axis] - room[axis]));
    this.camera.frame(Array.from({ length: 8 }, (_, i) => corner(i)), yaw, pitch);
  }

  /** Moves the camera along with the body's ground position. */
  follow(from, to) {
    const [a, b] = [from, to].map((frame) => this.motion.at(this.motion.massCenter, frame) ?? this.motion.position(0, frame));
    this.camera.target = add(this.camera.target, [b[0] - a[0], 0, b[2] - a[2]]);
    this.camera.update();
  }

  draw(frame) {
    const { motion, shown, camera, context } = this;
    this.background();
    const below = camera.eye[1] < motion.ground;
    if (!below) this.floor();
    if (!below && shown.bodies) this.shadow(frame);
    if (shown.polygon) this.supportPolygon(frame, true);
    if (shown.contacts) this.contactTicks(frame);
    if (shown.unseen) this.unseenSupport(frame);
    if (shown.ground) this.groundProjection(frame);
    const time = motion.time(frame);
    const others = this.motions.slice(1);
    if (shown.bodies) {
      context.globalAlpha = 0.35;
      others.forEach((other, index) => this.bodies(index + 1, other.frameAt(time)));
      context.globalAlpha = shown.skeleton ? 0.86 : 1;
      this.bodies(0, frame);
      context.globalAlpha = 1;
    }
    if (shown.skeleton) {
      others.forEach((other) => this.skeleton(other, other.frameAt(time), 0.4));
      this.skeleton(motion, frame, 1);
    }
    if (below) { context.globalAlpha = 0.5; this.floor(); context.globalAlpha = 1; }
    if (shown.polygon) this.supportPolygon(frame, false);
    if (shown.zmp) this.zeroMomentPoint(frame);
    if (shown.ballistic) this.ballistic(frame);
    if (shown.path) this.massCenterPath(frame);
    if (shown.linear) this.linearMomentum(frame);
    if (shown.angular) this.angularMomentum(frame);
    if (shown.path) this.massCenterDot(frame);
    this.rod();
  }

  background() {
    const { context, camera, color } = this;
    const sky = context.createLinearGradient(0, 0, 0, camera.height);
    sky.addColorStop(0, color["sky-top"]);
    sky.addColorStop(1, color["sky-bottom"]);
    context.fillStyle = sky;
    context.fillRect(0, 0, camera.width, camera.height);
  }

  /** Whole meters around the motion, and how far apart the lines are: 1 m, 10 m on a field. */
  floorExtent() {
    const { low, high } = this.bounds;
    const widest = Math.max(high[0] - low[0], high[2] - low[2]);
    const step = widest > 60 ? 10 ** Math.floor(Math.log10(widest / 3)) : 1;
    const outer = (value, round) => round(value / step + (round === Math.floor ? -0.1 : 0.1)) * step;
    return { x: [outer(low[0], Math.floor), outer(high[0], Math.ceil)], z: [outer(low[2], Math.floor), outer(high[2], Math.ceil)], step };
  }

  line(a, b) {
    const ends = this.camera.segment(a, b);
    if (!ends) return;
    this.context.moveTo(ends[0].x, ends[0].y);
    this.context.lineTo(ends[1].x, ends[1].y);
  }

  stroke(color, width, dash = []) {
    const { context } = this;
    context.strokeStyle = color;
    context.lineWidth = width;
    context.lineCap = dash.length ? "butt" : "round";
    context.setLineDash(dash);
    context.stroke();
    context.setLineDash([]);
  }

  floor() {
    const { context, extent: { x, z, step }, motion: { ground }, color } = this;
    const steps = (range, by) => Array.from({ length: Math.round((range[1] - range[0]) / by) + 1 }, (_, i) => range[0] + i * by);
    const lines = [...steps(x, step).map((at) => [[at, ground, z[0]], [at, ground, z[1]]]), ...steps(z, step).map((at) => [[x[0], ground, at], [x[1], ground, at]])];
    context.beginPath();
    for (const [a, b] of lines) this.line(a, b);
    this.stroke(color.grid, 1);
    const border = [[[x[0], ground, z[0]], [x[1], ground, z[0]]], [[x[0], ground, z[1]], [x[1], ground, z[1]]], [[x[0], ground, z[0]], [x[0], ground, z[1]]], [[x[1], ground, z[0]], [x[1], ground, z[1]]]];
    const small = step / 10, many = lines.length * Math.max(x[1] - x[0], z[1] - z[0]) / step > 90;
    context.beginPath();
    for (const [a, b] of many ? border : lines) {
      const along = unitOf(sub(b, a)), count = Math.round(length(sub(b, a)) / small);
      for (let i = 0; i <= count; i++) {
        const reach = scaled(cross(along, [0, 1, 0]), small * (i % 10 === 5 ? 0.3 : 0.17));
        const at = add(a, scaled(along, i * small));
        this.line(sub(at, reach), add(at, reach));
      }
    }
    this.stroke(color.grid, 0.8);
    context.beginPath();
    for (const [a, b] of border) this.line(a, b);
    this.stroke(color["grid-strong"], 1);
    this.floorNumbers(steps(x, step), steps(z, step));
  }

  /** Meters along the two edges that are nearest to the eye. */
  floorNumbers(xs, zs) {
    const { context, camera, motion: { ground }, extent, color } = this;
    const near = (range, axis) => range[Math.abs(camera.eye[axis] - range[0]) < Math.abs(camera.eye[axis] - range[1]) ? 0 : 1];
    const away = (range, value) => (value === range[0] ? -1 : 1) * 0.13 * extent.step;
    const [nx, nz] = [near(extent.x, 0), near(extent.z, 2)];
    context.fillStyle = color.soft;
    context.font = "11px system-ui, sans-serif";
    context.textAlign = "center";
    context.textBaseline = "middle";
    const [fx, fz] = [extent.x.find((value) => value !== nx), extent.z.find((value) => value !== nz)];
    const written = [camera.project([fx, ground, fz])];
    const label = (point, text) => {
      const at = camera.project(point);
      if (at.depth < 0.1 || written.some(({ x, y }) => Math.abs(at.x - x) < 46 && Math.abs(at.y - y) < 13)) return;
      written.push(at);
      context.fillText(text, at.x, at.y);
    };
    const text = (value) => figure(value, 0);
    for (const value of xs) label([value, ground, nz + away(extent.z, nz)], `x ${text(value)} m`);
    for (const value of zs) label([nx + away(extent.x, nx), ground, value], `z ${text(value)} m`);
  }

  /** The scale figure: a surveyor's staff in bands of 10 cm at the far corner of the floor. */
  rod() {
    const { context, camera, extent, motion: { ground }, color } = this;
    const far = (range, axis) => range[Math.abs(camera.eye[axis] - range[0]) > Math.abs(camera.eye[axis] - range[1]) ? 0 : 1];
    const [x, z] = [far(extent.x, 0), far(extent.z, 2)];
    const top = Math.max(1, Math.round((this.bounds.high[1] - ground) / extent.step)) * extent.step;
    const bands = Math.round(top / extent.step * 10);
    const whole = camera.segment([x, ground, z], [x, ground + top, z]);
    const wide = whole ? Math.max(3, 0.03 * extent.step * whole[0].scale) : 3;
    context.beginPath();
    this.line([x, ground, z], [x, ground + top, z]);
    this.stroke(color.soft, wide + 1.6);
    for (let band = 0; band < bands; band++) {
      const [from, to] = [band, band + 1].map((i) => [x, ground + i * extent.step / 10, z]);
      const ends = camera.segment(from, to);
      if (!ends) continue;
      context.beginPath();
      context.moveTo(ends[0].x, ends[0].y);
      context.lineTo(ends[1].x, ends[1].y);
      context.lineCap = "butt";
      context.lineWidth = wide;
      context.strokeStyle = band % 2 ? color.panel : color.soft;
      context.stroke();
    }
    context.fillStyle = color.soft;
    context.font = "600 11px system-ui, sans-serif";
    context.textAlign = "left";
    for (let meter = 1; meter * extent.step <= top; meter++) {
      const at = camera.project([x, ground + meter * extent.step, z]);
      if (at.depth > 0.1) context.fillText(`${meter * extent.step} m`, at.x + 8, at.y + 1);
    }
  }

  /** Bodies pressed flat on the floor: one path, so that overlaps are not darker. */
  shadow(frame) {
    const { context, motion: { ground } } = this;
    context.beginPath();
    for (const solid of this.solids[0]) {
      const points = solid.outline(frame).map((point) => this.camera.project([point[0], ground, point[2]]));
      if (points.some((point) => point.depth < 0.1)) continue;
      hull(points).forEach((point, i) => (i ? context.lineTo(point.x, point.y) : context.moveTo(point.x, point.y)));
      context.closePath();
    }
    context.fillStyle = this.color.shadow;
    context.fill();
  }

  bodies(index, frame) {
    const drawn = this.solids[index].map((solid) => solid.place(frame));
    drawn.forEach((placed) => { placed.depth = dot(sub(placed.center, this.camera.eye), this.camera.away); });
    drawn.filter((placed) => placed.depth > 0.1).sort((a, b) => b.depth - a.depth).forEach((placed) => placed.paint(this));
  }

  skeleton(motion, frame, alpha) {
    const { context, color } = this;
    const links = [], joints = [];
    motion.bones.forEach((bone, index) => {
      const here = motion.position(index, frame);
      joints.push(here);
      if (bone.parent !== null) links.push([motion.position(bone.parent, frame), here]);
      for (const end of bone.ends) links.push([here, motion.point(index, frame, end)]);
    });
    const width = motion.shapes.length && this.shown.bodies ? 1.8 : 3.5;
    context.globalAlpha = alpha;
    context.beginPath();
    for (const [a, b] of links) this.line(a, b);
    this.stroke(color.motion, width);
    context.fillStyle = color.motion;
    context.beginPath();
    for (const joint of joints) {
      const { x, y, depth, scale } = this.camera.project(joint);
      const radius = Math.max(1.6, Math.min(4, 0.012 * scale));
      if (depth > 0.1) { context.moveTo(x + radius, y); context.arc(x, y, radius, 0, 2 * Math.PI); }
    }
    context.fill();
    context.globalAlpha = 1;
  }

  polyline(points, color, width, dash) {
    this.context.beginPath();
    for (let i = 1; i < points.length; i++) if (points[i - 1] && points[i]) this.line(points[i - 1], points[i]);
    this.stroke(color, width, dash);
  }

  /** Thin over the whole clip, thick one second around now. */
  massCenterPath(frame) {
    const { motion, context, color } = this;
    const at = (first, last) => Array.from({ length: last - first + 1 }, (_, i) => motion.at(motion.massCenter, first + i));
    context.globalAlpha = 0.45;
    this.polyline(at(0, motion.frames - 1), color.path, 1.5);
    context.globalAlpha = 1;
    const reach = Math.round(0.5 / motion.step);
    this.polyline(at(Math.max(0, frame - reach), Math.min(motion.frames - 1, frame + reach)), color.path, 3);
  }

  massCenterDot(frame) {
    const center = this.motion.at(this.motion.massCenter, frame);
    if (center) this.disc(center, 6, this.color.path, true);
  }

  disc(point, radius, color, filled, width = 2) {
    const { context } = this;
    const { x, y, depth } = this.camera.project(point);
    if (depth < 0.1) return;
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    context.fillStyle = filled ? color : this.color.panel;
    context.fill();
    context.strokeStyle = filled ? this.color.panel : color;
    context.lineWidth = filled ? 1.5 : width;
    context.stroke();
  }

  ballistic(frame) {
    const { motion, color } = this;
    for (const { span: [first, last], path } of motion.flights) {
      this.polyline(path, color.asked, 2.2, [7, 5]);
      const every = Math.max(1, Math.ceil(path.length / 40));
      path.forEach((point, i) => { if (i % every === 0) this.disc(point, 2.6, color.asked, false, 1.5); });
      if (first <= frame && frame <= last && path[frame - first]) this.disc(path[frame - first], 6, color.asked, false, 2.4);
    }
  }

  groundProjection(frame) {
    const { motion, color, context } = this;
    const center = motion.at(motion.massCenter, frame);
    if (!center) return;
    const foot = [center[0], motion.ground, center[2]];
    this.polyline([center, foot], color.path, 1.4);
    context.beginPath();
    this.ring(foot, [0, 1, 0], 0.05, 0, 2 * Math.PI);
    this.stroke(color.path, 2.2);
  }

  /** An arc around an axis, in the right-hand sense; returns its last two points. */
  ring(center, axis, radius, from, to) {
    const normal = unitOf(axis);
    const u = unitOf(cross(normal, Math.abs(normal[1]) < 0.9 ? [0, 1, 0] : [1, 0, 0])), v = cross(normal, u);
    let before = null, now = null;
    for (let i = 0; i <= 32; i++) {
      const angle = from + (to - from) * i / 32;
      before = now;
      now = add(center, add(scaled(u, radius * Math.cos(angle)), scaled(v, radius * Math.sin(angle))));
      if (before) this.line(before, now);
    }
    return [before, now];
  }

  /** Hatched on the floor before the bodies are painted, its outline once more over them. */
  supportPolygon(frame, hatched) {
    const { motion, context, color } = this;
    const corners = motion.polygons[frame] ?? [];
    if (corners.length < 2) return;
    const points = [];
    for (let i = 0; i < corners.length; i += 2) points.push(this.camera.project([corners[i] * 1e-4, motion.ground, corners[i + 1] * 1e-4]));
    if (points.some((point) => point.depth < 0.1)) return;
    context.beginPath();
    points.forEach((point, i) => (i ? context.lineTo(point.x, point.y) : context.moveTo(point.x, point.y)));
    context.closePath();
    context.fillStyle = this.hatch;
    context.globalAlpha = 0.7;
    if (hatched) context.fill();
    this.stroke(color.support, hatched ? 2 : 1.6);
    context.globalAlpha = 1;
  }

  /** Short ticks into the floor under the touching points of a bone. */
  contactTicks(frame) {
    const { motion, context, color } = this;
    context.beginPath();
    for (const [bone] of motion.contacts) {
      if (!motion.touches(bone, frame)) continue;
      const own = motion.contact_points.filter(([owner]) => owner === bone)
        .map(([, position, radius]) => { const point = motion.point(bone, frame, position); return [point[0], point[1] - radius, point[2]]; });
      const points = own.length ? own : [motion.position(bone, frame)];
      const low = Math.min(...points.map((point) => point[1]));
      for (const point of points) if (point[1] < low + 0.03) this.line([point[0], motion.ground, point[2]], [point[0], motion.ground - 0.06, point[2]]);
    }
    this.stroke(color.support, 3);
  }

  zeroMomentPoint(frame) {
    const { motion, context, color } = this;
    const point = motion.at(motion.zmp, frame);
    if (!point) return;
    const { x, y, depth } = this.camera.project(point);
    if (depth < 0.1) return;
    const outside = motion.margin[frame] < 0, size = outside ? 10 : 8;
    context.beginPath();
    context.moveTo(x, y - size); context.lineTo(x + size, y); context.lineTo(x, y + size); context.lineTo(x - size, y);
    context.closePath();
    context.fillStyle = color.zmp;
    context.fill();
    this.stroke(outside ? color.outside : color.panel, outside ? 3 : 1.2);
    if (outside) warning(context, x + 20, y - 12, 15, color.outside, color.panel);
  }

  /** A dotted box where something the clip does not show must carry the body. */
  unseenSupport(frame) {
    const { motion, context, color } = this;
    if (!motion.unseen.some(([first, last]) => first <= frame && frame <= last)) return;
    const { low, high } = motion.bounds(frame, frame);
    const lowest = Math.min(...motion.bones.map((_, bone) => motion.position(bone, frame)[1]));
    const center = motion.at(motion.massCenter, frame) ?? motion.position(0, frame);
    const top = lowest - motion.ground > 0.2 ? lowest : Math.max(motion.ground + 0.1, center[1] - 0.15);
    const half = 0.3, x = [center[0] - half, center[0] + half], z = [center[2] - half, center[2] + half], y = [motion.ground, top];
    x[0] = Math.max(x[0], low[0] - half); x[1] = Math.min(x[1], high[0] + half);
    context.beginPath();
    for (const a of [0, 1]) for (const b of [0, 1]) {
      this.line([x[0], y[a], z[b]], [x[1], y[a], z[b]]);
      this.line([x[a], y[0], z[b]], [x[a], y[1], z[b]]);
      this.line([x[a], y[b], z[0]], [x[a], y[b], z[1]]);
    }
    this.stroke(color.unseen, 2, [2, 4]);
  }

  /** Round numbers of momentum per meter of arrow, so that the longest is about 0.7 m. */
  arrowScales() {
    const largest = (series) => {
      let most = 0;
      for (let frame = 0; frame < this.motion.frames; frame++) { const v = this.motion.at(series, frame); if (v) most = Math.max(most, length(v)); }
      return most;
    };
    const round = (value) => { const ten = 10 ** Math.floor(Math.log10(value || 1)); return [1, 2, 5, 10].find((step) => step * ten >= value * 0.999) * ten; };
    return { linear: round(largest(this.motion.linear) / 0.8), angular: round(largest(this.motion.angular) / 0.8) };
  }

  linearMomentum(frame) {
    const { motion } = this;
    const [center, momentum] = [motion.at(motion.massCenter, frame), motion.at(motion.linear, frame)];
    if (center && momentum) this.arrow(center, add(center, scaled(momentum, 1 / this.scales.linear)), this.color.linear);
  }

  /** The arrow along the axis and, around its foot, an arc that turns as the body does: the right-hand rule drawn. */
  angularMomentum(frame) {
    const { motion, context, color } = this;
    const [center, momentum] = [motion.at(motion.massCenter, frame), motion.at(motion.angular, frame)];
    if (!center || !momentum || length(momentum) < this.scales.angular * 0.02) return;
    this.arrow(center, add(center, scaled(momentum, 1 / this.scales.angular)), color.angular);
    context.beginPath();
    const [before, tip] = this.ring(center, momentum, 0.12, 0, 1.55 * Math.PI);
    this.stroke(color.angular, 2);
    this.head(before, tip, color.angular, 9);
  }

  arrow(from, to, color) {
    const ends = this.camera.segment(from, to);
    if (!ends || Math.hypot(ends[1].x - ends[0].x, ends[1].y - ends[0].y) < 3) return;
    this.context.beginPath();
    this.line(from, to);
    this.stroke(color, 3);
    this.head(from, to, color, 13);
  }

  /** A filled head at `to`, seen along from → to. */
  head(from, to, color, size) {
    const ends = this.camera.segment(from, to);
    if (!ends) return;
    const [a, b] = ends, angle = Math.atan2(b.y - a.y, b.x - a.x), { context } = this;
    const corner = (turn, reach) => [b.x + reach * Math.cos(angle + turn), b.y + reach * Math.sin(angle + turn)];
    context.beginPath();
    context.moveTo(...corner(0, size * 0.45));
    context.lineTo(...corner(2.65, size * 0.75));
    context.lineTo(...corner(-2.65, size * 0.75));
    context.closePath();
    context.fillStyle = color;
    context.fill();
  }
}

/** A warning triangle with its mark, `size` pixels wide. */
function warning(context, x, y, size, color, ground) {
  context.beginPath();
  context.moveTo(x, y - size * 0.5);
  context.lineTo(x + size * 0.58, y + size * 0.5);
  context.lineTo(x - size * 0.58, y + size * 0.5);
  context.closePath();
  context.fillStyle = color;
  context.fill();
  context.fillStyle = ground;
  context.fillRect(x - size * 0.06, y - size * 0.16, size * 0.12, size * 0.34);
  context.fillRect(x - size * 0.06, y + size * 0.27, size * 0.12, size * 0.12);
}

function mixed(from, to, share) {
  const part = (color, at) => parseInt(color.slice(1 + 2 * at, 3 + 2 * at), 16);
  const mix = [0, 1, 2].map((at) => Math.round(part(from, at) + (part(to, at) - part(from, at)) * share));
  return `rgb(${mix.join(",")})`;
}

/** The convex hull of points of the picture, always turning the same way. */
function hull(points) {
  const sorted = [...points].sort((a, b) => a.x - b.x || a.y - b.y);
  const half = (list) => {
    const chain = [];
    for (const point of list) {
      while (chain.length > 1) {
        const [a, b] = chain.slice(-2);
        if ((b.x - a.x) * (point.y - a.y) - (b.y - a.y) * (point.x - a.x) > 0) break;
        chain.pop();
      }
      chain.push(point);
    }
    return chain.slice(0, -1);
  };
  return [...half(sorted), ...half(sorted.reverse())];
}
