//! `nguky actor`: plays many games of go at a time, by searches whose positions the process at the other end of its pipes
//! evaluates: the learner (`bench/student/train.py`), which holds the networks on a GPU. Actor and learner are the
//! terms of Espeholt and others, "IMPALA" (2018).
//!
//! At each step every game asks for one position, so a batch has as many as there are games. The learner evaluates them by
//! the teacher, which labels them all, and by the student; each game is led by the one or by the other to its end. Where
//! the student leads, positions are those that its own search gets into, with the teacher's word on each (after Ross,
//! Gordon and Bagnell, "A reduction of imitation learning", 2011).
//!
//! To the learner, little-endian: how many positions there are of each size (u32 each, sizes in ascending order), then of
//! each size their planes and their numbers. A position's planes are bits, the lowest of a byte first: the [`SPATIAL`]
//! planes of KataGo's input version 7 and one of legal points, each row by row from the top; [`plane_bytes`] in all. Its
//! numbers are `f32`: the [`GLOBALS`] of that version, 1 where a game may end without result, and 1 where the student leads.
//! From the learner, of each size: the policies (f16 for each point as in the planes, then the pass; weights, of which
//! those of illegal moves are passed over), then the chances to win of the sides to move (f32).

use super::draw::{anywhere, begin, noisy, sizes};
use super::record::GoRecord;
use super::teacher::{SURE, SURE_PLIES};
use anyhow::{Result, bail};
use clap::Args as ClapArgs;
use nguky::games::go::rules::Scoring;
use nguky::games::go::types::{BLACK, PASS};
use nguky::games::go::{Board, Point};
use nguky::mcts::network::planes::{GLOBALS, InputEncoder, SPATIAL};
use nguky::mcts::noise;
use nguky::mcts::state::SearchState;
use nguky::util::half;
use nguky::util::rng::SplitMix;
use rayon::prelude::*;
use std::io::{ErrorKind, Read, Write};

/// The command line of `nguky actor`.
#[derive(ClapArgs)]
pub struct ActorArgs {
    /// Games at a time
    #[arg(long, default_value_t = 1024, value_parser = clap::value_parser!(u32).range(1..=1 << 16))]
    pub games: u32,
    /// Evaluations a move on average, drawn evenly from 1 to nearly twice as many; 1 draws moves from the policy
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub nodes: u32,
    /// Sizes of the boards, each with how many games there are to one of the others
    #[arg(long, default_value = "9:2,13:1,19:1")]
    pub sizes: String,
    /// Games in a hundred that the student leads
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u8).range(0..=100))]
    pub student: u8,
    /// Which games
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Threads
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: u16,
}

/// Numbers of a position.
const NUMBERS: usize = GLOBALS + 2;
/// Moves of a node: those with most policy.
const WIDTH: usize = 32;
/// Weight of the policy in the choice of a move to search (the term of exploration of PUCT; values are from 0 to 1).
const EXPLORE: f32 = 0.6;
/// What a move that was not searched is thought to be worse than its node, times the root of the policy searched so far.
const FIRST_PLAY: f32 = 0.1;
/// Share and concentration of the noise at the root, in half of the games.
const NOISE: (f32, f32) = (0.25, 10.83);
/// Bytes of a position's planes.
fn plane_bytes(size: usize) -> usize {
    ((SPATIAL + 1) * size * size).div_ceil(8)
}

/// A move of a node. Wins are those of the node's side.
struct Edge {
    at: Point,
    prior: f32,
    visits: u32,
    wins: f32,
    child: Option<u32>,
}

/// A position that was evaluated; `win` is its side's chance.
struct Node {
    win: f32,
    edges: Vec<Edge>,
}

/// The tree of a move, and the way to the leaf that is being evaluated.
#[derive(Default)]
struct Tree {
    nodes: Vec<Node>,
    path: Vec<(u32, usize)>,
}

impl Tree {
    /// The edge to go down, by PUCT.
    fn select(node: &Node) -> usize {
        let visits: u32 = node.edges.iter().map(|e| e.visits).sum();
        let searched: f32 = node.edges.iter().filter(|e| e.visits > 0).map(|e| e.prior).sum();
        let first = node.win - FIRST_PLAY * searched.sqrt();
        let explore = EXPLORE * (visits as f32 + 1.0).sqrt();
        let worth = |e: &Edge| {
            let value = if e.visits > 0 { e.wins / e.visits as f32 } else { first };
            value + explore * e.prior / (1 + e.visits) as f32
        };
        let best = |a: &(usize, f32), b: &(usize, f32)| a.1.total_cmp(&b.1);
        node.edges.iter().map(worth).enumerate().max_by(best).map_or(0, |e| e.0)
    }

    /// Counts a result, the chance of the side to move at the end of the path.
    fn back_up(&mut self, win: f32) {
        let mut win = win;
        for (node, edge) in self.path.drain(..).rev() {
            win = 1.0 - win;
            let edge = &mut self.nodes[node as usize].edges[edge];
            edge.visits += 1;
            edge.wins += win;
        }
    }

    /// Adds the node at the end of the path.
    fn grow(&mut self, node: Node) {
        let (number, win) = (self.nodes.len() as u32, node.win);
        self.nodes.push(node);
        if let Some(&(parent, edge)) = self.path.last() {
            self.nodes[parent as usize].edges[edge].child = Some(number);
        }
        self.back_up(win);
    }

    /// Keeps what lies below a move of the root.
    fn advance(&mut self, at: Point) {
        let mut old = std::mem::take(&mut self.nodes);
        let edge = old.first().and_then(|root| root.edges.iter().find(|e| e.at == at));
        let mut kept: Vec<u32> = edge.and_then(|e| e.child).into_iter().collect();
        let mut next = 0;
        while let Some(&number) = kept.get(next) {
            let empty = Node {
                win: 0.0,
                edges: Vec::new(),
            };
            let mut node = std::mem::replace(&mut old[number as usize], empty);
            for child in node.edges.iter_mut().filter_map(|e| e.child.as_mut()) {
                kept.push(*child);
                *child = kept.len() as u32 - 1;
            }
            self.nodes.push(node);
            next += 1;
        }
    }
}

/// A game that goes on, and how it is played.
struct Play {
    state: SearchState,
    /// The position that is being evaluated.
    leaf: SearchState,
    tree: Tree,
    size: usize,
    ply: usize,
    /// Plies until which moves are drawn from the policy as it is, and the temperature afterwards.
    hot: usize,
    heat: f32,
    /// Whether it is played to its end.
    whole: bool,
    noisy: bool,
    student: bool,
    /// Evaluations for this move, and how many were asked for.
    budget: u32,
    asked: u32,
    sure: usize,
    rng: SplitMix,
}

impl Play {
    fn new(sizes: &[(usize, u64)], args: &ActorArgs, mut rng: SplitMix) -> Self {
        let mut record = GoRecord {
            seed: 0,
            number: 0,
            settings: 0,
            net: 0,
            size: 0,
            rules: 0,
            komi: 0.0,
            end: None,
            plies: Vec::new(),
        };
        begin(&mut record, sizes, &mut rng);
        let game = record.start().expect("a board of a size that was checked");
        let mut state = SearchState::of(&game);
        let area = state.board.area() as u64;
        let random = if rng.below(3) == 0 { rng.below(area / 20 + 2) } else { 0 };
        let mut ply = 0;
        for _ in 0..random {
            let Some(p) = anywhere(&state, &mut rng) else { break };
            state.play(p);
            ply += 1;
        }
        let mut play = Self {
            leaf: state.clone(),
            state,
            tree: Tree::default(),
            size: record.size,
            ply,
            hot: ply + rng.below(area / 6 + 4) as usize,
            heat: [0.4, 0.7, 1.0][rng.below(3) as usize],
            whole: rng.below(3) == 0,
            noisy: rng.below(2) == 0,
            student: rng.below(100) < u64::from(args.student),
            budget: 1,
            asked: 0,
            sure: 0,
            rng,
        };
        play.draw_budget(args);
        play
    }

    fn draw_budget(&mut self, args: &ActorArgs) {
        self.budget = 1 + self.rng.below(2 * u64::from(args.nodes) - 1) as u32;
        self.asked = 0;
    }

    /// Goes to the next position to evaluate, over moves where the last one's evaluations are through.
    fn ask(&mut self, args: &ActorArgs) {
        loop {
            if self.asked >= self.budget && !self.tree.nodes.is_empty() {
                self.play(args);
            }
            self.asked += 1;
            if self.descend() {
                return;
            }
        }
    }

    /// Goes down the tree; false where the way ended with the game.
    fn descend(&mut self) -> bool {
        self.leaf.rewind(&self.state);
        self.tree.path.clear();
        let mut next = (!self.tree.nodes.is_empty()).then_some(0);
        while let Some(number) = next {
            let node = &self.tree.nodes[number as usize];
            let edge = Tree::select(node);
            let (at, child, before) = (node.edges[edge].at, node.edges[edge].child, node.win);
            self.tree.path.push((number, edge));
            self.leaf.play(at);
            if self.leaf.is_over() {
                self.tree.back_up(ended(&self.leaf, 1.0 - before));
                return false;
            }
            next = child;
        }
        true
    }

    /// The planes and numbers of the position to evaluate.
    fn encode(&self, encoder: &mut InputEncoder) -> (Vec<u8>, Vec<u8>) {
        let (state, area) = (&self.leaf, self.size * self.size);
        let (mut spatial, mut globals) = (vec![0.0; SPATIAL * area], [0.0; GLOBALS]);
        let view = state.view(false);
        encoder.encode(&view, &mut spatial, &mut globals);
        let mut planes = vec![0_u8; plane_bytes(self.size)];
        let ones = spatial.iter().enumerate().filter(|(_, x)| **x != 0.0).map(|(i, _)| i);
        let legal = legal(state).map(|p| SPATIAL * area + place(&state.board, p));
        for i in ones.chain(legal) {
            planes[i / 8] |= 1 << (i % 8);
        }
        let flags = [state.may_have_no_result(), self.student].map(|flag| f32::from(u8::from(flag)));
        let mut numbers = Vec::with_capacity(4 * NUMBERS);
        numbers.extend(globals.iter().chain(&flags).flat_map(|x| x.to_le_bytes()));
        (planes, numbers)
    }

    /// Takes the answer: `weight` of a place in the planes or of the pass, which is numbered last, and the chance to win.
    fn answer(&mut self, weight: impl Fn(usize) -> f32, win: f32) {
        let board = &self.leaf.board;
        let area = self.size * self.size;
        let sound = |w: f32| if w.is_finite() { w.max(0.0) } else { 0.0 };
        let mut moves: Vec<(Point, f32)> = legal(&self.leaf)
            .map(|p| (p, sound(weight(place(board, p)))))
            .chain([(PASS, sound(weight(area)))])
            .collect();
        moves.sort_by(|a, b| b.1.total_cmp(&a.1));
        moves.truncate(WIDTH);
        let sum: f32 = moves.iter().map(|m| m.1).sum::<f32>().max(1e-9);
        moves.iter_mut().for_each(|m| m.1 /= sum);
        if self.noisy && self.tree.nodes.is_empty() {
            noise::mix(&mut moves, NOISE.0, NOISE.1, &mut self.rng);
        }
        let edge = |(at, prior)| Edge {
            at,
            prior,
            visits: 0,
            wins: 0.0,
            child: None,
        };
        self.tree.grow(Node {
            win: win.clamp(0.0, 1.0),
            edges: moves.into_iter().map(edge).collect(),
        });
    }

    /// Plays a move, drawn by visits (the policy counts as one more), now and then any; begins anew where the game is over.
    fn play(&mut self, args: &ActorArgs) {
        let root = &self.tree.nodes[0];
        let moves: Vec<(Point, f32)> = root.edges.iter().map(|e| (e.at, e.visits as f32 + e.prior)).collect();
        let certain = (root.win - 0.5).abs() > SURE - 0.5;
        let temperature = if self.ply < self.hot { 1.0 } else { self.heat };
        let at = noisy(&self.state, &moves, temperature, &mut self.rng);
        self.tree.advance(at);
        self.state.play(at);
        self.ply += 1;
        self.sure = if certain { self.sure + 1 } else { 0 };
        let longest = 2 * self.size * self.size;
        if self.state.is_over() || self.ply >= longest || self.sure >= SURE_PLIES && !self.whole {
            let rng = SplitMix::new(self.rng.next());
            *self = Self::new(&[(self.size, 1)], args, rng);
            return;
        }
        self.leaf = self.state.clone();
        if let (true, Some(root)) = (self.noisy, self.tree.nodes.first_mut()) {
            let mut moves: Vec<(Point, f32)> = root.edges.iter().map(|e| (e.at, e.prior)).collect();
            noise::mix(&mut moves, NOISE.0, NOISE.1, &mut self.rng);
            root.edges.iter_mut().zip(moves).for_each(|(e, m)| e.prior = m.1);
        }
        self.draw_budget(args);
    }
}

/// The chance of the side to move where the game is over; `guess` where dead stones would have to be agreed upon.
fn ended(state: &SearchState, guess: f32) -> f32 {
    if state.rules.scoring == Scoring::Territory {
        return guess;
    }
    let lead = if state.turn == BLACK {
        state.final_lead()
    } else {
        -state.final_lead()
    };
    if lead == 0.0 {
        0.5
    } else {
        f32::from(u8::from(lead > 0.0))
    }
}

/// The legal points.
fn legal(state: &SearchState) -> impl Iterator<Item = Point> {
    let points = state.board.empties().iter().copied();
    points.filter(|&p| p != PASS && state.is_legal(p))
}

/// The number of a point in the planes: top row first.
fn place(board: &Board, p: Point) -> usize {
    let (x, y) = board.xy(p);
    (board.size() - 1 - y) * board.size() + x
}

/// The games, ordered by size.
struct Actor<'a> {
    args: &'a ActorArgs,
    sizes: Vec<usize>,
    games: Vec<Play>,
}

impl<'a> Actor<'a> {
    fn new(args: &'a ActorArgs) -> Result<Self> {
        let list = sizes(&args.sizes)?;
        let mut rng = SplitMix::new(args.seed);
        let mut games: Vec<Play> = (0..args.games)
            .map(|_| Play::new(&list, args, SplitMix::new(rng.next())))
            .collect();
        games.sort_by_key(|g| g.size);
        let mut sizes: Vec<usize> = list.iter().map(|s| s.0).collect();
        sizes.sort_unstable();
        sizes.dedup();
        Ok(Self { args, sizes, games })
    }

    /// The games of each size.
    fn counts(&self) -> Vec<usize> {
        let count = |size: &usize| self.games.iter().filter(|g| g.size == *size).count();
        self.sizes.iter().map(count).collect()
    }

    /// A step's positions as bytes.
    fn positions(&mut self) -> Vec<u8> {
        let args = self.args;
        let encoded: Vec<(Vec<u8>, Vec<u8>)> = self
            .games
            .par_iter_mut()
            .map_init(InputEncoder::default, |encoder, game| {
                game.ask(args);
                game.encode(encoder)
            })
            .collect();
        let counts = self.counts();
        let mut out: Vec<u8> = counts.iter().flat_map(|n| (*n as u32).to_le_bytes()).collect();
        let mut from = 0;
        for n in counts {
            let group = &encoded[from..from + n];
            group.iter().for_each(|(planes, _)| out.extend(planes));
            group.iter().for_each(|(_, numbers)| out.extend(numbers));
            from += n;
        }
        out
    }

    /// Bytes of an answer.
    fn answer_bytes(&self) -> usize {
        self.games.iter().map(|g| 2 * (g.size * g.size + 1) + 4).sum()
    }

    /// Takes an answer.
    fn answer(&mut self, bytes: &[u8]) {
        let mut places = Vec::with_capacity(self.games.len());
        let mut at = 0;
        for (n, size) in self.counts().into_iter().zip(&self.sizes) {
            let wide = 2 * (size * size + 1);
            places.extend((0..n).map(|i| (at + i * wide, at + n * wide + 4 * i)));
            at += n * (wide + 4);
        }
        self.games.par_iter_mut().zip(places).for_each(|(game, (policy, win))| {
            let weight =
                |i: usize| half::to_f32(u16::from_le_bytes([bytes[policy + 2 * i], bytes[policy + 2 * i + 1]]));
            let win = f32::from_le_bytes([bytes[win], bytes[win + 1], bytes[win + 2], bytes[win + 3]]);
            game.answer(weight, if win.is_finite() { win } else { 0.5 });
        });
    }
}

/// Plays until the learner closes its end.
pub fn run(args: &ActorArgs) -> Result<()> {
    let mut actor = Actor::new(args)?;
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(args.threads.into())
        .build()?;
    let (mut input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
    let mut bytes = vec![0; actor.answer_bytes()];
    loop {
        let positions = pool.install(|| actor.positions());
        let told = output.write_all(&positions).and_then(|()| output.flush());
        match told.and_then(|()| input.read_exact(&mut bytes)) {
            Ok(()) => pool.install(|| actor.answer(&bytes)),
            Err(e) if matches!(e.kind(), ErrorKind::UnexpectedEof | ErrorKind::BrokenPipe) => return Ok(()),
            Err(e) => bail!("the learner's pipe: {e}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(words: &str) -> ActorArgs {
        #[derive(clap::Parser)]
        struct Line {
            #[command(flatten)]
            args: ActorArgs,
        }
        let line: Line = clap::Parser::parse_from(format!("x {words}").split(' '));
        line.args
    }

    /// An answer in which the first legal points weigh most and the side to move is as likely to win as to lose.
    fn even(actor: &Actor) -> Vec<u8> {
        let mut out = Vec::new();
        for (n, size) in actor.counts().into_iter().zip(&actor.sizes) {
            for i in 0..n * (size * size + 1) {
                out.extend(half::from_f32(1.0 / (1 + i % (size * size + 1)) as f32).to_le_bytes());
            }
            out.extend([0.5_f32; 1].iter().cycle().take(n).flat_map(|x| x.to_le_bytes()));
        }
        out
    }

    #[test]
    fn games_go_on_and_begin_anew() {
        for nodes in [1, 6] {
            let args = args(&format!("--games 6 --nodes {nodes} --sizes 5:2,4 --seed 7"));
            let mut actor = Actor::new(&args).expect("games");
            assert_eq!(actor.sizes, [4, 5]);
            let mut begun = 0;
            let mut plies: Vec<usize> = actor.games.iter().map(|g| g.ply).collect();
            for _ in 0..800 {
                let bytes = actor.positions();
                let counts = actor.counts();
                let each = |n: &usize, size: usize| n * (plane_bytes(size) + 4 * NUMBERS);
                assert_eq!(bytes.len(), 8 + each(&counts[0], 4) + each(&counts[1], 5));
                let answer = even(&actor);
                assert_eq!(answer.len(), actor.answer_bytes());
                actor.answer(&answer);
                for (game, before) in actor.games.iter().zip(&mut plies) {
                    begun += usize::from(game.ply < *before);
                    *before = game.ply;
                    // All that was asked for this move is in the tree, or was told by the game's end.
                    assert!(game.asked <= game.budget && game.budget < 2 * nodes);
                    assert!(!game.tree.nodes.is_empty());
                }
            }
            assert!(begun > 10, "{begun} games came to their end");
        }
    }

    #[test]
    fn a_search_finds_the_better_move_and_its_tree_is_kept() {
        let args = args("--games 1 --nodes 2000 --sizes 4");
        let mut actor = Actor::new(&args).expect("a game");
        let game = &mut actor.games[0];
        game.noisy = false;
        game.budget = u32::MAX;
        // A side does well with a stone in the first corner.
        let worth = |g: &Play| match g.leaf.board.colour(g.leaf.board.at(0, 0)) == g.leaf.turn {
            true => 0.9,
            false => 0.1,
        };
        for _ in 0..300 {
            game.ask(&args);
            let win = worth(game);
            game.answer(|_| 1.0, win);
        }
        let root = &game.tree.nodes[0];
        let best = root.edges.iter().max_by_key(|e| e.visits).expect("moves");
        assert_eq!(game.state.board.index(best.at), 0);
        let below: u32 = root.edges.iter().map(|e| e.visits).sum();
        assert_eq!(below, game.asked - 1);
        let (at, visits) = (best.at, best.visits);
        game.tree.advance(at);
        let kept: u32 = game.tree.nodes[0].edges.iter().map(|e| e.visits).sum();
        assert_eq!(kept, visits - 1);
        let whole = game
            .tree
            .nodes
            .iter()
            .flat_map(|n| &n.edges)
            .filter(|e| e.child.is_some());
        assert_eq!(whole.count(), game.tree.nodes.len() - 1);
        game.tree.advance(at);
        assert!(game.tree.nodes.is_empty(), "an occupied point has no tree");
    }

    #[test]
    fn an_answer_of_no_numbers_is_played_on() {
        let args = args("--games 2 --nodes 3 --sizes 4");
        let mut actor = Actor::new(&args).expect("games");
        for byte in [0, 0xff, 0x7f] {
            for _ in 0..50 {
                actor.positions();
                let bytes = vec![byte; actor.answer_bytes()];
                actor.answer(&bytes);
            }
        }
    }
}
