//! One refereed game.

use super::player::{EngineDecision, Failure, Pace, Player, Thought};
use super::protocol::{EngineScore, Orders};
use anyhow::{Result, bail};
use nguky::game::{Ending, Position, Side, Verdict};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What an engine may do wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Fault {
    /// It passed its clock.
    TimeLoss,
    /// Its move was not legal.
    IllegalMove,
    /// Its process ended.
    Disconnect,
    /// It did not answer at all.
    Stall,
}

/// A game that was played. What is kept for going on after a kill leaves out the moves, which the record has.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Played {
    /// Points of the side that moves first, doubled: 2, 1 or 0.
    pub points: u8,
    /// Why it ended, in words.
    pub reason: String,
    /// Whether the match ended it rather than the rules.
    pub adjudicated: bool,
    /// Whether it was broken off; it then has no result, whatever the points say.
    pub unfinished: bool,
    /// Which side (0 or 1) was at fault and how.
    pub fault: Option<(usize, Fault)>,
    /// Whether the referee's own count gives the game to another than the engine that was asked to count.
    pub disputed: bool,
    /// The opening's setup.
    #[serde(skip)]
    pub setup: String,
    /// Move texts in the library's coordinates with a comment each.
    #[serde(skip)]
    pub moves: Vec<(String, String)>,
    /// What each move took.
    #[serde(skip)]
    pub times: Vec<Duration>,
    /// Moves, nodes and thinking seconds by side.
    pub plies: [u32; 2],
    pub nodes: [u64; 2],
    pub seconds: [f64; 2],
    /// Summed depth by side, and of how many searches: those that saw a mate do not count, being as deep as can be.
    pub depths: [u64; 2],
    pub deep: [u32; 2],
    /// Moves by side under a limit of nodes whose nodes were reported, and those of them that took far more than allowed.
    pub limited: [u32; 2],
    pub excessive: [u32; 2],
}

/// Resign adjudication: a game is lost when the loser's own score is below `-score` for `moves` of its moves.
#[derive(Clone, Copy, Debug)]
pub struct Resign {
    pub score: i32,
    pub moves: u32,
}

impl Resign {
    /// The value of `--resign`: SCORE,MOVES.
    ///
    /// # Errors
    /// When the text is anything else.
    pub fn parse(text: &str) -> Result<Self> {
        let [score, moves] = numbers("--resign", text)?;
        Ok(Self {
            score: i32::try_from(score).unwrap_or(i32::MAX),
            moves: moves.max(1),
        })
    }
}

/// Draw adjudication: a game is drawn when, from move `number` on, both scores are within `score` for `moves` moves each.
#[derive(Clone, Copy, Debug)]
pub struct Draw {
    pub number: usize,
    pub moves: u32,
    pub score: i32,
}

impl Draw {
    /// The value of `--draw`: NUMBER,MOVES,SCORE.
    ///
    /// # Errors
    /// When the text is anything else.
    pub fn parse(text: &str) -> Result<Self> {
        let [number, moves, score] = numbers("--draw", text)?;
        Ok(Self {
            number: number as usize,
            moves: moves.max(1),
            score: i32::try_from(score).unwrap_or(i32::MAX),
        })
    }
}

/// Numbers between commas, exactly so many.
fn numbers<const N: usize>(option: &str, text: &str) -> Result<[u32; N]> {
    let parts: Vec<u32> = text.split(',').filter_map(|t| t.trim().parse().ok()).collect();
    match <[u32; N]>::try_from(parts) {
        Ok(all) if text.split(',').count() == N => Ok(all),
        _ => bail!("{option}: expected {N} whole numbers with commas between, not {text:?}"),
    }
}

/// What the referee allows.
#[derive(Clone, Copy, Debug)]
pub struct MatchRules {
    /// By side.
    pub paces: [Pace; 2],
    /// How far a clock may be passed.
    pub margin: Duration,
    /// How long beyond its time an engine is waited for.
    pub patience: Duration,
    /// Plies after which a game is called drawn.
    pub longest: usize,
    /// Giving up, if at all.
    pub resign: Option<Resign>,
    /// Agreeing to a draw, if at all.
    pub draw: Option<Draw>,
}

/// A search of more than so many times the nodes allowed is excessive.
pub const EXCESSIVE: u64 = 4;

/// How long an engine without a clock may think.
const NO_CLOCK: Duration = Duration::from_secs(120);

/// The two clocks.
pub struct Clocks {
    paces: [Pace; 2],
    left: [Duration; 2],
    to_go: [Option<u32>; 2],
}

impl Clocks {
    /// Both clocks at the start.
    pub fn new(paces: [Pace; 2]) -> Self {
        let start = |p| match p {
            Pace::Clock { moves, main, .. } => (main, moves),
            _ => (Duration::ZERO, None),
        };
        Self {
            paces,
            left: paces.map(|p| start(p).0),
            to_go: paces.map(|p| start(p).1),
        }
    }

    /// What is sent to the side to move.
    pub fn orders(&self, side: usize) -> Orders {
        Orders {
            pace: self.paces[side],
            mover: side,
            clocks: self.left,
            increments: self.paces.map(|p| match p {
                Pace::Clock { increment, .. } => increment,
                _ => Duration::ZERO,
            }),
            byoyomi: self.byoyomi(side),
            moves_to_go: self.to_go[side],
        }
    }

    fn byoyomi(&self, side: usize) -> Duration {
        match self.paces[side] {
            Pace::Clock { byoyomi, .. } => byoyomi,
            _ => Duration::ZERO,
        }
    }

    /// What a side's clock has left; none of an engine without one.
    pub fn left(&self, side: usize) -> Option<Duration> {
        matches!(self.paces[side], Pace::Clock { .. }).then_some(self.left[side])
    }

    /// How long an answer is waited for.
    pub fn limit(&self, side: usize, terms: &MatchRules) -> Duration {
        let beyond = terms.margin + terms.patience;
        match self.paces[side] {
            Pace::Clock { byoyomi, .. } => self.left[side] + byoyomi + beyond,
            Pace::MoveTime(t) => t + beyond,
            Pace::Nodes(_) | Pace::Depth(_) | Pace::Own => NO_CLOCK,
        }
    }

    /// Takes time off a clock; whether its flag fell.
    pub fn spend(&mut self, side: usize, used: Duration, margin: Duration) -> bool {
        match self.paces[side] {
            Pace::Clock {
                moves,
                main,
                increment,
                byoyomi,
            } => {
                let late = used > self.left[side] + byoyomi + margin;
                self.left[side] = self.left[side].saturating_sub(used) + increment;
                if let Some(n) = &mut self.to_go[side] {
                    *n -= 1;
                    if *n == 0 {
                        self.left[side] += main;
                        self.to_go[side] = moves;
                    }
                }
                late
            }
            Pace::MoveTime(t) => used > t + margin,
            Pace::Nodes(_) | Pace::Depth(_) | Pace::Own => false,
        }
    }
}

/// Counts for how many moves scores have been lost or level.
#[derive(Default)]
struct Adjudicator {
    losing: [u32; 2],
    level: [u32; 2],
}

impl Adjudicator {
    /// Counts one score after move `number`; the end it brings, as doubled points of the first side and a reason.
    fn update(
        &mut self,
        terms: &MatchRules,
        side: usize,
        number: usize,
        said: Option<EngineScore>,
    ) -> Option<(u8, &'static str)> {
        let value = said.map(EngineScore::value);
        let count = |n: &mut u32, yes: bool| *n = if yes { *n + 1 } else { 0 };
        if let Some(r) = terms.resign {
            count(&mut self.losing[side], value.is_some_and(|v| v <= -r.score));
            if self.losing[side] >= r.moves {
                return Some((if side == 0 { 0 } else { 2 }, "adjudicated: hopeless"));
            }
        }
        if let Some(d) = terms.draw {
            let level = number >= d.number && value.is_some_and(|v| v.abs() <= d.score);
            count(&mut self.level[side], level);
            if self.level.iter().all(|&n| n >= d.moves) {
                return Some((1, "adjudicated: level"));
            }
        }
        None
    }
}

/// Who follows a game while it is played.
pub trait GameWatcher {
    /// The side to move begins to think.
    fn thinks(&self, clocks: &Clocks);
    /// A side moved; the text is as everybody may know it.
    fn moved(&self, side: usize, text: &str, thought: &Thought);
}

/// Nobody.
impl GameWatcher for () {
    fn thinks(&self, _clocks: &Clocks) {}
    fn moved(&self, _side: usize, _text: &str, _thought: &Thought) {}
}

/// A game as the referee follows it.
pub trait Course {
    /// Who is to move.
    fn side(&self) -> Side;
    /// How the game ended by its rules, if it did.
    fn ended(&self) -> Option<Ending>;
    /// Whether the side to move may claim a win.
    fn may_claim(&self) -> bool {
        false
    }
    /// The move's number.
    fn number(&self) -> usize;
    /// The longest time of any move, whatever the clock has left.
    fn cap(&self) -> Option<Duration> {
        None
    }
    /// The setup and the moves as they are sent to a side.
    fn told(&self, side: usize) -> (&str, &[String]);
    /// The setup and the moves as everybody may know them.
    fn open(&self) -> (&str, &[String]) {
        self.told(0)
    }
    /// Plays a legal move and gives its text for the record.
    fn play(&mut self, text: &str) -> Option<String>;
    /// A move was played, after so much thought.
    fn took(&mut self, _text: &str, _time: Duration) {}
}

/// A game without hidden information.
#[derive(Clone)]
pub struct OpenGame<P> {
    pos: P,
    setup: String,
    texts: Vec<String>,
}

impl<P: Position> OpenGame<P> {
    /// The game that begins with a position.
    pub fn new(start: &P) -> Self {
        Self {
            pos: start.clone(),
            setup: start.setup(),
            texts: Vec::new(),
        }
    }
}

impl<P: Position> Course for OpenGame<P> {
    fn side(&self) -> Side {
        self.pos.side()
    }

    fn ended(&self) -> Option<Ending> {
        self.pos.ended()
    }

    fn may_claim(&self) -> bool {
        self.pos.may_claim()
    }

    fn number(&self) -> usize {
        self.pos.game_ply() / 2 + 1
    }

    fn told(&self, _side: usize) -> (&str, &[String]) {
        (&self.setup, &self.texts)
    }

    fn play(&mut self, text: &str) -> Option<String> {
        let mv = self.pos.parse_move(text).ok()?;
        let text = self.pos.move_text(mv);
        self.texts.push(text.clone());
        self.pos.play(mv);
        Some(text)
    }
}

/// Plays a game between `players[0]`, of the side that moves first in the game, and `players[1]`. `None` when the user
/// stopped it.
pub fn follow<C: Course>(course: &mut C, players: [&mut Player; 2], terms: &MatchRules) -> Option<Played> {
    Some(play(course, players, terms, &())).filter(|played| !played.unfinished)
}

/// Plays a game as [`follow`] does before a watcher, and gives it as far as it went when the user stops it.
pub fn play<C: Course>(
    course: &mut C,
    players: [&mut Player; 2],
    terms: &MatchRules,
    watcher: &dyn GameWatcher,
) -> Played {
    let [first, second] = players;
    let played = moves(course, [&mut *first, &mut *second], terms, watcher);
    if !played.unfinished {
        first.game_over(played.points);
        second.game_over(2 - played.points.min(2));
    }
    played
}

fn moves<C: Course>(
    course: &mut C,
    players: [&mut Player; 2],
    terms: &MatchRules,
    watcher: &dyn GameWatcher,
) -> Played {
    let mut played = Played {
        setup: course.told(0).0.to_string(),
        ..Played::default()
    };
    let (mut clocks, mut adjudicator) = (Clocks::new(terms.paces), Adjudicator::default());
    let [first, second] = players;
    for (side, player) in [&mut *first, &mut *second].into_iter().enumerate() {
        if let Err(f) = player.new_game() {
            return failed(played, side, f);
        }
    }
    loop {
        let side = course.side().index();
        let player = if side == 0 { &mut *first } else { &mut *second };
        // A win that has to be claimed is the engine's to claim, if it can.
        let claimable = |e: &Ending| e.verdict == Verdict::Win && player.claims() && course.may_claim();
        if let Some(end) = course.ended().filter(|e| !claimable(e)) {
            played.points = points(end.verdict, course.side());
            played.reason = end.reason.to_string();
            return played;
        }
        if played.moves.len() >= terms.longest {
            return adjudicated(played, 1, "adjudicated: too long");
        }
        watcher.thinks(&clocks);
        let (setup, texts) = course.told(side);
        let asked = player.think(setup, texts, &clocks.orders(side), clocks.limit(side, terms));
        let thought = match asked {
            Ok(thought) => thought,
            Err(f) => return failed(played, side, f),
        };
        played.plies[side] += 1;
        played.nodes[side] += thought.nodes;
        played.seconds[side] += thought.time.as_secs_f64();
        if let Pace::Nodes(allowed) = terms.paces[side]
            && thought.nodes > 0
        {
            played.limited[side] += 1;
            played.excessive[side] += u32::from(thought.nodes > EXCESSIVE.saturating_mul(allowed));
        }
        if let Some(EngineScore::Centipawns(_)) = thought.score {
            played.depths[side] += u64::from(thought.depth);
            played.deep[side] += 1;
        }
        let capped = course.cap().is_some_and(|cap| thought.time > cap + terms.margin);
        if clocks.spend(side, thought.time, terms.margin) || capped {
            return lost(played, side, Fault::TimeLoss, "");
        }
        match thought.decision {
            EngineDecision::Move => {}
            EngineDecision::Claim if course.may_claim() => {
                played.points = points(Verdict::Win, course.side());
                played.reason = "declaration".into();
                return played;
            }
            EngineDecision::Claim => return lost(played, side, Fault::IllegalMove, "win"),
            EngineDecision::Resign => {
                played.points = points(Verdict::Loss, course.side());
                played.reason = "resignation".into();
                return played;
            }
        }
        let number = course.number();
        let Some(text) = course.play(&thought.mv) else {
            return lost(played, side, Fault::IllegalMove, &thought.mv);
        };
        course.took(&text, thought.time);
        watcher.moved(side, course.open().1.last().map_or("", String::as_str), &thought);
        played.moves.push((text, comment(&thought)));
        played.times.push(thought.time);
        // The rules come before adjudication: a mate on the board is a mate.
        if course.ended().is_none()
            && let Some((points, reason)) = adjudicator.update(terms, side, number, thought.score)
        {
            return adjudicated(played, points, reason);
        }
    }
}

fn points(v: Verdict, side: Side) -> u8 {
    match (v, side) {
        (Verdict::Draw, _) => 1,
        (Verdict::Win, Side::First) | (Verdict::Loss, Side::Second) => 2,
        _ => 0,
    }
}

/// A game that the match ended.
pub fn adjudicated(mut played: Played, points: u8, reason: &str) -> Played {
    (played.points, played.reason, played.adjudicated) = (points, reason.into(), true);
    played
}

/// A game that the user broke off.
pub fn broken_off(mut played: Played) -> Played {
    (played.points, played.reason, played.unfinished) = (1, "unfinished".into(), true);
    played
}

/// A game that ends because an engine did not answer, or because the user stopped it.
pub fn failed(played: Played, side: usize, f: Failure) -> Played {
    match f {
        Failure::Disconnect => lost(played, side, Fault::Disconnect, ""),
        Failure::Stall => lost(played, side, Fault::Stall, ""),
        Failure::Interrupted => broken_off(played),
    }
}

/// A game lost by a fault.
pub fn lost(mut played: Played, side: usize, fault: Fault, what: &str) -> Played {
    played.points = if side == 0 { 0 } else { 2 };
    played.fault = Some((side, fault));
    let word = match fault {
        Fault::TimeLoss => "time forfeit",
        Fault::IllegalMove => "illegal move",
        Fault::Disconnect => "disconnect",
        Fault::Stall => "stall",
    };
    played.reason = format!("{word} of {}", ["the first side", "the second side"][side]);
    if fault == Fault::IllegalMove {
        // An engine may print anything; the reason ends up inside a record's braces.
        let shown: String = what
            .chars()
            .filter(|c| c.is_ascii_graphic() && !"{}".contains(*c))
            .take(20)
            .collect();
        played.reason += &format!(": {shown:?}");
    }
    played
}

fn comment(t: &Thought) -> String {
    let score = match t.score {
        Some(EngineScore::Centipawns(cp)) => format!("{:+.2}", f64::from(cp) / 100.0),
        Some(EngineScore::Mate(n)) if n < 0 => format!("-M{}", n.unsigned_abs()),
        Some(EngineScore::Mate(n)) => format!("+M{n}"),
        None => "?".into(),
    };
    format!("{score}/{} {:.3}s", t.depth, t.time.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms() -> MatchRules {
        let pace = Pace::clock("3/1+0.1").expect("a clock");
        MatchRules {
            paces: [pace; 2],
            margin: Duration::from_millis(50),
            patience: Duration::ZERO,
            longest: 100,
            resign: Some(Resign { score: 500, moves: 2 }),
            draw: Some(Draw {
                number: 10,
                moves: 2,
                score: 5,
            }),
        }
    }

    #[test]
    fn clocks_run_down_and_are_filled_again() {
        let ms = Duration::from_millis;
        let mut c = Clocks::new(terms().paces);
        assert!(!c.spend(0, ms(300), ms(50)));
        assert_eq!((c.left, c.to_go), ([ms(800), ms(1000)], [Some(2), Some(3)]));
        assert!(!c.spend(0, ms(840), ms(50)), "inside the margin");
        assert_eq!(c.left[0], ms(100));
        assert!(!c.spend(0, ms(100), ms(50)));
        assert_eq!((c.left[0], c.to_go[0]), (ms(1100), Some(3)));
        assert!(c.spend(1, ms(1051), ms(50)), "beyond the margin");
    }

    #[test]
    fn byoyomi_begins_anew_with_each_move() {
        let ms = Duration::from_millis;
        let mut c = Clocks::new([Pace::clock("1b0.5").expect("a clock"); 2]);
        assert!(!c.spend(0, ms(1400), ms(0)));
        assert_eq!(c.left[0], ms(0));
        assert!(!c.spend(0, ms(500), ms(0)) && !c.spend(0, ms(540), ms(50)));
        assert!(c.spend(0, ms(551), ms(50)));
        assert_eq!((c.orders(1).byoyomi, c.orders(1).clocks), (ms(500), [ms(0), ms(1000)]));
    }

    #[test]
    fn hopeless_and_level_games_end() {
        let (t, cp) = (terms(), |v| Some(EngineScore::Centipawns(v)));
        let mut j = Adjudicator::default();
        assert_eq!(j.update(&t, 0, 1, cp(-600)), None);
        assert_eq!(j.update(&t, 1, 1, cp(600)), None);
        assert_eq!(j.update(&t, 0, 2, cp(-499)), None, "hope breaks the row");
        assert_eq!(j.update(&t, 0, 3, cp(-500)), None);
        assert_eq!(
            j.update(&t, 0, 4, Some(EngineScore::Mate(-3))),
            Some((0, "adjudicated: hopeless"))
        );
        let mut j = Adjudicator::default();
        for number in [9, 10] {
            assert_eq!(j.update(&t, 0, number, cp(0)), None);
            assert_eq!(j.update(&t, 1, number, cp(5)), None);
        }
        assert_eq!(j.update(&t, 0, 11, cp(-5)), None);
        assert_eq!(j.update(&t, 1, 11, cp(0)), Some((1, "adjudicated: level")));
    }
}
