// The finished picture of the view onto the window.

@group(0) @binding(0) var picture: texture_2d<f32>;

@vertex
fn cover(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
    return vec4<f32>(f32(index & 1u) * 4.0 - 1.0, f32(index >> 1u) * 4.0 - 1.0, 0.0, 1.0);
}

struct Corner {
    // Left and top of the view on the window, pixels.
    at: vec4<f32>,
}

@group(0) @binding(1) var<uniform> corner: Corner;

fn picked(clip: vec4<f32>) -> vec3<f32> {
    let last = vec2<i32>(textureDimensions(picture)) - 1;
    let at = vec2<i32>(floor(clip.xy - corner.at.xy));
    return textureLoad(picture, clamp(at, vec2<i32>(0), last), 0).rgb;
}

@fragment
fn as_it_is(@builtin(position) clip: vec4<f32>) -> @location(0) vec4<f32> {
    return vec4<f32>(picked(clip), 1.0);
}

// For windows that take light and make gamma of it themselves.
@fragment
fn as_light(@builtin(position) clip: vec4<f32>) -> @location(0) vec4<f32> {
    return vec4<f32>(pow(picked(clip), vec3<f32>(2.2)), 1.0);
}
