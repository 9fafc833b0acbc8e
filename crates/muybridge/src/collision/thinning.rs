//! Keeps the deepest of too many contacts: n things of m parts in one place have n²/2 pairs, and up to m² contacts a pair.
//!
//! ```text
//! kept   the r deepest of each pair, r the greatest number with which no more than `most` are kept, at least 1
//! ```
//! The list may be thinned while it grows: r only falls, so what is left in the end is the same.

/// Buffers of the choice.
#[derive(Clone, Debug, Default)]
pub struct Thinning {
    /// Pair, gap and index of each contact that may go.
    order: Vec<(u64, f64, u32)>,
    /// Number of contacts of each rank in their pair.
    counts: Vec<usize>,
    goes: Vec<bool>,
    /// What was left of each pair since [`Self::begin`], where some were left out.
    left: Option<usize>,
}

impl Thinning {
    /// Begins a new list.
    pub fn begin(&mut self) {
        self.left = None;
    }

    /// Thins the contacts to about `most` if they are more. `of` returns pair and gap of a contact; `None` for one that stays.
    pub fn thin<T>(&mut self, contacts: &mut Vec<T>, most: usize, of: impl Fn(&T) -> Option<(u64, f64)>) {
        if contacts.len() <= most && self.left.is_none() {
            return;
        }
        let Self { order, counts, goes, left } = self;
        order.clear();
        let place = |(index, contact)| of(contact).map(|(pair, gap)| (pair, gap, index as u32));
        order.extend(contacts.iter().enumerate().filter_map(place));
        order.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.cmp(&b.2)));
        counts.clear();
        for pair in order.chunk_by(|a, b| a.0 == b.0) {
            counts.resize(counts.len().max(pair.len()), 0);
            counts[..pair.len()].iter_mut().for_each(|count| *count += 1);
        }
        let mut sum = 0;
        let mut fits = |&count: &usize| {
            sum += count;
            sum <= most
        };
        let ranks = counts.iter().take_while(|&count| fits(count)).count().max(1).min(left.unwrap_or(usize::MAX));
        if ranks < counts.len() {
            *left = Some(ranks);
        }
        goes.clear();
        goes.resize(contacts.len(), false);
        for pair in order.chunk_by(|a, b| a.0 == b.0) {
            pair.iter().skip(ranks).for_each(|&(.., index)| goes[index as usize] = true);
        }
        let mut goes = goes.iter();
        contacts.retain(|_| goes.next() != Some(&true));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_pair_keeps_its_deepest_and_the_order_of_the_list_in_parts_as_in_one() {
        // Pair, depth: three pairs of 1, 3 and 6 contacts, and two that belong to none.
        let list = [(1, 9), (3, 1), (2, 5), (0, 0), (3, 6), (3, 2), (2, 7), (3, 5), (0, 0), (3, 3), (2, 6), (3, 4)];
        let of = |&(pair, depth): &(u64, i32)| (pair > 0).then_some((pair, -f64::from(depth)));
        let thinned = |most: usize, is_in_parts: bool| {
            let (mut thinning, mut kept) = (Thinning::default(), Vec::new());
            for contact in list {
                kept.push(contact);
                if is_in_parts {
                    thinning.thin(&mut kept, most, of);
                }
            }
            thinning.thin(&mut kept, most, of);
            kept
        };
        for is_in_parts in [false, true] {
            assert_eq!(thinned(12, is_in_parts), list);
            // Two of each pair are five, three are seven.
            let two = [(1, 9), (0, 0), (3, 6), (2, 7), (3, 5), (0, 0), (2, 6)];
            assert_eq!(thinned(5, is_in_parts), two);
            assert_eq!(thinned(6, is_in_parts), two);
            assert_eq!(thinned(7, is_in_parts).len(), 9);
            assert_eq!(thinned(1, is_in_parts), [(1, 9), (0, 0), (3, 6), (2, 7), (0, 0)]);
        }
    }
}
