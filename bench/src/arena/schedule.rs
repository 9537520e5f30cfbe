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
}

impl Tournament {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::RoundRobin => "round robin",
            Self::Gauntlet => "gauntlet",
        }
    }

    /// The meetings of so many engines.
    pub fn pairs(self, engines: usize) -> Vec<[usize; 2]> {
        let hosts = match self {
            Self::RoundRobin => 0..engines,
            Self::Gauntlet => 0..engines.min(1),
        };
        hosts.flat_map(|a| (a + 1..engines).map(move |b| [a, b])).collect()
    }

    /// The games in their order, so many a meeting: opening by opening, so that a tournament that is stopped has played
    /// every meeting about as often. Both games of an opening stand together.
    pub fn bouts(self, engines: usize, games: usize) -> Vec<Bout> {
        let pairs = self.pairs(engines);
        let both = |pair: [usize; 2], round: usize| [2 * round, 2 * round + 1].map(|number| Bout { pair, number });
        (0..games.div_ceil(2))
            .flat_map(|round| pairs.iter().flat_map(move |&pair| both(pair, round)))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everybody_meets_with_both_colours() {
        let bouts = Tournament::RoundRobin.bouts(4, 6);
        assert_eq!(bouts.len(), 6 * 6);
        for a in 0..4 {
            for b in a + 1..4 {
                let met: Vec<usize> = bouts.iter().filter(|t| t.pair == [a, b]).map(|t| t.number).collect();
                assert_eq!(met, [0, 1, 2, 3, 4, 5], "{a} {b}");
            }
        }
        // After a third of the games every meeting has had a third of its games.
        assert!(bouts[..12].iter().all(|t| t.number < 2) && bouts[12..24].iter().all(|t| (2..4).contains(&t.number)));
        let first: Vec<[usize; 2]> = Tournament::Gauntlet.bouts(4, 2).iter().map(|t| t.pair).collect();
        assert_eq!(first, [[0, 1], [0, 1], [0, 2], [0, 2], [0, 3], [0, 3]]);
        assert_eq!(Tournament::Gauntlet.bouts(2, 3).len(), 4);
    }
}
