// Solids of bodies: where they stand in a frame, and how they are painted. Light comes from above the left shoulder.

class Solid {
  constructor(motion, shape) {
    this.motion = motion;
    this.shape = shape;
    this.faces = shape.kind === "box" ? boxFaces(shape.size) : shape.kind === "cylinder" ? cylinderFaces(shape.size) : null;
  }

  /** Center and axes in the world. */
  stance(frame) {
    const { bone, position, rotation } = this.shape;
    const turn = product(this.motion.rotation(bone, frame), rotation);
    const axes = [[1, 0, 0], [0, 1, 0], [0, 0, 1]].map((axis) => turned(turn, axis));
    return { center: this.motion.point(bone, frame, position), axes };
  }

  place(frame) {
    const { center, axes } = this.stance(frame);
    const { kind, size } = this.shape;
    const paint = {
      capsule: (scene) => paintCapsule(scene, add(center, scaled(axes[1], -size[1])), add(center, scaled(axes[1], size[1])), size[0]),
      sphere: (scene) => paintEllipsoid(scene, center, axes, size),
      ellipsoid: (scene) => paintEllipsoid(scene, center, axes, size),
      box: (scene) => paintFaces(scene, center, axes, this.faces),
      cylinder: (scene) => paintFaces(scene, center, axes, this.faces),
    }[kind];
    return { center, paint };
  }

  /** Points around the solid, enough for its shadow. */
  outline(frame) {
    const { center, axes } = this.stance(frame);
    const { kind, size } = this.shape;
    if (this.faces) return this.faces.flat().map((corner) => worldOf(center, axes, corner));
    const middles = kind === "capsule" ? [-size[1], size[1]].map((y) => add(center, scaled(axes[1], y))) : [center];
    const reach = kind === "ellipsoid" ? [0, 2].map((k) => Math.hypot(...axes.map((axis, i) => axis[k] * size[i]))) : [size[0], size[0]];
    return middles.flatMap((middle) => Array.from({ length: 16 }, (_, i) => {
      const angle = (i * Math.PI) / 8;
      return add(middle, [reach[0] * Math.cos(angle), 0, reach[1] * Math.sin(angle)]);
    }));
  }
}

const worldOf = (center, axes, [x, y, z]) => add(center, add(scaled(axes[0], x), add(scaled(axes[1], y), scaled(axes[2], z))));

/** Two circles and their common tangents, shaded across. */
function paintCapsule(scene, a, b, radius) {
  const { context, camera } = scene;
  const [pa, pb] = [camera.project(a), camera.project(b)];
  const [ra, rb] = [radius * pa.scale, radius * pb.scale];
  const [dx, dy] = [pb.x - pa.x, pb.y - pa.y], far = Math.hypot(dx, dy);
  if (far <= Math.abs(ra - rb) + 0.01) return paintBall(scene, ra > rb ? pa : pb, Math.max(ra, rb));
  const along = Math.atan2(dy, dx), open = Math.acos((ra - rb) / far);
  context.beginPath();
  context.arc(pa.x, pa.y, ra, along + open, along - open + 2 * Math.PI);
  context.arc(pb.x, pb.y, rb, along - open, along + open);
  context.closePath();
  const [nx, ny] = [-dy / far, dx / far];
  const light = nx * -0.5 + ny * -0.85 > 0 ? 1 : -1, reach = Math.max(ra, rb) * light;
  const [mx, my] = [(pa.x + pb.x) / 2, (pa.y + pb.y) / 2];
  shade(scene, context.createLinearGradient(mx + nx * reach, my + ny * reach, mx - nx * reach, my - ny * reach));
}

function paintBall(scene, { x, y }, radius) {
  scene.context.beginPath();
  scene.context.arc(x, y, radius, 0, 2 * Math.PI);
  shade(scene, scene.context.createRadialGradient(x - radius * 0.35, y - radius * 0.45, radius * 0.1, x, y, radius * 1.05));
}

/** The ellipse an ellipsoid projects to: the sum of its projected axes' outer products. */
function paintEllipsoid(scene, center, axes, size) {
  const { context, camera } = scene;
  const { x, y, scale } = camera.project(center);
  let [xx, xy, yy] = [0, 0, 0];
  axes.forEach((axis, i) => {
    const [u, v] = [dot(axis, camera.right) * size[i] * scale, -dot(axis, camera.up) * size[i] * scale];
    xx += u * u; xy += u * v; yy += v * v;
  });
  const mean = (xx + yy) / 2, spread = Math.hypot((xx - yy) / 2, xy);
  const [long, short] = [Math.sqrt(mean + spread), Math.sqrt(Math.max(mean - spread, 0))];
  context.beginPath();
  context.ellipse(x, y, long, short, 0.5 * Math.atan2(2 * xy, xx - yy), 0, 2 * Math.PI);
  shade(scene, context.createRadialGradient(x - long * 0.3, y - long * 0.4, long * 0.1, x, y, long * 1.1));
}

function shade(scene, gradient) {
  const { context } = scene;
  gradient.addColorStop(0, scene.tint(0.95));
  gradient.addColorStop(0.35, scene.tint(0.8));
  gradient.addColorStop(1, scene.tint(0.1));
  context.fillStyle = gradient;
  context.fill();
  outline(scene);
}

function outline({ context, color }) {
  context.strokeStyle = color.motion;
  context.lineWidth = 1.1;
  context.stroke();
}

/** The faces of a convex solid that look at the eye, each lit as a plane. */
function paintFaces(scene, center, axes, faces) {
  const { context, camera } = scene;
  const light = unitOf(add(scaled(camera.up, 0.85), add(scaled(camera.right, -0.5), scaled(camera.away, -0.4))));
  for (const face of faces) {
    const corners = face.map((corner) => worldOf(center, axes, corner));
    const normal = unitOf(cross(sub(corners[1], corners[0]), sub(corners[2], corners[1])));
    if (dot(normal, sub(corners[0], camera.eye)) >= 0) continue;
    context.beginPath();
    corners.map((corner) => camera.project(corner)).forEach(({ x, y }, i) => (i ? context.lineTo(x, y) : context.moveTo(x, y)));
    context.closePath();
    context.fillStyle = scene.tint(0.5 + 0.45 * dot(normal, light));
    context.fill();
    outline(scene);
  }
}

/** Six faces, counter-clockwise from outside. */
function boxFaces([x, y, z]) {
  const corners = (list) => list.map((signs) => [signs[0] * x, signs[1] * y, signs[2] * z]);
  return [
    corners([[1, -1, -1], [1, 1, -1], [1, 1, 1], [1, -1, 1]]), corners([[-1, -1, 1], [-1, 1, 1], [-1, 1, -1], [-1, -1, -1]]),
    corners([[-1, 1, -1], [-1, 1, 1], [1, 1, 1], [1, 1, -1]]), corners([[-1, -1, 1], [-1, -1, -1], [1, -1, -1], [1, -1, 1]]),
    corners([[-1, -1, 1], [1, -1, 1], [1, 1, 1], [-1, 1, 1]]), corners([[1, -1, -1], [-1, -1, -1], [-1, 1, -1], [1, 1, -1]]),
  ];
}

function cylinderFaces([radius, half]) {
  const around = Array.from({ length: 16 }, (_, i) => [radius * Math.cos((i * Math.PI) / 8), radius * Math.sin((i * Math.PI) / 8)]);
  const sides = around.map(([x, z], i) => {
    const [u, w] = around[(i + 1) % 16];
    return [[x, -half, z], [x, half, z], [u, half, w], [u, -half, w]];
  });
  return [...sides, around.map(([x, z]) => [x, half, z]).reverse(), around.map(([x, z]) => [x, -half, z])];
}
