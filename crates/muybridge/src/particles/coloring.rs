//! Constraint coloring: an order in which constraints of one color share no particle.
//!
//! Greedy coloring of the constraint graph: constraints with most neighbors first, each takes the least color that none
//! of its particles has yet. At most 2Δ − 1 colors for distances if no particle has more than Δ of them. Equal
//! constraints get equal colors. Specification: mathematics 3.8, 9.4.

/// Constraints by color.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Coloring {
    /// Indices of the constraints, first color first, ascending within each color.
    pub order: Vec<usize>,
    /// Start of each color in `order`, followed by the length of `order`.
    pub starts: Vec<usize>,
}

impl Coloring {
    /// Colors `constraints`, each a list of the particles it moves.
    pub fn of<const N: usize>(constraints: &[[usize; N]], particles: usize) -> Self {
        let mut degrees = vec![0_usize; particles];
        constraints.iter().flatten().for_each(|&particle| degrees[particle] += 1);
        let mut by_degree: Vec<usize> = (0..constraints.len()).collect();
        let degree = |index: usize| constraints[index].iter().map(|&particle| degrees[particle]).sum::<usize>();
        by_degree.sort_by_key(|&index| (core::cmp::Reverse(degree(index)), index));
        let mut colors = vec![0; constraints.len()];
        let mut taken = vec![Taken::default(); particles];
        for index in by_degree {
            colors[index] = take_least(&constraints[index], &mut taken);
        }
        let count = colors.iter().map(|color| color + 1).max().unwrap_or(0);
        let mut order: Vec<usize> = (0..constraints.len()).collect();
        order.sort_by_key(|&index| (colors[index], index));
        let mut starts = vec![0; count + 1];
        colors.iter().for_each(|color| starts[color + 1] += 1);
        (0..count).for_each(|color| starts[color + 1] += starts[color]);
        Self { order, starts }
    }
}

/// Colors that a particle has. Sets of colors are bits, 64 to a word.
#[derive(Clone, Debug, Default)]
struct Taken {
    /// Number of the first words of which all colors are taken.
    full: usize,
    /// Later words with colors, and their numbers, in order: as many as the particle has constraints, however high
    /// its colors.
    words: Vec<(usize, u64)>,
}

/// Takes the least color that none of the particles has, and marks it for all of them.
fn take_least(particles: &[usize], taken: &mut [Taken]) -> usize {
    let mut word = particles.iter().map(|&particle| taken[particle].full).max().unwrap_or(0);
    loop {
        let used = particles.iter().fold(0, |used, &particle| used | taken[particle].word(word));
        if used != u64::MAX {
            let bit = (!used).trailing_zeros() as usize;
            particles.iter().for_each(|&particle| taken[particle].take(word, 1 << bit));
            return word * 64 + bit;
        }
        word += 1;
    }
}

impl Taken {
    fn word(&self, word: usize) -> u64 {
        if word < self.full {
            return u64::MAX;
        }
        self.words.binary_search_by_key(&word, |known| known.0).map_or(0, |place| self.words[place].1)
    }

    fn take(&mut self, word: usize, bit: u64) {
        match self.words.binary_search_by_key(&word, |known| known.0) {
            Ok(place) => self.words[place].1 |= bit,
            Err(place) => self.words.insert(place, (word, bit)),
        }
        let full = self.words.iter().zip(self.full..).take_while(|&(&known, word)| known == (word, u64::MAX)).count();
        self.words.drain(..full);
        self.full += full;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constraints_of_one_color_share_no_particle_and_colors_are_few() {
        let side = 12;
        let mut sticks = Vec::new();
        for i in 0..side {
            for j in 0..side {
                for (di, dj) in [(1, 0), (0, 1), (1, 1), (1, -1), (2, 0), (0, 2)] {
                    let (k, l) = (i + di, j + dj);
                    if (0..side).contains(&k) && (0..side).contains(&l) {
                        sticks.push([(i * side + j) as usize, (k * side + l) as usize]);
                    }
                }
            }
        }
        let coloring = Coloring::of(&sticks, (side * side) as usize);
        let mut all = coloring.order.clone();
        all.sort_unstable();
        assert_eq!(all, (0..sticks.len()).collect::<Vec<_>>());
        let colors = coloring.starts.len() - 1;
        assert!((12..=23).contains(&colors), "{colors} colors where 12 are needed and 2·12 − 1 suffice");
        for color in coloring.starts.windows(2) {
            let mut touched: Vec<usize> =
                coloring.order[color[0]..color[1]].iter().flat_map(|&stick| sticks[stick]).collect();
            touched.sort_unstable();
            assert!(touched.windows(2).all(|pair| pair[0] != pair[1]));
        }
    }

    #[test]
    fn a_star_of_a_hundred_needs_a_hundred_colors() {
        let star: Vec<[usize; 2]> = (1..=100).map(|end| [0, end]).collect();
        assert_eq!(Coloring::of(&star, 101).starts.len(), 101);
        let mut taken = vec![Taken::default(); 1001];
        (0..1000).for_each(|end| assert_eq!(take_least(&[0, end + 1], &mut taken), end));
        assert!(taken.iter().all(|particle| particle.words.len() <= 1), "memory grows with the constraints alone");
        assert_eq!(Coloring::of(&star[..0], 101), Coloring { order: Vec::new(), starts: vec![0] });
    }
}
