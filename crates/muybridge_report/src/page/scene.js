// The 3D view: a painter's renderer on a 2D canvas. Floor first, then solids from far to near, then what must be seen
// through them.

class Scene extends Overlays {
  constructor(canvas, motions, shown, pairing) {
    super(canvas);
    this.motions = motions;
    this.motion = motions[0];
    this.shown = shown;
    this.pairing = pairing;
    this.scales = this.arrowScales();
    this.solids = motions.map((motion) => motion.shapes.map((shape) => new Solid(motion, shape)));
    this.arrange();
  }

  /** Room for what is shown: both motions, the original a step aside where they stand side by side. */
  arrange() {
    const { motions: [corrected, original], pairing } = this;
    this.bounds = corrected.bounds();
    this.aside = [0, 0, 0];
    if (pairing && pairing.show !== "corrected") {
      const other = original.bounds();
      if (pairing.show === "side") {
        this.aside = this.besides(other);
      }
      this.bounds = { low: this.bounds.low.map((value, axis) => Math.min(value, other.low[axis] + this.aside[axis])),
        high: this.bounds.high.map((value, axis) => Math.max(value, other.high[axis] + this.aside[axis])) };
    }
    this.extent = this.floorExtent();
  }

  /** The way that puts `other` clear of the corrected motion: behind it, or across where they travel far. */
  besides(other) {
    const { low, high } = this.bounds, [x, , z] = this.motions[0].heading();
    const reach = (way) => Math.max(1, [0, 2].reduce((sum, axis) => sum + Math.abs(way[axis]) * Math.max(high[axis] - other.low[axis], other.high[axis] - low[axis]), 0));
    const behind = [-x, 0, -z], across = [z, 0, -x];
    return reach(behind) < 4 ? scaled(behind, reach(behind)) : scaled(across, reach(across));
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
    const { camera, context } = this;
    const parts = this.cast(frame), solid = parts.filter((part) => !part.ghost);
    this.background();
    const below = camera.eye[1] < this.motions[0].ground;
    if (!below) this.floor();
    for (const part of solid) this.playing(part, () => this.under(part, below));
    this.rod();
    for (const part of parts) this.playing(part, () => (part.ghost ? this.ghost(part) : this.figure(part)));
    if (below) { context.globalAlpha = 0.5; this.floor(); context.globalAlpha = 1; }
    for (const part of solid) this.playing(part, () => this.over(part));
  }

  /** Who is drawn: the index of a motion, its frame, whether it is only hinted at, and how far it is put aside. */
  cast(frame) {
    const corrected = { index: 0, frame }, { pairing } = this;
    if (!pairing || pairing.show === "corrected") return [corrected];
    const original = { index: 1, frame: pairing.frame(frame) };
    if (pairing.show === "original") return [original];
    if (pairing.show === "over") return [{ ...original, ghost: true }, corrected];
    return [{ ...original, aside: this.aside, name: "original" }, { ...corrected, name: "corrected" }];
  }

  /** Draws with another motion in place of the first, seen from where its place aside is as its own. */
  playing({ index, aside }, draw) {
    const { camera, motion } = this, { eye } = camera;
    this.motion = this.motions[index];
    if (aside) camera.eye = sub(eye, aside);
    draw();
    camera.eye = eye;
    this.motion = motion;
  }

  /** What lies on the floor and behind the bodies. */
  under({ index, frame }, below) {
    const { shown } = this, whole = Math.round(frame);
    if (!below && shown.bodies) this.shadow(index, frame);
    if (shown.polygon) this.supportPolygon(whole, true);
    if (shown.contacts) this.contactTicks(whole);
    if (shown.unseen) this.unseenSupport(whole);
    if (shown.ground) this.groundProjection(frame);
  }

  figure({ index, frame }) {
    const { shown, context } = this;
    if (shown.bodies) {
      context.globalAlpha = shown.skeleton ? 0.86 : 1;
      this.bodies(index, frame);
      context.globalAlpha = 1;
    }
    if (shown.skeleton) this.skeleton(frame, 1);
  }

  /** What must be seen through the bodies. */
  over({ frame, name }) {
    const { shown } = this, whole = Math.round(frame);
    if (shown.polygon) this.supportPolygon(whole, false);
    if (shown.zmp) this.zeroMomentPoint(whole);
    if (shown.ballistic) this.ballistic(whole);
    if (shown.path) this.massCenterPath(frame);
    if (shown.linear) this.linearMomentum(frame);
    if (shown.angular) this.angularMomentum(frame);
    if (shown.path) this.massCenterDot(frame);
    if (name) this.caption(frame, name);
  }

  /** The other motion: bodies as one pale sheet, its path thin, a ring at its center of mass. */
  ghost({ index, frame }) {
    const { shown, context, motion, color, canvas } = this;
    if (shown.bodies) {
      this.sheet ??= document.createElement("canvas");
      [this.sheet.width, this.sheet.height] = [canvas.width, canvas.height];
      this.context = this.sheet.getContext("2d");
      this.context.setTransform(context.getTransform());
      this.bodies(index, frame);
      this.context = context;
      context.save();
      context.resetTransform();
      context.globalAlpha = 0.34;
      context.drawImage(this.sheet, 0, 0);
      context.restore();
    }
    if (shown.skeleton || !motion.shapes.length) this.skeleton(frame, 0.4);
    if (!shown.path) return;
    const centers = Array.from({ length: motion.frames }, (_, k) => motion.at(motion.massCenter, k)), center = motion.at(motion.massCenter, frame);
    context.globalAlpha = 0.6;
    this.polyline(centers, color.path, 1.2);
    if (center) this.disc(center, 4.5, color.path, false, 1.6);
    context.globalAlpha = 1;
  }

  /** The name of a motion under it. */
  caption(frame, name) {
    const { motion, context, camera, color } = this;
    const center = motion.at(motion.massCenter, frame) ?? motion.position(0, frame);
    const { x, y, depth } = camera.project([center[0], motion.ground - 0.12, center[2]]);
    if (depth < 0.1) return;
    context.font = "600 12px system-ui, sans-serif";
    context.textAlign = "center";
    context.fillStyle = color.ink;
    context.fillText(name, x, y + 10);
  }

  /** Bodies pressed flat on the floor: one path, so that overlaps are not darker. */
  shadow(index, frame) {
    const { context, motion } = this;
    context.beginPath();
    for (const solid of this.solids[index]) {
      const points = solid.outline(frame).map((point) => this.camera.project([point[0], motion.under(point), point[2]]));
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

  skeleton(frame, alpha) {
    const { context, color, motion } = this;
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

}
