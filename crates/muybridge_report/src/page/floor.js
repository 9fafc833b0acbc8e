// The floor: a grid of 1 m with ticks of 10 cm, meters along its edges, and a staff as the scale figure. Needs `motion`, the
// `bounds` of what happens on it, and their `extent` in whole meters.

class Floor extends Picture {
  /** Whole meters around the motion, and how far apart the lines are: 1 m, 10 m on a field. */
  floorExtent() {
    const { low, high } = this.bounds;
    const widest = Math.max(high[0] - low[0], high[2] - low[2]);
    const step = widest > 60 ? 10 ** Math.floor(Math.log10(widest / 3)) : 1;
    const outer = (value, round) => round(value / step + (round === Math.floor ? -0.1 : 0.1)) * step;
    return { x: [outer(low[0], Math.floor), outer(high[0], Math.ceil)], z: [outer(low[2], Math.floor), outer(high[2], Math.ceil)], step };
  }

  floor() {
    const { context, extent: { x, z, step }, motion: { ground, terrain }, color } = this;
    const steps = (range, by) => Array.from({ length: Math.round((range[1] - range[0]) / by) + 1 }, (_, i) => range[0] + i * by);
    if (terrain.length) {
      context.beginPath();
      for (const [ax, ay, az, bx, by, bz, cx, cy, cz] of terrain) {
        const [a, b, c] = [[ax, ay, az], [bx, by, bz], [cx, cy, cz]];
        for (const [from, to] of [[a, b], [b, c], [c, a]]) this.line(from, to);
      }
      this.stroke(color.grid, 1);
      this.floorNumbers(steps(x, step), steps(z, step));
      return;
    }
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
}
