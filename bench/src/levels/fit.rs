//! From the games' ratings to a scale, and from the scale to a table with even steps.

use crate::arena::crosstable::Rating;
use nguky::control::LimitedStrength;
use nguky::game::Level;

/// An engine whose strength is known.
#[derive(Clone, Debug, PartialEq)]
pub struct Anchor {
    /// Its name in the match.
    pub name: String,
    /// Its Elo on the scale that the levels are to have.
    pub elo: i32,
}

/// Ratings on the scale of the anchors; without any, the weakest rated level has the Elo that it is set to.
#[derive(Clone, Debug, PartialEq)]
pub struct Scale {
    /// Of the levels; the error is that of the distance to the mean of all.
    pub levels: Vec<Option<Rating>>,
    /// Of the anchors.
    pub anchors: Vec<Option<Rating>>,
}

impl Scale {
    /// Moves ratings, the levels' first and then the anchors', to where the squares of the anchors' differences are least.
    pub fn new(levels: &[i32], anchors: &[Anchor], ratings: &[Option<Rating>]) -> Self {
        let known = |elos: &mut dyn Iterator<Item = i32>, from: usize| -> Vec<f64> {
            elos.zip(&ratings[from..])
                .filter_map(|(elo, r)| r.map(|r| f64::from(elo) - r.elo))
                .collect()
        };
        let mut off = known(&mut anchors.iter().map(|a| a.elo), levels.len());
        if off.is_empty() {
            off = known(&mut levels.iter().copied(), 0);
            off.truncate(1);
        }
        let shift = off.iter().sum::<f64>() / off.len().max(1) as f64;
        let moved: Vec<Option<Rating>> = ratings
            .iter()
            .map(|r| {
                r.map(|r| Rating {
                    elo: r.elo + shift,
                    ..r
                })
            })
            .collect();
        let (levels, anchors) = moved.split_at(levels.len());
        Self {
            levels: levels.to_vec(),
            anchors: anchors.to_vec(),
        }
    }
}

/// What an engine set to an Elo plays with.
pub fn setting(table: &[Level], elo: i32) -> Option<Level> {
    LimitedStrength::at(table, elo).map(|s| Level {
        elo,
        nodes: s.nodes,
        lines: s.lines as u32,
        noise: s.noise.round() as i32,
    })
}

/// A table whose rows are `step` Elo apart by what was measured: node counts, lines and errors of the settings between which
/// that strength was met, interpolated as the engine does it. A level that came out below a weaker one is passed over.
pub fn proposal(table: &[Level], settings: &[i32], scale: &Scale, step: u32) -> Vec<Level> {
    let mut curve: Vec<(f64, f64)> = Vec::new();
    for (&elo, rating) in settings.iter().zip(&scale.levels) {
        let Some(rating) = rating else { continue };
        if curve.last().is_none_or(|last| rating.elo > last.1) {
            curve.push((f64::from(elo), rating.elo));
        }
    }
    let [Some(&(_, low)), Some(&(_, high))] = [curve.first(), curve.last()] else {
        return Vec::new();
    };
    let rows = ((high - low) / f64::from(step)).floor() as u32;
    let mut found = Vec::new();
    for k in 0..=rows {
        let wanted = low + f64::from(step) * f64::from(k);
        let above = curve.iter().position(|p| p.1 >= wanted).unwrap_or(curve.len() - 1);
        let (b, a) = (curve[above], curve[above.saturating_sub(1)]);
        let share = if b.1 > a.1 { (wanted - a.1) / (b.1 - a.1) } else { 0.0 };
        let elo = a.0 + share * (b.0 - a.0);
        let row = setting(table, elo.round() as i32).map(|row| Level {
            elo: (wanted / 10.0).round() as i32 * 10,
            ..row
        });
        found.extend(row);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &[Level] = &[Level::new(1000, 100, 6, 200), Level::new(2000, 10_000, 2, 0)];

    fn ratings(elos: &[f64]) -> Vec<Option<Rating>> {
        let one = |&elo: &f64| (!elo.is_nan()).then_some(Rating { elo, error: Some(20.0) });
        elos.iter().map(one).collect()
    }

    fn elos(of: &[Option<Rating>]) -> Vec<i32> {
        of.iter().map(|r| r.map_or(-1, |r| r.elo.round() as i32)).collect()
    }

    #[test]
    fn the_scale_begins_at_the_weakest_or_lies_at_the_anchors() {
        let levels = [1000, 1200, 1400];
        let free = Scale::new(&levels, &[], &ratings(&[-210.0, 0.0, 210.0]));
        assert_eq!(elos(&free.levels), [1000, 1210, 1420]);
        // Who lost every game has no rating: the next one stands at its setting.
        let partial = Scale::new(&levels, &[], &ratings(&[f64::NAN, 0.0, 210.0]));
        assert_eq!(elos(&partial.levels), [-1, 1200, 1410]);
        let anchor = |elo| Anchor { name: "a".into(), elo };
        let held = Scale::new(
            &levels,
            &[anchor(1100), anchor(1500)],
            &ratings(&[-210.0, 0.0, 210.0, -100.0, 200.0]),
        );
        assert_eq!(elos(&held.levels), [1040, 1250, 1460]);
        assert_eq!(elos(&held.anchors), [1150, 1450]);
        assert_eq!(elos(&Scale::new(&levels, &[], &[None; 3]).levels), [-1; 3]);
    }

    #[test]
    fn even_steps_are_proposed_from_uneven_ones() {
        let settings = [1000, 1500, 2000];
        let scale = Scale::new(&settings, &[], &ratings(&[0.0, 100.0, 600.0]));
        let rows = proposal(TABLE, &settings, &scale, 200);
        assert_eq!(rows.iter().map(|r| r.elo).collect::<Vec<_>>(), [1000, 1200, 1400, 1600]);
        // 1200 is a fifth of the way from the second setting to the third: 1600.
        assert_eq!((rows[1].nodes, rows[1].lines, rows[1].noise), (1585, 4, 80));
        assert_eq!((rows[3].nodes, rows[3].noise), (10_000, 0));
        // An inversion does not bend the curve back.
        let inverted = Scale::new(&settings, &[], &ratings(&[0.0, -50.0, 400.0]));
        assert_eq!(proposal(TABLE, &settings, &inverted, 200).len(), 3);
        assert!(proposal(TABLE, &settings, &Scale::new(&settings, &[], &[None; 3]), 200).is_empty());
    }
}
