// The 3D view. Positions are relative to the eye; colors are as on the screen (gamma), shading is done in light.

struct Scene {
    clip_from_eye: mat4x4<f32>,
    light_from_eye: mat4x4<f32>,
    // Where the eye is within its 10 m of the grid (x, z), height of the floor below it, 1 if there is a floor.
    grid: vec4<f32>,
    // Width and height in pixels, pixels per point, 1 if there are shadows.
    screen: vec4<f32>,
    // Unit vector to the sun; metres of a pixel of the shadow map.
    sun: vec4<f32>,
    // Unit vector from eye to target; 1 if rays are parallel.
    toward: vec4<f32>,
    backdrop_top: vec4<f32>,
    backdrop_foot: vec4<f32>,
    floor: vec4<f32>,
    grid_fine: vec4<f32>,
    grid_bold: vec4<f32>,
    // Height of the view at the target, metres.
    reach: vec4<f32>,
}

@group(0) @binding(0) var<uniform> scene: Scene;
@group(1) @binding(0) var shadow_map: texture_depth_2d;
@group(1) @binding(1) var shadow_sampler: sampler_comparison;

fn light_of(gamma: vec3<f32>) -> vec3<f32> {
    return pow(gamma, vec3<f32>(2.2));
}

fn gamma_of(light: vec3<f32>) -> vec3<f32> {
    return pow(clamp(light, vec3<f32>(0.0), vec3<f32>(1.0)), vec3<f32>(1.0 / 2.2));
}

// Share of the sun that reaches a point, softened over a few pixels of the map.
fn sunlight(position: vec3<f32>, normal: vec3<f32>) -> f32 {
    let shifted = position + normal * scene.sun.w * 2.0;
    let place = scene.light_from_eye * vec4<f32>(shifted, 1.0);
    let uv = vec2<f32>(0.5 + 0.5 * place.x, 0.5 - 0.5 * place.y);
    let texel = 1.0 / vec2<f32>(textureDimensions(shadow_map));
    var sum = 0.0;
    for (var x = -1; x <= 1; x++) {
        for (var y = -1; y <= 1; y++) {
            let at = uv + vec2<f32>(f32(x), f32(y)) * 1.3 * texel;
            sum += textureSampleCompareLevel(shadow_map, shadow_sampler, at, place.z - 0.0008);
        }
    }
    let inside = all(uv > vec2<f32>(0.0)) && all(uv < vec2<f32>(1.0)) && place.z < 1.0;
    return select(1.0, sum / 9.0, inside && scene.screen.w > 0.5);
}

fn view_of(position: vec3<f32>) -> vec3<f32> {
    return select(normalize(-position), -scene.toward.xyz, scene.toward.w > 0.5);
}

fn shaded(color: vec4<f32>, position: vec3<f32>, normal: vec3<f32>) -> vec4<f32> {
    let view = view_of(position);
    let n = normalize(normal);
    let facing = max(dot(n, scene.sun.xyz), 0.0);
    let sun = facing * sunlight(position, n);
    let sky = 0.5 + 0.5 * n.y;
    let fill = max(dot(n, view), 0.0);
    let bright = 0.20 + 0.20 * sky + 0.22 * fill + 0.62 * sun;
    let halfway = normalize(scene.sun.xyz + view);
    let gloss = 0.06 * pow(max(dot(n, halfway), 0.0), 24.0) * sun;
    return vec4<f32>(gamma_of(light_of(color.rgb) * bright + vec3<f32>(gloss)), color.a);
}

// ---- solids

struct Vertex {
    @location(0) position: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) end: f32,
    @location(3) center_stretch: vec4<f32>,
    @location(4) rotation: vec4<f32>,
    @location(5) scale: vec4<f32>,
    @location(6) color: vec4<f32>,
}

struct Lit {
    @builtin(position) clip: vec4<f32>,
    @location(0) position: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) color: vec4<f32>,
}

fn turned(q: vec4<f32>, v: vec3<f32>) -> vec3<f32> {
    let t = 2.0 * cross(q.xyz, v);
    return v + q.w * t + cross(q.xyz, t);
}

fn place(vertex: Vertex) -> vec3<f32> {
    let local = vertex.position * vertex.scale.xyz + vec3<f32>(0.0, vertex.end * vertex.center_stretch.w, 0.0);
    return vertex.center_stretch.xyz + turned(vertex.rotation, local);
}

@vertex
fn solid(vertex: Vertex) -> Lit {
    let position = place(vertex);
    let normal = turned(vertex.rotation, vertex.normal / vertex.scale.xyz);
    return Lit(scene.clip_from_eye * vec4<f32>(position, 1.0), position, normal, vertex.color);
}

@vertex
fn solid_shadow(vertex: Vertex) -> @builtin(position) vec4<f32> {
    return scene.light_from_eye * vec4<f32>(place(vertex), 1.0);
}

@fragment
fn lit(in: Lit) -> @location(0) vec4<f32> {
    return shaded(in.color, in.position, in.normal);
}

// ---- meshes

struct MeshVertex {
    @location(0) position: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) color: vec4<f32>,
}

@vertex
fn mesh(vertex: MeshVertex) -> Lit {
    return Lit(scene.clip_from_eye * vec4<f32>(vertex.position, 1.0), vertex.position, vertex.normal, vertex.color);
}

@vertex
fn mesh_shadow(vertex: MeshVertex) -> @builtin(position) vec4<f32> {
    return scene.light_from_eye * vec4<f32>(vertex.position, 1.0);
}

// Both sides of a mesh are seen.
@fragment
fn lit_both_sides(in: Lit) -> @location(0) vec4<f32> {
    let away = dot(in.normal, view_of(in.position)) < 0.0;
    return shaded(in.color, in.position, select(in.normal, -in.normal, away));
}

// ---- backdrop and floor

struct Flat {
    @builtin(position) clip: vec4<f32>,
    @location(0) place: vec3<f32>,
}

@vertex
fn backdrop(@builtin(vertex_index) index: u32) -> Flat {
    let at = vec2<f32>(f32(index & 1u) * 4.0 - 1.0, f32(index >> 1u) * 4.0 - 1.0);
    return Flat(vec4<f32>(at, 0.0, 1.0), vec3<f32>(at, 0.0));
}

@fragment
fn backdrop_color(in: Flat) -> @location(0) vec4<f32> {
    return mix(scene.backdrop_foot, scene.backdrop_top, clamp(0.5 + 0.5 * in.place.y, 0.0, 1.0));
}

@vertex
fn floor(@builtin(vertex_index) index: u32) -> Flat {
    let corner = array<vec2<f32>, 6>(vec2(-1.0, -1.0), vec2(1.0, -1.0), vec2(1.0, 1.0), vec2(-1.0, -1.0), vec2(1.0, 1.0), vec2(-1.0, 1.0));
    let reach = 60.0 * max(scene.reach.x, 1.0);
    let center = scene.toward.xyz * scene.reach.y;
    let place = vec3<f32>(corner[index].x * reach + center.x, scene.grid.z, corner[index].y * reach + center.z);
    return Flat(scene.clip_from_eye * vec4<f32>(place, 1.0), place);
}

// How much of a pixel lines `period` apart cover; `width` in pixels.
fn lines(place: vec2<f32>, period: f32, width: f32) -> f32 {
    let at = place / period;
    let pixel = max(fwidth(at), vec2<f32>(1e-6));
    let away = abs(fract(at - 0.5) - 0.5) / pixel;
    let drawn = clamp(vec2<f32>(0.5 * width + 0.5) - away, vec2<f32>(0.0), vec2<f32>(1.0));
    // Where lines are closer than a few pixels they fade into gray.
    let room = clamp(vec2<f32>(0.5) / pixel - vec2<f32>(1.5), vec2<f32>(0.0), vec2<f32>(4.0)) / 4.0;
    return max(drawn.x * room.x, drawn.y * room.y);
}

@fragment
fn floor_color(in: Flat) -> @location(0) vec4<f32> {
    let place = in.place.xz + scene.grid.xy;
    let fine = lines(place, 0.1, 1.0) * scene.screen.z;
    let bold = lines(place, 1.0, 1.4 * scene.screen.z);
    let sun = sunlight(in.place, vec3<f32>(0.0, 1.0, 0.0));
    let shadow = mix(0.62, 1.0, sun);
    let middle = scene.toward.xyz * scene.reach.y;
    let away = length(in.place.xz - middle.xz) / max(scene.reach.x, 1.0);
    let fade = 1.0 - smoothstep(2.5, 14.0, away);
    var color = scene.floor.rgb * shadow;
    color = mix(color, scene.grid_fine.rgb * shadow, min(fine, 1.0) * 0.55);
    color = mix(color, scene.grid_bold.rgb * shadow, bold);
    // Seen from below the floor is thin.
    let below = select(0.93, 0.25, (scene.grid.z > 0.0 && scene.toward.w < 0.5) || (scene.toward.w > 0.5 && scene.toward.y > 0.01));
    return vec4<f32>(color, fade * below);
}

// ---- lines

struct Stroke {
    @builtin(position) clip: vec4<f32>,
    @location(0) color: vec4<f32>,
    // Across the line in pixels, half its width, metres along it, period of dashes.
    @location(1) across: vec4<f32>,
}

@vertex
fn line(
    @builtin(vertex_index) index: u32,
    @location(0) from_width: vec4<f32>,
    @location(1) to_dash: vec4<f32>,
    @location(2) color: vec4<f32>,
    @location(3) along: f32,
) -> Stroke {
    var a = scene.clip_from_eye * vec4<f32>(from_width.xyz, 1.0);
    var b = scene.clip_from_eye * vec4<f32>(to_dash.xyz, 1.0);
    // What is behind the eye is cut off.
    let near = 0.002;
    var cut = vec2<f32>(0.0, 1.0);
    if (a.w < near && b.w > near) { cut.x = (near - a.w) / (b.w - a.w); }
    if (b.w < near && a.w > near) { cut.y = (near - a.w) / (b.w - a.w); }
    let ends = array<vec4<f32>, 2>(mix(a, b, cut.x), mix(a, b, cut.y));
    let is_end = index == 1u || index == 2u || index == 4u;
    let side = select(-1.0, 1.0, index == 2u || index == 4u || index == 5u);
    let half_screen = 0.5 * scene.screen.xy;
    let pixels = array<vec2<f32>, 2>(ends[0].xy / ends[0].w * half_screen, ends[1].xy / ends[1].w * half_screen);
    let between = pixels[1] - pixels[0];
    let length_px = length(between);
    let direction = select(vec2<f32>(1.0, 0.0), between / length_px, length_px > 1e-4);
    let half_width = 0.5 * from_width.w * scene.screen.z;
    let wide = half_width + 1.0;
    let offset = vec2<f32>(-direction.y, direction.x) * side * wide + direction * select(-0.5, 0.5, is_end);
    var clip = ends[select(0, 1, is_end)];
    clip = vec4<f32>(clip.xy + offset / half_screen * clip.w, clip.z * 1.0015, clip.w);
    let share = select(cut.x, cut.y, is_end);
    let metres = along + share * distance(from_width.xyz, to_dash.xyz);
    return Stroke(clip, color, vec4<f32>(side * wide, half_width, metres, to_dash.w));
}

@fragment
fn line_color(in: Stroke) -> @location(0) vec4<f32> {
    var cover = clamp(in.across.y + 0.5 - abs(in.across.x), 0.0, 1.0);
    if (in.across.w > 0.0) {
        let at = in.across.z / in.across.w;
        let pixel = max(fwidth(at), 1e-6);
        let away = (0.25 - abs(fract(at) - 0.5)) / pixel;
        cover *= clamp(away + 0.5, 0.0, 1.0);
    }
    if (cover <= 0.003) { discard; }
    return vec4<f32>(in.color.rgb, in.color.a * cover);
}

// ---- marks

struct Sign {
    @builtin(position) clip: vec4<f32>,
    @location(0) color: vec4<f32>,
    // Place in pixels from the middle, half the size, which sign.
    @location(1) place: vec4<f32>,
}

@vertex
fn mark(
    @builtin(vertex_index) index: u32,
    @location(0) center_size: vec4<f32>,
    @location(1) color: vec4<f32>,
    @location(2) sign: f32,
) -> Sign {
    let corner = array<vec2<f32>, 6>(vec2(-1.0, -1.0), vec2(1.0, -1.0), vec2(1.0, 1.0), vec2(-1.0, -1.0), vec2(1.0, 1.0), vec2(-1.0, 1.0));
    let half_size = 0.5 * center_size.w * scene.screen.z;
    let place = corner[index] * (half_size + 1.5);
    let center = scene.clip_from_eye * vec4<f32>(center_size.xyz, 1.0);
    let clip = vec4<f32>(center.xy + place / (0.5 * scene.screen.xy) * center.w, center.z * 1.003, center.w);
    return Sign(clip, color, vec4<f32>(place, half_size, sign));
}

@fragment
fn mark_color(in: Sign) -> @location(0) vec4<f32> {
    let p = in.place.xy;
    let r = in.place.z;
    let pixel = scene.screen.z;
    var away = length(p) - r;
    if (in.place.w > 0.5) { away = abs(length(p) - r + pixel) - pixel; }
    if (in.place.w > 1.5) { away = (abs(p.x) + abs(p.y) - r) * 0.7071; }
    if (in.place.w > 2.5) {
        away = max(-p.y - 0.5 * r, max(0.866 * p.x + 0.5 * p.y - 0.5 * r, -0.866 * p.x + 0.5 * p.y - 0.5 * r));
    }
    if (in.place.w > 3.5) { away = max(abs(p.x), abs(p.y)) - 0.8 * r; }
    let cover = clamp(0.5 - away, 0.0, 1.0);
    if (cover <= 0.003) { discard; }
    return vec4<f32>(in.color.rgb, in.color.a * cover);
}
