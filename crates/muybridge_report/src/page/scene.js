// The 3D view: a painter's renderer on a 2D canvas. Floor first, then solids from far to near, then what must be seen
// through them.

class Scene extends Overlays {
  constructor(canvas, motions, shown) {
    super(canvas);
    this.motions = motions;
    this.motion = motions[0];
    this.shown = shown;
    this.bounds = this.motion.bounds();
    this.extent = this.floorExtent();
    this.scales = this.arrowScales();
    this.solids = motions.map((motion) => motion.shapes.map((shape) => new Solid(motion, shape)));
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
    this.rod();
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

}
