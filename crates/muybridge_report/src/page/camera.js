// A camera that orbits a point: perspective of 32 degrees, y up.

class Camera {
  constructor() {
    this.target = [0, 1, 0];
    this.yaw = 0.5;
    this.pitch = 0.2;
    this.distance = 5;
    this.resize(1, 1);
  }

  resize(width, height) {
    this.width = width;
    this.height = height;
    this.focal = Math.min(width * 1.3, height) / (2 * Math.tan((16 * Math.PI) / 180));
    this.update();
  }

  /** Axes of the picture in the world, from the angles. */
  update() {
    const [sy, cy, sp, cp] = [Math.sin(this.yaw), Math.cos(this.yaw), Math.sin(this.pitch), Math.cos(this.pitch)];
    this.away = [-cp * sy, -sp, -cp * cy];
    this.right = [cy, 0, -sy];
    this.up = cross(this.right, this.away);
    this.eye = sub(this.target, scaled(this.away, this.distance));
  }

  /** x and y in pixels, the depth in meters, and pixels per meter there. */
  project(point) {
    const from = sub(point, this.eye);
    const depth = dot(from, this.away);
    const scale = this.focal / Math.max(depth, 0.02);
    return { x: this.width / 2 + dot(from, this.right) * scale, y: this.height / 2 - dot(from, this.up) * scale, depth, scale };
  }

  /** Both ends of a segment, cut at the picture plane; null if all of it is behind. */
  segment(a, b) {
    const depth = (p) => dot(sub(p, this.eye), this.away) - 0.05;
    const [da, db] = [depth(a), depth(b)];
    if (da <= 0 && db <= 0) return null;
    const cut = () => add(a, scaled(sub(b, a), da / (da - db)));
    return [this.project(da > 0 ? a : cut()), this.project(db > 0 ? b : cut())];
  }

  orbit(dx, dy) {
    this.yaw -= dx * 0.008;
    this.pitch = Math.max(-1.55, Math.min(1.55, this.pitch + dy * 0.008));
    this.update();
  }

  pan(dx, dy) {
    const meters = this.distance / this.focal;
    this.target = add(this.target, add(scaled(this.right, -dx * meters), scaled(this.up, dy * meters)));
    this.update();
  }

  zoom(factor) {
    this.distance = Math.max(0.2, Math.min(2000, this.distance * factor));
    this.update();
  }

  /** Looks along (yaw, pitch) from where all of the points are seen. */
  frame(points, yaw, pitch) {
    this.yaw = yaw;
    this.pitch = pitch;
    this.target = scaled(points.reduce(add), 1 / points.length);
    this.update();
    for (let pass = 0; pass < 4; pass++) {
      this.distance = Math.max(0.3, ...points.map((point) => {
        const from = sub(point, this.target);
        const reach = Math.max(Math.abs(dot(from, this.right)) / (0.45 * this.width), Math.abs(dot(from, this.up)) / (0.46 * this.height));
        return reach * this.focal - dot(from, this.away);
      }));
      this.update();
      const ys = points.map((point) => this.project(point).y), xs = points.map((point) => this.project(point).x);
      this.pan(this.width / 2 - (Math.min(...xs) + Math.max(...xs)) / 2, this.height * 0.5 - (Math.min(...ys) + Math.max(...ys)) / 2);
    }
  }
}
