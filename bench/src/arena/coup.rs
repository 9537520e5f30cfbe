//! Matches of cờ úp: the dealer holds the face-down pieces, sends each engine what its side may know, and referees.

use super::game::{Course, Played};
use super::heard::Introduction;
use super::openings::Paired;
use super::player::{Player, Spec};
use super::record::{self, RecordHead};
use super::runner::play_all;
use super::state::{Bout, MatchState};
use super::{Contest, MatchArgs, MatchContext, Players, books, rules};
use anyhow::{Result, bail};
use nguky::game::random::walk;
use nguky::game::{Ending, Position, Side};
use nguky::games::coup::{CapturedDark, Coup, CoupRules, Deal};
use nguky::games::xiangqi::XMove;
use nguky::games::xiangqi::types::KINDS;
use nguky::util::rng::SplitMix;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use std::time::Duration;

/// A game with its secret.
#[derive(Clone)]
pub struct Dealt {
    /// The game with everything that was turned up or taken so far.
    pos: Coup,
    /// What lies face down.
    under: Deal,
    setup: String,
    /// The moves with what each side may know of them.
    told: [Vec<String>; 2],
    /// The moves with what everybody may know of them.
    open: Vec<String>,
}

impl Dealt {
    /// Deals what lies face down in a setup, fixed by a seed.
    pub fn new(start: &Coup, seed: u64, number: u64) -> Self {
        // A strong generator: nobody is to guess one deal from another.
        Self::drawn(
            start,
            StdRng::seed_from_u64(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ number),
        )
    }

    /// Deals by 32 bytes of chance, which all deals there are may come from.
    pub fn by_chance(start: &Coup, seed: [u8; 32]) -> Self {
        Self::drawn(start, StdRng::from_seed(seed))
    }

    fn drawn(start: &Coup, mut rng: StdRng) -> Self {
        Self::laid(start, start.deal(|n| rng.random_range(0..n)))
    }

    fn laid(start: &Coup, under: Deal) -> Self {
        Self {
            pos: start.clone(),
            under,
            setup: start.setup(),
            told: [Vec::new(), Vec::new()],
            open: Vec::new(),
        }
    }

    /// The deal that [`Dealt::faces`] wrote for the same setup.
    ///
    /// # Errors
    /// One line, where the board is another or a piece is not one that may lie there.
    pub fn with_faces(start: &Coup, faces: &str) -> Result<Self> {
        let mut under: Deal = [None; 90];
        let mut point = 90u8;
        let mut left = [*start.pool(Side::First), *start.pool(Side::Second)];
        for row in faces.split('/') {
            let mut at = point.saturating_sub(9);
            point = at;
            for c in row.chars() {
                if let Some(gap) = c.to_digit(10) {
                    at += gap as u8;
                    continue;
                }
                if let Some(side) = start.face_down(at) {
                    let kind = KINDS.iter().position(|&k| Coup::letter(side, k) == c);
                    let free = kind.filter(|&k| left[side.index()][k] > 0);
                    let Some(kind) = free else {
                        bail!("the deal has {c:?} where it cannot lie")
                    };
                    left[side.index()][kind] -= 1;
                    under[usize::from(at)] = Some(KINDS[kind]);
                }
                at = at.saturating_add(1);
            }
        }
        let deal = Self::laid(start, under);
        if deal.faces() != faces {
            bail!("the deal does not fit the setup {}", deal.setup);
        }
        Ok(deal)
    }

    /// The position with all that was turned up or taken so far, but not what lies face down.
    pub fn position(&self) -> &Coup {
        &self.pos
    }

    /// The board at the start with every piece face up: what the record shows when all is over.
    pub fn faces(&self) -> String {
        let board = self.setup.split(' ').next().unwrap_or_default();
        let (mut point, mut text) = (81u8, String::new());
        for c in board.chars() {
            match c {
                '/' => point = point.saturating_sub(18),
                '1'..='9' => point += c as u8 - b'0',
                _ => {
                    point += 1;
                    let side = if c == 'X' { Side::First } else { Side::Second };
                    let kind = self.under[usize::from(point) - 1].filter(|_| matches!(c, 'x' | 'X'));
                    text.push(kind.map_or(c, |k| Coup::letter(side, k)));
                    continue;
                }
            }
            text.push(c);
        }
        text
    }

    /// Plays a legal move, turns up what moved, and notes what each side may know of it.
    pub fn play_move(&mut self, m: XMove) -> String {
        let us = self.pos.side();
        let shown = self.under[usize::from(m.from())].filter(|_| self.pos.turns_up(m));
        let taken = self.under[usize::from(m.to())].filter(|_| self.pos.face_down(m.to()).is_some());
        for side in [Side::First, Side::Second] {
            let sees = match self.pos.rules().captured_dark {
                CapturedDark::Capturer => side == us,
                CapturedDark::Both => true,
                CapturedDark::None => false,
            };
            self.told[side.index()].push(self.pos.told(m, shown, taken.filter(|_| sees)));
        }
        let all_see = self.pos.rules().captured_dark == CapturedDark::Both;
        self.open.push(self.pos.told(m, shown, taken.filter(|_| all_see)));
        let whole = self.pos.told(m, shown, taken);
        self.pos.play_known(m, shown, taken);
        whole
    }
}

impl Course for Dealt {
    fn side(&self) -> Side {
        self.pos.side()
    }

    fn ended(&self) -> Option<Ending> {
        self.pos.ended()
    }

    fn number(&self) -> usize {
        self.pos.game_ply() / 2 + 1
    }

    fn cap(&self) -> Option<Duration> {
        let ms = u64::from(self.pos.rules().move_time_cap);
        (ms > 0).then(|| Duration::from_millis(ms))
    }

    fn told(&self, side: usize) -> (&str, &[String]) {
        (&self.setup, &self.told[side & 1])
    }

    fn open(&self) -> (&str, &[String]) {
        (&self.setup, &self.open)
    }

    fn play(&mut self, text: &str) -> Option<String> {
        let m = self.pos.parse_move(text).ok()?;
        Some(self.play_move(m))
    }
}

/// A match of cờ úp.
pub struct CoupMatch {
    frame: MatchContext,
    /// A deal for each pair, its opening played.
    deals: Vec<Dealt>,
    /// Opening moves of each, for the record.
    openings: Vec<Vec<String>>,
    /// The rules' options, for engines that have them.
    settings: Vec<(String, String)>,
}

impl CoupMatch {
    /// The match of a command line.
    pub fn new(args: &MatchArgs, event: &str) -> Result<Self> {
        let rules = rules::<CoupRules>(&args.rule)?;
        let pairs = args.games.div_ceil(2) as usize;
        let plies = args.plies.unwrap_or(Coup::PLIES);
        let frame = MatchContext::new(args, event, plies)?;
        if args.handicap.is_some() {
            bail!("--handicap is not for cờ úp");
        }
        let starts = match args.openings.as_str() {
            "random" => vec![Coup::parse(Coup::START, &rules)?],
            file => books::positions::<Coup>(file.as_ref())?,
        };
        let (mut deals, mut openings) = (Vec::new(), Vec::new());
        for (number, start) in (0..pairs as u64).zip(starts.iter().cycle()) {
            let start = Coup::parse(&start.setup(), &rules)?;
            let (deal, moves) = opened(&start, plies, args.seed, number)?;
            deals.push(deal);
            openings.push(moves);
        }
        let settings = args.rule.iter().filter_map(|r| r.split_once('='));
        let settings = settings.map(|(name, value)| (name.to_string(), value.to_string()));
        Ok(Self {
            frame,
            deals,
            openings,
            settings: settings.collect(),
        })
    }

    fn record(&self, bout: Bout, deal: &Dealt, played: &Played) -> String {
        let opening = self.openings[bout.number / 2].iter();
        let mut whole = played.clone();
        let played = std::mem::take(&mut whole.moves);
        whole.moves = opening.map(|m| (m.clone(), "opening".into())).chain(played).collect();
        record(&self.frame.head(bout), deal, &whole)
    }
}

/// A game with its deal, which is no secret any more.
pub fn record(head: &RecordHead, deal: &Dealt, played: &Played) -> String {
    let faces = deal.faces();
    record::pgn(head, played, &[("Deal", &faces)], |_: &Coup, _, text| text.to_string())
}

/// Starts an engine, brings it to this game if it plays others too, and tells it the rules that it has options for.
pub fn start(spec: &Spec, settings: &[(String, String)]) -> Result<Player> {
    let mut player = Player::start(spec, &[("variant", "jieqi"), ("UCI_Variant", "jieqi")])?;
    for (name, value) in settings {
        player.set_if_known(name, value);
    }
    Ok(player)
}

impl Paired for Coup {
    // The deals differ already.
    const PLIES: u32 = 0;
    type Opening = Dealt;

    fn opening(plies: u32, seed: u64, number: u64) -> Result<Dealt> {
        let start = Self::parse(Self::START, &CoupRules::default())?;
        Ok(opened(&start, plies, seed, number)?.0)
    }

    fn opening_at(start: &Self, seed: u64, number: u64) -> Dealt {
        Dealt::new(start, seed, number)
    }

    fn seat(spec: &Spec) -> Result<Player> {
        start(spec, &[])
    }

    fn contest(args: &MatchArgs, event: &str) -> Result<MatchState> {
        play_all(&CoupMatch::new(args, event)?, args)
    }
}

/// A deal and some random moves, none of which ends the game.
fn opened(start: &Coup, plies: u32, seed: u64, number: u64) -> Result<(Dealt, Vec<String>)> {
    let fresh = Dealt::new(start, seed, number);
    let mut rng = SplitMix::new(seed ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    for _ in 0..100 {
        let (mut deal, mut texts) = (fresh.clone(), Vec::new());
        let end = walk(&fresh.pos, plies.into(), &mut rng, |pos, m, _| {
            texts.push(deal.play_move(m));
            pos.clone_from(&deal.pos);
        });
        if end.is_some() {
            return Ok((deal, texts));
        }
    }
    bail!("--plies {plies}: games of that length are over too often")
}

impl Contest for CoupMatch {
    type Seats = Players;

    fn frame(&self) -> &MatchContext {
        &self.frame
    }

    fn games(&self) -> usize {
        2 * self.deals.len()
    }

    fn introduce(&self, seats: &mut Players, which: usize) -> Result<Introduction> {
        // Engines of other games may not know the start of this one: they are not made to search it.
        seats.introduce(which, None, || start(&self.frame.specs[which], &self.settings))
    }

    fn one(&self, seats: &mut Players, bout: Bout) -> Result<(Played, String)> {
        let mut deal = self.deals[bout.number / 2].clone();
        let seat = |spec: &Spec| start(spec, &self.settings);
        let played = self.frame.play(seats, &mut deal, bout, seat)?;
        let text = self.record(bout, &deal, &played);
        Ok((played, text))
    }
}
