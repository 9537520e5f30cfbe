//! Matches of go: GTP engines, our rules as referee, the count by our own dead-stone status or by a third
//! engine's.

use super::books::of_go;
use super::game::{Clocks, Fault, GameWatcher, MatchRules, Played, adjudicated, failed, lost};
use super::heard::{Introduction, Thought};
use super::identity::{EngineSpec, HashedWord};
use super::player::{Pace, Spec};
use super::protocol::gtp::{GtpClient, GtpReply, SOON};
use super::state::Bout;
use super::{Contest, MatchArgs, MatchContext, rules, sgf};
use anyhow::{Context, Result, bail};
use nguky::game::Side;
use nguky::games::go::{Game, Point, Rules, coords};
use nguky::mcts::Mcts;
use nguky::util::rng::SplitMix;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// A match of go.
pub struct GoMatch {
    frame: MatchContext,
    empty: Game,
    openings: Vec<Vec<Point>>,
    referee: Option<Spec>,
}

/// The programs of one game thread.
#[derive(Default)]
pub struct GoPlayers {
    players: BTreeMap<usize, GtpClient>,
    referee: Option<GtpClient>,
    ours: Option<Mcts>,
}

impl GoMatch {
    /// The match of a command line.
    pub fn new(args: &MatchArgs, event: &str) -> Result<Self> {
        let plies = args.plies.unwrap_or(2);
        let mut frame = MatchContext::new(args, event, plies)?;
        for spec in &frame.specs {
            if spec.protocol != "gtp" {
                bail!("{}: engines of go use gtp, not {}", spec.name, spec.protocol);
            }
        }
        let rules = rules::<Rules>(&args.rule)?;
        let mut empty = Game::new(args.size.unwrap_or(19).into(), rules)?;
        if let Some(komi) = args.komi {
            if !(-1000.0..=1000.0).contains(&komi) {
                bail!("--komi: expected a number from -1000 to 1000, not {komi}");
            }
            empty.set_komi(komi);
        }
        let pairs = args.games.div_ceil(2) as usize;
        if args.handicap.is_some() {
            bail!("--handicap is not for go");
        }
        let openings = match args.openings.as_str() {
            "random" => (0..pairs as u64)
                .map(|number| random(&empty, plies, args.seed, number))
                .collect(),
            file => of_go(&empty, file.as_ref(), pairs, args.plies)?,
        };
        let referee = args
            .referee
            .as_deref()
            .map(|command| Spec::parse(&format!("cmd={command} proto=gtp")))
            .transpose()?;
        frame
            .identity
            .term("size", HashedWord::plain(&empty.board().size().to_string()));
        frame
            .identity
            .term("komi", HashedWord::plain(&empty.komi().to_string()));
        if let Some(referee) = &referee {
            let engine = EngineSpec::new(referee, Pace::Own)?;
            let words: Vec<String> = engine.command.iter().map(HashedWord::shown).collect();
            frame.identity.term("referee", HashedWord::plain(&words.join(" ")));
        }
        frame.written("sgf", sgf::FIRST_LINE);
        Ok(Self {
            frame,
            empty,
            openings,
            referee,
        })
    }

    /// Brings an engine to this game.
    fn prepare(&self, gtp: &mut GtpClient, moves: &Game) -> Result<()> {
        let rules = self.empty.rules().name;
        gtp.set_up(self.empty.board().size(), self.empty.komi(), rules)?;
        replay(gtp, moves)
    }

    /// The lead of black, and whether our own count gives the game to another than the referee's does.
    fn count_score(&self, table: &mut GoPlayers, game: &Game) -> Result<(f32, bool)> {
        let ours = match &mut table.ours {
            Some(ours) => ours,
            none => none.insert(Mcts::new().map_err(anyhow::Error::msg)?),
        };
        ours.set_game(game.clone());
        let own = ours.final_score();
        let Some(spec) = &self.referee else {
            return Ok((own, false));
        };
        let referee = match &mut table.referee {
            Some(referee) => referee,
            none => none.insert(GtpClient::start(spec)?),
        };
        self.prepare(referee, game)?;
        let said = referee.must("final_score")?;
        let lead = lead_of(&said).with_context(|| format!("{}: no score in {said:?}", spec.name))?;
        Ok((lead, winner(lead) != winner(own)))
    }
}

/// 1 for black, -1 for white, 0 for nobody.
fn winner(lead: f32) -> i8 {
    i8::from(lead > 0.0) - i8::from(lead < 0.0)
}

/// Reads `B+3.5`, `W+12`, `0`.
fn lead_of(text: &str) -> Option<f32> {
    let text = text.split_whitespace().next()?;
    let number = |t: &str| t.parse::<f32>().ok().filter(|x| x.is_finite());
    match text.split_once('+') {
        Some(("B" | "b", points)) => number(points),
        Some(("W" | "w", points)) => number(points).map(|x| -x),
        Some(_) => None,
        None if text.eq_ignore_ascii_case("draw") || text.eq_ignore_ascii_case("jigo") => Some(0.0),
        None => number(text).filter(|&x| x == 0.0),
    }
}

fn letter(side: usize) -> char {
    if side == 0 { 'b' } else { 'w' }
}

fn replay(gtp: &mut GtpClient, game: &Game) -> Result<()> {
    for &(c, p) in game.moves() {
        let side = usize::from(c - 1);
        gtp.must(&format!("play {} {}", letter(side), coords::text(game.board(), p)))?;
    }
    Ok(())
}

/// Random points off the first two lines, each opening with numbers of its own.
fn random(empty: &Game, plies: u32, seed: u64, number: u64) -> Vec<Point> {
    let mut rng = SplitMix::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ number);
    let mut game = empty.clone();
    let far = empty.board().size() - 1;
    let edge = if far < 6 { 0 } else { 2 };
    for _ in 0..plies {
        let board = game.board();
        let fair: Vec<Point> = game
            .legal_points()
            .into_iter()
            .filter(|&p| {
                let (x, y) = board.xy(p);
                x.min(y).min(far - x).min(far - y) >= edge
            })
            .collect();
        if fair.is_empty() {
            break;
        }
        let p = fair[rng.below(fair.len() as u64) as usize];
        if game.play(p, game.side()).is_err() {
            break;
        }
    }
    game.moves().iter().map(|&(_, p)| p).collect()
}

impl Contest for GoMatch {
    type Seats = GoPlayers;

    fn frame(&self) -> &MatchContext {
        &self.frame
    }

    fn games(&self) -> usize {
        2 * self.openings.len()
    }

    fn introduce(&self, table: &mut GoPlayers, which: usize) -> Result<Introduction> {
        let mut gtp = GtpClient::start(&self.frame.specs[which])?;
        gtp.set_pace(self.frame.paces[which])?;
        let said = gtp.introduce()?;
        table.players.insert(which, gtp);
        Ok(said)
    }

    fn one(&self, table: &mut GoPlayers, bout: Bout) -> Result<(Played, String)> {
        let mut game = self.empty.clone();
        for &p in &self.openings[bout.number / 2] {
            game.play(p, game.side())?;
        }
        let opening = game.moves().len();
        let order = bout.order();
        let mut take = |i: usize| -> Result<GtpClient> {
            let mut gtp = match table.players.remove(&i) {
                Some(gtp) => gtp,
                None => GtpClient::start(&self.frame.specs[i])?,
            };
            self.prepare(&mut gtp, &game)?;
            Ok(gtp)
        };
        let (mut black, mut white) = (take(order[0])?, take(order[1])?);
        let texts: Vec<String> = game
            .moves()
            .iter()
            .map(|&(_, p)| coords::text(game.board(), p))
            .collect();
        let watcher = self.frame.watcher(bout, ("", &texts));
        let mut played = moves(&mut game, [&mut black, &mut white], &self.frame.terms(bout), &watcher)?;
        if played.fault.is_none() && !played.unfinished {
            table.players.extend([(order[0], black), (order[1], white)]);
            if played.reason.is_empty() {
                let (lead, disputed) = self.count_score(table, &game)?;
                played.points = (1 + winner(lead)) as u8;
                played.disputed = disputed;
                played.reason = match winner(lead) {
                    1 => format!("B+{lead}"),
                    -1 => format!("W+{}", -lead),
                    _ => "0".into(),
                };
            }
        }
        let text = sgf::write(&self.frame.head_for(bout, ['B', 'W']), &game, opening, &played);
        Ok((played, text))
    }
}

/// Plays from the opening to the end; who won a game that ended by the rules is still to be counted, and its reason
/// empty.
fn moves(
    game: &mut Game,
    players: [&mut GtpClient; 2],
    terms: &MatchRules,
    watcher: &dyn GameWatcher,
) -> Result<Played> {
    let mut played = Played::default();
    let mut clocks = Clocks::new(terms.paces);
    let [black, white] = players;
    black.set_pace(terms.paces[0])?;
    white.set_pace(terms.paces[1])?;
    while game.ended().is_none() {
        let side = game.side().index();
        let (mover, waiting) = match side {
            0 => (&mut *black, &mut *white),
            _ => (&mut *white, &mut *black),
        };
        if played.moves.len() >= terms.longest {
            // No draw: what plays on at a hopeless board has lost.
            let points = (1 + winner(game.score(&[]))) as u8;
            return Ok(adjudicated(
                played,
                points,
                "adjudicated: too long, counted as it stands",
            ));
        }
        watcher.thinks(&clocks);
        if let Some((time, stones)) = clocks.told(side) {
            mover.tell_left(letter(side), time, stones)?;
        }
        let start = Instant::now();
        let (at, answer) = match mover.ask(&format!("genmove {}", letter(side)), clocks.limit(side, terms)) {
            Ok(answer) => answer,
            Err(failure) => return Ok(failed(played, side, failure)),
        };
        let time = at.saturating_duration_since(start);
        played.plies[side] += 1;
        played.seconds[side] += time.as_secs_f64();
        if clocks.spend(side, time, terms.margin) {
            return Ok(lost(played, side, Fault::TimeLoss, ""));
        }
        let text = match answer {
            GtpReply::Yes(text) if text.eq_ignore_ascii_case("resign") => {
                played.points = if side == 0 { 0 } else { 2 };
                played.reason = "resignation".into();
                return Ok(played);
            }
            GtpReply::Yes(text) => text,
            GtpReply::No(why) => return Ok(lost(played, side, Fault::IllegalMove, &why)),
        };
        let to_move = if side == 0 { Side::First } else { Side::Second };
        let Ok(p) = coords::parse(game.board(), &text).and_then(|p| game.play(p, to_move).map(|()| p)) else {
            return Ok(lost(played, side, Fault::IllegalMove, &text));
        };
        let text = coords::text(game.board(), p);
        let line = format!("play {} {text}", letter(side));
        watcher.moved(
            side,
            &text,
            &Thought {
                time,
                ..Thought::default()
            },
        );
        played.moves.push((text, format!("{:.3}s", time.as_secs_f64())));
        played.times.push(time);
        match waiting.ask(&line, SOON) {
            Ok((_, GtpReply::Yes(_))) => {}
            // It does not have the rules that the game is played by.
            Ok((_, GtpReply::No(_))) => return Ok(lost(played, 1 - side, Fault::IllegalMove, &line)),
            Err(failure) => return Ok(failed(played, 1 - side, failure)),
        }
    }
    Ok(played)
}

impl Clocks {
    /// A clock in the terms of GTP: the time left and the stones to play in it, none in the main time.
    fn told(&self, side: usize) -> Option<(Duration, u32)> {
        let orders = self.orders(side);
        match orders.pace {
            Pace::Clock { moves: Some(_), .. } => Some((orders.clocks[side], orders.moves_to_go.unwrap_or(1))),
            Pace::Clock { byoyomi, .. } if orders.clocks[side].is_zero() && !byoyomi.is_zero() => Some((byoyomi, 1)),
            Pace::Clock { .. } => Some((orders.clocks[side], 0)),
            Pace::MoveTime(t) => Some((t, 1)),
            Pace::Nodes(_) | Pace::Depth(_) | Pace::Own => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_read() {
        for (text, lead) in [
            ("B+3.5", 3.5),
            ("W+12", -12.0),
            ("0", 0.0),
            ("Draw", 0.0),
            ("W+0.5 (x)", -0.5),
        ] {
            assert_eq!(lead_of(text), Some(lead), "{text}");
        }
        for bad in ["", "B", "B+", "7", "W+R", "C+1", "B+inf"] {
            assert_eq!(lead_of(bad), None, "{bad}");
        }
    }

    #[test]
    fn openings_repeat_and_differ() {
        let empty = Game::new(9, Rules::CHINESE).expect("a board");
        let all: Vec<_> = (0..20).map(|n| random(&empty, 2, 1, n)).collect();
        assert_eq!(all[3], random(&empty, 2, 1, 3));
        assert!(all.iter().all(|o| o.len() == 2));
        let distinct: std::collections::HashSet<_> = all.iter().collect();
        assert!(distinct.len() > 15);
    }

    #[test]
    fn clocks_are_told_as_gtp_has_them() {
        let seconds = Duration::from_secs;
        let told = |text: &str| Clocks::new([Pace::clock(text).expect("a clock"); 2]).told(1);
        assert_eq!(told("5"), Some((seconds(5), 0)));
        assert_eq!(told("10/60"), Some((seconds(60), 10)));
        assert_eq!(told("5b2"), Some((seconds(5), 0)));
        assert_eq!(told("b2"), Some((seconds(2), 1)));
        let fixed = Clocks::new([Pace::MoveTime(seconds(1)), Pace::Nodes(9)]);
        assert_eq!((fixed.told(0), fixed.told(1)), (Some((seconds(1), 1)), None));
    }
}
