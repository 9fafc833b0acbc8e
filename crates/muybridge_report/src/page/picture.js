// Lines, arcs, arrows and marks of a 3D world on a 2D canvas, in the colors of the theme.

class Picture {
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.camera = new Camera();
  }

  /** Colors of the theme, and the hatch made from them. */
  restyle() {
    const style = getComputedStyle(document.documentElement);
    const names = ["ink", "soft", "line", "faint", "grid", "grid-strong", "motion", "body-light", "body-dark", "path", "asked", "zmp", "support", "linear",
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

  polyline(points, color, width, dash) {
    this.context.beginPath();
    for (let i = 1; i < points.length; i++) if (points[i - 1] && points[i]) this.line(points[i - 1], points[i]);
    this.stroke(color, width, dash);
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

  background() {
    const { context, camera, color } = this;
    const sky = context.createLinearGradient(0, 0, 0, camera.height);
    sky.addColorStop(0, color["sky-top"]);
    sky.addColorStop(1, color["sky-bottom"]);
    context.fillStyle = sky;
    context.fillRect(0, 0, camera.width, camera.height);
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
