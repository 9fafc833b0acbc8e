//! Runs work on independent blocks, one after the other or, with the feature `parallel`, on all threads.
//! Blocks share nothing and no sum crosses blocks, so the bits do not depend on the threads.

/// Calls `work` once for each of `blocks`, with a scratch value made by `scratch` and reused between blocks.
pub(crate) fn for_each<B: Send, S>(
    blocks: Vec<B>,
    scratch: impl Fn() -> S + Send + Sync,
    work: impl Fn(&mut S, B) + Send + Sync,
) {
    #[cfg(feature = "parallel")]
    if blocks.len() > 1 {
        use rayon::prelude::*;
        blocks.into_par_iter().for_each_init(scratch, work);
        return;
    }
    let mut reused = scratch();
    for block in blocks {
        work(&mut reused, block);
    }
}

/// Calls `work` with each item, on all threads if there are at least `many`.
pub(crate) fn each<T: Send>(items: &mut [T], many: usize, work: impl Fn(&mut T) + Send + Sync) {
    #[cfg(feature = "parallel")]
    if items.len() >= many && rayon::current_num_threads() > 1 {
        use rayon::prelude::*;
        items.par_iter_mut().with_min_len((many / 4).max(1)).for_each(work);
        return;
    }
    #[cfg(not(feature = "parallel"))]
    let _ = many;
    items.iter_mut().for_each(work);
}

/// Cuts tracks of `frames` numbers each into blocks of `length` frames. A block holds its piece of every track, in
/// order. The last block may be shorter.
pub(crate) fn cut_tracks(values: &mut [f64], frames: usize, length: usize) -> Vec<Vec<&mut [f64]>> {
    let tracks = values.len() / frames;
    let mut blocks: Vec<_> = (0..frames.div_ceil(length)).map(|_| Vec::with_capacity(tracks)).collect();
    for track in values.chunks_exact_mut(frames) {
        for (piece, block) in track.chunks_mut(length).zip(&mut blocks) {
            block.push(piece);
        }
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_of_every_track_is_in_one_block() {
        let mut values: Vec<f64> = (0..21).map(f64::from).collect();
        let blocks = cut_tracks(&mut values, 7, 3);
        assert_eq!(blocks.len(), 3);
        assert_eq!(blocks[1], [[3.0, 4.0, 5.0], [10.0, 11.0, 12.0], [17.0, 18.0, 19.0]]);
        assert_eq!(blocks[2], [[6.0], [13.0], [20.0]]);
    }

    #[test]
    fn every_block_is_worked_once() {
        let mut done = vec![0; 100];
        for_each(done.iter_mut().collect(), || (), |(), count| *count += 1);
        assert_eq!(done, [1; 100]);
    }
}
