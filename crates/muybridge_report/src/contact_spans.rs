//! Contact spans of each bone: first and last frame of every contact.

use muybridge::analysis::Analysis;

/// Returns each bone that is ever in contact, with the first and last frame of each of its contacts.
pub fn contact_spans(analysis: &Analysis) -> Vec<(usize, Vec<(usize, usize)>)> {
    let touches = |bone: usize, frame: usize| analysis.per_frame.contacts[frame].binary_search(&bone).is_ok();
    let frames = analysis.per_frame.contacts.len();
    let spans_of = |bone: usize| {
        let mut spans: Vec<(usize, usize)> = Vec::new();
        for frame in (0..frames).filter(|&frame| touches(bone, frame)) {
            match spans.last_mut() {
                Some((_, last)) if *last + 1 == frame => *last = frame,
                _ => spans.push((frame, frame)),
            }
        }
        spans
    };
    let all = (0..analysis.bones.len()).map(|bone| (bone, spans_of(bone)));
    all.filter(|(_, spans)| !spans.is_empty()).collect()
}
