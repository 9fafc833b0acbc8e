// What is shown over the bodies, each in its own color and shape: center of mass, free fall, momenta, zero-moment point,
// support, contacts.

class Overlays extends Floor {
  /** Thin over the clip (of a long one, the 2000 frames around now), thick one second around now. */
  massCenterPath(frame) {
    const { motion, context, color } = this;
    const around = (reach) => {
      const [first, last] = [Math.max(0, frame - reach), Math.min(motion.frames - 1, frame + reach)];
      return Array.from({ length: last - first + 1 }, (_, i) => motion.at(motion.massCenter, first + i));
    };
    context.globalAlpha = 0.45;
    this.polyline(around(motion.frames > 2000 ? 1000 : motion.frames), color.path, 1.5);
    context.globalAlpha = 1;
    this.polyline(around(Math.round(0.5 / motion.step)), color.path, 3);
  }

  massCenterDot(frame) {
    const center = this.motion.at(this.motion.massCenter, frame);
    if (center) this.disc(center, 6, this.color.path, true);
  }

  /** Every flight; circles at the frames of those near now. */
  ballistic(frame) {
    const { motion, color, context } = this;
    for (const { span: [first, last], path } of motion.flights) {
      const near = first - 1.5 / motion.step < frame && frame < last + 1.5 / motion.step;
      context.globalAlpha = near ? 1 : 0.35;
      this.polyline(path, color.asked, near ? 2.2 : 1.4, [7, 5]);
      context.globalAlpha = 1;
      if (!near) continue;
      const every = Math.max(1, Math.ceil(path.length / 40));
      path.forEach((point, i) => { if (i % every === 0) this.disc(point, 2.6, color.asked, false, 1.5); });
      if (first <= frame && frame <= last && path[frame - first]) this.disc(path[frame - first], 6, color.asked, false, 2.4);
    }
  }

  groundProjection(frame) {
    const { motion, color, context } = this;
    const center = motion.at(motion.massCenter, frame);
    if (!center) return;
    const foot = [center[0], motion.under(center), center[2]];
    this.polyline([center, foot], color.path, 1.4);
    context.beginPath();
    this.ring(foot, [0, 1, 0], 0.05, 0, 2 * Math.PI);
    this.stroke(color.path, 2.2);
  }

  /** Hatched on the floor before the bodies are painted, its outline once more over them. */
  supportPolygon(frame, hatched) {
    const { motion, context, color } = this;
    const corners = motion.polygons[frame] ?? [];
    if (corners.length < 2) return;
    const points = [], top = motion.at(motion.massCenter, frame)?.[1] ?? Infinity;
    for (let i = 0; i < corners.length; i += 2) {
      const [x, z] = [corners[i] * 1e-4, corners[i + 1] * 1e-4];
      points.push(this.camera.project([x, motion.under([x, top, z]), z]));
    }
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
      for (const point of points) {
        const ground = motion.under(point);
        if (point[1] < low + 0.03) this.line([point[0], ground, point[2]], [point[0], ground - 0.06, point[2]]);
      }
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
}
