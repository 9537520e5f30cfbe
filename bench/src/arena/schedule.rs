//! Who meets whom in a tournament, and in what order.

use super::state::Bout;
use clap::ValueEnum;

/// The form of a tournament.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Tournament {
    /// Each engine meets each other
    RoundRobin,
    /// The first engine meets all the others
    Gauntlet,
    /// Each meets those whose strength is near; the caller says which
    #[value(skip)]
    Ladder,
}

impl Tournament {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::RoundRobin => "round robin",
            Self::Gauntlet => "gauntlet",
            Self::Ladder => "ladder",
        }
    }

    /// The meetings of so many engines; of a ladder those of neighbours.
    pub fn pairs(self, engines: usize) -> Vec<[usize; 2]> {
        let (hosts, reach) = match self {
            Self::RoundRobin => (engines, engines),
            Self::Gauntlet => (engines.min(1), engines),
            Self::Ladder => (engines, 1),
        };
        let guests = |a: usize| a + 1..engines.min(a + 1 + reach);
        (0..hosts).flat_map(|a| guests(a).map(move |b| [a, b])).collect()
    }
}

/// The games in their order, so many a meeting: opening by opening, so that a tournament that is stopped has played
/// every meeting about as often. Both games of an opening stand together.
pub fn bouts(pairs: &[[usize; 2]], games: usize) -> Vec<Bout> {
    let both = |pair: [usize; 2], round: usize| [2 * round, 2 * round + 1].map(|number| Bout { pair, number });
    (0..games.div_ceil(2))
        .flat_map(|round| pairs.iter().flat_map(move |&pair| both(pair, round)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everybody_meets_with_both_colours() {
        let bouts = |form: Tournament, engines, games| bouts(&form.pairs(engines), games);
        let all = bouts(Tournament::RoundRobin, 4, 6);
        assert_eq!(all.len(), 6 * 6);
        for a in 0..4 {
            for b in a + 1..4 {
                let met: Vec<usize> = all.iter().filter(|t| t.pair == [a, b]).map(|t| t.number).collect();
                assert_eq!(met, [0, 1, 2, 3, 4, 5], "{a} {b}");
            }
        }
        // After a third of the games every meeting has had a third of its games.
        assert!(all[..12].iter().all(|t| t.number < 2) && all[12..24].iter().all(|t| (2..4).contains(&t.number)));
        let first: Vec<[usize; 2]> = bouts(Tournament::Gauntlet, 4, 2).iter().map(|t| t.pair).collect();
        assert_eq!(first, [[0, 1], [0, 1], [0, 2], [0, 2], [0, 3], [0, 3]]);
        assert_eq!(bouts(Tournament::Gauntlet, 2, 3).len(), 4);
        assert_eq!(Tournament::Ladder.pairs(4), [[0, 1], [1, 2], [2, 3]]);
    }
}
