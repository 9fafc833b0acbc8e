//! Tests of frames, films and plates, on recordings made by hand.

use muybridge::glam::{DQuat, DVec3};
use muybridge::simulation::recording::Drawn;

use super::*;
use crate::film::sample;

/// Writes a picture to the folder that `MUYBRIDGE_PICTURES` names, if set.
fn keep(name: &str, bytes: &[u8]) {
    if let Some(folder) = std::env::var_os("MUYBRIDGE_PICTURES") {
        std::fs::write(std::path::Path::new(&folder).join(name), bytes).unwrap();
    }
}

/// Pixels in which two pictures differ.
fn differing(a: &Canvas, b: &Canvas) -> Vec<(f64, f64)> {
    let pixels = (0..a.height()).flat_map(|y| (0..a.width()).map(move |x| (x, y)));
    pixels
        .filter(|&(x, y)| a.pixel(x, y) != b.pixel(x, y))
        .map(|(x, y)| (f64::from(x) + 0.5, f64::from(y) + 0.5))
        .collect()
}

#[test]
fn a_ball_is_a_disc_where_the_camera_projects_it_in_every_frame() {
    let mut with = sample::ball();
    with.tracks.truncate(1);
    with.ground = None;
    let look = FilmStyle { show_measures: false, ..FilmStyle::default() };
    let studio = FilmRenderer::new(&with, &look).unwrap();
    let camera = studio.framing.camera;
    let without = Recording { tracks: Vec::new(), ..with.clone() };
    let empty = FilmRenderer::new(&without, &FilmStyle { camera: Some(camera), ..look }).unwrap().draw(0).unwrap();
    let lens = camera.lens((640, 360), (320.0, 180.0));
    let Drawn::Body { poses, .. } = &with.tracks[0].drawn else { unreachable!() };
    for frame in [0, 13, 40, 79] {
        let disc = differing(&empty, &studio.draw(frame).unwrap());
        let count = disc.len() as f64;
        let (x, y) = disc.iter().fold((0.0, 0.0), |(x, y), pixel| (x + pixel.0 / count, y + pixel.1 / count));
        let center = lens.pixel(poses[frame].0).unwrap();
        assert!((x - center.0).abs() < 0.6 && (y - center.1).abs() < 0.6, "{frame}: {x} {y} {center:?}");
        let radius = 0.12 * lens.focal / lens.see(poses[frame].0).z;
        // Every pixel that the disc touches counts: half a pixel more all around.
        let area = std::f64::consts::PI * (radius + 0.5) * (radius + 0.5);
        assert!((count / area - 1.0).abs() < 0.12, "{frame}: {count} {area}");
    }
}

#[test]
fn frames_of_every_kind_of_run_show_more_than_their_obstacles() {
    let light = FilmStyle::default();
    let runs = [
        (sample::jump(), 78),
        (sample::ball(), 45),
        (sample::sheet(32), 12),
        (sample::rope(), 8),
        (sample::crowd(8), 1),
    ];
    for (recording, frame) in runs {
        for (look, word) in [(light, "light"), (FilmStyle { dark: true, ..light }, "dark")] {
            let studio = FilmRenderer::new(&recording, &look).unwrap();
            let (here, elsewhere) = (studio.draw(frame).unwrap(), studio.draw(0).unwrap());
            keep(&format!("film_{}_{word}.png", recording.name), &here.png().unwrap());
            let moved = differing(&here, &elsewhere).into_iter().filter(|&(_, y)| y < 300.0).count();
            assert!(moved > 60, "{} {word}: {moved} pixels change from frame 0 to {frame}", recording.name);
        }
    }
}

#[test]
fn a_film_keeps_time_and_its_bytes_do_not_depend_on_the_threads() {
    let recording = sample::ball();
    let look = FilmStyle { width: 160, height: 96, ..FilmStyle::default() };
    let film = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut told = Vec::new();
        let bytes = pool.install(|| gif(&recording, &look, 30.0, &mut |done, of| told.push((done, of)))).unwrap();
        (bytes, told)
    };
    let (one, told) = film(1);
    assert_eq!(one, film(3).0);
    keep("film_ball.gif", &one);
    let mut decoder = ::gif::DecodeOptions::new().read_info(&one[..]).unwrap();
    assert_eq!((decoder.width(), decoder.height()), (160, 96));
    let (mut frames, mut hundredths) = (0, 0);
    while let Some(frame) = decoder.read_next_frame().unwrap() {
        (frames, hundredths) = (frames + 1, hundredths + u32::from(frame.delay));
    }
    // 0.79 s at 30 frames per second: 24 frames, the last at 23/30 s.
    assert_eq!((frames, hundredths, told.last()), (24, 80, Some(&(24, 24))));
    assert_eq!(decoder.repeat(), ::gif::Repeat::Infinite);
}

#[test]
fn a_film_shows_the_frames_that_are_drawn() {
    let recording = sample::ball();
    let look = FilmStyle { width: 200, height: 120, ..FilmStyle::default() };
    let film = gif(&recording, &look, 20.0, &mut |_, _| ()).unwrap();
    let mut options = ::gif::DecodeOptions::new();
    options.set_color_output(::gif::ColorOutput::RGBA);
    let mut decoder = options.read_info(&film[..]).unwrap();
    let mut shown = vec![0_u8; 200 * 120 * 4];
    for index in 0..9 {
        let frame = decoder.read_next_frame().unwrap().unwrap();
        for (at, pixel) in frame.buffer.chunks_exact(4).enumerate().filter(|(_, pixel)| pixel[3] > 0) {
            let (x, y) = (at % usize::from(frame.width), at / usize::from(frame.width));
            let to = 4 * ((y + usize::from(frame.top)) * 200 + x + usize::from(frame.left));
            shown[to..to + 4].copy_from_slice(pixel);
        }
        let drawn = FilmRenderer::new(&recording, &look).unwrap().draw(5 * index).unwrap().rgb();
        let apart = drawn.chunks_exact(3).zip(shown.chunks_exact(4)).map(|(drawn, shown)| {
            (0..3).map(|channel| u32::from(drawn[channel].abs_diff(shown[channel]))).max().unwrap_or(0)
        });
        let mean = apart.clone().sum::<u32>() as f64 / (200.0 * 120.0);
        assert!(mean < 3.0 && apart.max().unwrap() < 48, "frame {index}: {mean}");
    }
}

#[test]
fn a_plate_shows_exposures_panel_and_charts() {
    for recording in [sample::jump(), sample::ball(), sample::sheet(24)] {
        let bytes = plate(&recording, &FilmStyle::default()).unwrap();
        keep(&format!("film_plate_{}.png", recording.name), &bytes);
        assert_eq!(bytes, plate(&recording, &FilmStyle::default()).unwrap(), "the same bytes");
        let side = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
        assert_eq!(side(16), 2400);
        assert!((1500..3000).contains(&side(20)), "{} pixels high", side(20));
    }
}

#[test]
fn what_cannot_be_drawn_is_said_and_numbers_that_are_none_are_left_out() {
    let recording = sample::ball();
    let look = FilmStyle::default();
    let said = |result: Result<Vec<u8>, FilmError>| result.unwrap_err().to_string();
    assert!(said(png(&recording, 80, &look)).contains("the run has no frame 80; it has 80 frames"));
    assert!(said(png(&recording, 0, &FilmStyle { width: 3, ..look })).contains("3 × 360"));
    assert!(said(gif(&recording, &look, 0.0, &mut |_, _| ())).contains("cannot have 0 frames per second"));
    assert!(said(plate(&Recording { frame_time: f64::NAN, ..recording.clone() }, &look)).contains("NaN s"));
    assert!(said(png(&Recording { frames: 0, ..recording.clone() }, 0, &look)).contains("0 frames"));
    let mut broken = recording.clone();
    let Drawn::Body { poses, .. } = &mut broken.tracks[0].drawn else { unreachable!() };
    poses[4] = (DVec3::NAN, DQuat::from_xyzw(f64::INFINITY, 0.0, 0.0, 0.0));
    poses[5].0.y = 1e300;
    for frame in [3, 4, 5] {
        png(&broken, frame, &look).unwrap();
    }
    plate(&Recording { tracks: Vec::new(), measures: Vec::new(), ..recording }, &look).unwrap();
}
