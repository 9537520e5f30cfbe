//! `nguky datagen --game go`: games by the search against itself, with playouts or a network (`--net`), or by a network's
//! policy (`--teacher`), with a label on each position that is worth learning from ([`super::record`]).
//!
//! By search, a share of the moves (`--full`) is searched with all playouts and labelled by its visits; the others are
//! played with `--fast` playouts, for more games (playout cap randomization, Wu 2019). By a teacher each position is
//! labelled with one look, and moves are drawn from its policy with some noise, so that odd positions are learnt, too.
//! With `--net` as well that network draws the moves and the teacher labels one position in three: more games for the
//! same labels, and the positions are those that the student gets into (after Ross, Gordon and Bagnell, "A reduction of
//! imitation learning", 2011); with `--visits` those that its searches get into ([`super::teacher`]).

use super::draw::{begin, sizes, tempered};
use super::record::{GoPly, GoRecord, Label, index, policy};
use super::teacher;
use crate::datagen::{DatagenArgs, produce, resume};
use crate::games::{Scan, hash};
use anyhow::{Context, Result, anyhow, bail};
use nguky::games::go::types::{BLACK, EMPTY, PASS};
use nguky::games::go::{Game, Point, score};
use nguky::mcts::evaluator::{Evaluation, LeafEvaluator};
use nguky::mcts::network::{NetEvaluator, Network, Optimism, Precision, Symmetry};
use nguky::mcts::playouts::{PLAYOUTS, PlayoutEvaluator};
use nguky::mcts::state::SearchState;
use nguky::mcts::{Analysis, Search, SearchParams};
use nguky::util::rng::SplitMix;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A point is settled when so surely someone's.
const SETTLED: f32 = 0.85;
/// Bytes of a search tree.
const TREE: usize = 128 << 20;

/// A search with its evaluator.
struct Searcher {
    search: Search,
    evaluator: Box<dyn LeafEvaluator>,
}

/// An evaluator with the plain policy, for training targets.
fn target_evaluator(network: &Arc<Network>, rng: &mut SplitMix) -> NetEvaluator {
    let mut evaluator = NetEvaluator::new(network.clone(), Symmetry::Random, rng.next());
    evaluator.set_optimism(Optimism::NONE);
    evaluator
}

impl Searcher {
    fn new(game: &Game, network: Option<&Arc<Network>>, rng: &mut SplitMix) -> Self {
        let (params, evaluator): (_, Box<dyn LeafEvaluator>) = match network {
            None => (
                SearchParams::default().for_playouts(),
                Box::new(PlayoutEvaluator::new(game.board(), PLAYOUTS, rng.next())),
            ),
            Some(network) => (
                SearchParams::self_play(rng.next()),
                Box::new(target_evaluator(network, rng)),
            ),
        };
        let search = Search::new(game, TREE, params);
        Self { search, evaluator }
    }

    /// The policy of moves to begin with, without the pass.
    fn policy(&mut self, state: &SearchState) -> Vec<(Point, f32)> {
        let mut evaluation = Evaluation::default();
        self.evaluator.policy(state, &mut evaluation);
        evaluation.policy.retain(|m| m.0 != PASS);
        evaluation.policy
    }

    fn think(&mut self, game: &Game, visits: u64) -> Analysis {
        let Self { search, evaluator } = self;
        search.clear();
        search.set_root(game);
        search.run(evaluator.as_mut(), &|_, _, _| true, &|| search.playouts() >= visits);
        search.analysis()
    }
}

/// Runs the making of games.
pub fn run(args: &DatagenArgs) -> Result<()> {
    let sizes = sizes(&args.sizes)?;
    let read = |path: &PathBuf| -> Result<(u32, Arc<Network>)> {
        let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        let name = path
            .to_str()
            .with_context(|| format!("{} is no name in UTF-8", path.display()))?;
        let network = Network::open(name, args.precision, 0).map_err(|e| anyhow!(e))?;
        Ok((hash(&bytes).max(1), Arc::new(network)))
    };
    let teacher = args.teacher.as_ref().map(read).transpose()?;
    let player = args.net.as_ref().map(read).transpose()?;
    let net = teacher.as_ref().or(player.as_ref()).map_or(0, |n| n.0);
    let told = match (&teacher, &player) {
        (Some(_), Some(player)) => {
            let visits = args.visits.map_or_else(String::new, |n| format!(", {n} visits"));
            format!("sizes {}, moves by {:08x}{visits}", args.sizes, player.0)
        }
        (Some(_), None) => format!("sizes {}", args.sizes),
        _ => format!(
            "{} playouts, {} % of moves, {} for the others, sizes {}, {} plies",
            args.nodes,
            args.full(),
            args.fast(),
            args.sizes,
            args.plies
        ),
    };
    let told = if args.precision == Precision::Int8 {
        told + ", int8"
    } else {
        told
    };
    let blank = GoRecord {
        seed: args.seed,
        number: 0,
        settings: hash(told.as_bytes()),
        net,
        size: 0,
        rules: 0,
        komi: 0.0,
        end: None,
        plies: Vec::new(),
    };
    let (file, done) = resume(&args.out, b"NG", |bytes| sound(bytes, &args.out, &blank))?;
    produce(args, file, done, |number| {
        let mut rng = SplitMix::new(SplitMix::new(args.seed).next() ^ number);
        let mut record = GoRecord {
            number,
            ..blank.clone()
        };
        begin(&mut record, &sizes, &mut rng);
        let game = record.start().context("no such board")?;
        match &teacher {
            Some((_, teacher)) => {
                let mut teacher = target_evaluator(teacher, &mut rng);
                let player = player.as_ref().map(|p| &p.1);
                if let (Some(player), Some(visits)) = (player, args.visits) {
                    teacher::by_search(&mut record, game, &mut teacher, player, visits, &mut rng)?;
                } else {
                    let mut player = player.map(|player| target_evaluator(player, &mut rng));
                    teacher::by_policy(&mut record, &game, &mut teacher, player.as_mut(), &mut rng);
                }
            }
            None => {
                let searcher = Searcher::new(&game, player.as_ref().map(|p| &p.1), &mut rng);
                search(&mut record, game, searcher, args, &mut rng)?;
            }
        }
        let of_ply = |p: &GoPly| usize::from(p.label.is_some()) + p.variations.len();
        let labels = record.plies.iter().map(of_ply).sum();
        Ok((record.bytes(), labels))
    })
}

/// Where the last sound game ends, and how many there are, all of this run.
fn sound(bytes: &[u8], path: &Path, blank: &GoRecord) -> Result<(usize, u64)> {
    let name = path.display();
    let (mut scan, mut done) = (Scan::new(bytes), 0);
    for r in scan.by_ref() {
        let told = |r: &GoRecord| format!("seed {}, settings {:08x}, network {:08x}", r.seed, r.settings, r.net);
        if told(&r) != told(blank) {
            bail!("{name} holds games of {}; expected {}", told(&r), told(blank));
        }
        if r.number != done {
            bail!(
                "{name} has game {} where {done} is expected; it is no single run's file",
                r.number
            );
        }
        done += 1;
    }
    Ok((scan.end, done))
}

/// A game by search; at its end the board tells who owned what.
fn search(
    record: &mut GoRecord,
    mut game: Game,
    mut searcher: Searcher,
    args: &DatagenArgs,
    rng: &mut SplitMix,
) -> Result<()> {
    let area = game.board().area();
    let opening = rng.below(args.plies + 1) as usize;
    let mut last = Analysis::default();
    for ply in 0..3 * area {
        if game.passes() >= 2 || settled(&last) {
            break;
        }
        let p = if ply < opening {
            let p = tempered(&searcher.policy(&SearchState::of(&game)), 1.0, rng);
            record.plies.push(GoPly {
                at: index(game.board(), p),
                ..GoPly::default()
            });
            p
        } else {
            let (full, playouts) = args.draw_ply(rng);
            last = searcher.think(&game, playouts);
            let temperature = if ply < game.board().size() { 0.8 } else { 0.2 };
            let moves: Vec<(Point, f32)> = last.moves.iter().map(|m| (m.mv, m.visits as f32)).collect();
            let p = tempered(&moves, temperature, rng);
            record.plies.push(GoPly {
                at: index(game.board(), p),
                label: full.then(|| searched(&game, &last, &moves)),
                ..GoPly::default()
            });
            p
        };
        let side = game.side();
        if game.play(p, side).is_err() {
            bail!("the search of go gave an illegal move; this is a bug");
        }
    }
    let dead = score::to_remove(game.board(), game.rules(), &last.ownership);
    let clean = game.board().without(&dead);
    let territory = score::territory(&clean);
    let owner = |p: Point| match clean.colour(p) {
        EMPTY => territory[p as usize],
        c => c,
    };
    record.end = Some((game.score(&dead), clean.points().map(owner).collect()));
    Ok(())
}

fn searched(game: &Game, found: &Analysis, moves: &[(Point, f32)]) -> Label {
    let black = game.side() == nguky::game::Side::First;
    let most = moves.iter().map(|m| m.1).fold(1.0, f32::max);
    Label {
        policy: policy(game.board(), moves, (65535.0 / most).min(1.0)),
        win: if black { found.value } else { 1.0 - found.value },
        lead: if black { found.score } else { -found.score },
        deviation: 0.0,
        own: Vec::new(),
    }
}

/// Whether every point is surely someone's.
fn settled(found: &Analysis) -> bool {
    !found.ownership.is_empty() && found.ownership.iter().all(|o| o.abs() > SETTLED)
}

/// Whose each point is at the end of a game, from -1 for white to 1 for black.
pub fn owned(end: &[u8]) -> Vec<f32> {
    let one = |&c: &u8| match c {
        EMPTY => 0.0,
        BLACK => 1.0,
        _ => -1.0,
    };
    end.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use nguky::eval::conv::Model;
    use nguky::eval::conv::model::Activation;
    use nguky::eval::conv::random::{BlockShape, ModelShape};

    /// Games by playouts, by a network's search, by a teacher's policy, or by a student's policy or search with the teacher's
    /// labels.
    #[derive(Clone, Copy, Debug, PartialEq)]
    enum By {
        Playouts,
        Search,
        Teacher,
        Student,
        StudentSearch,
    }

    fn args(dir: &Path, name: &str, by: By) -> DatagenArgs {
        let net = Some(dir.join("net.bin"));
        #[derive(clap::Parser)]
        struct PositionLine {
            #[command(flatten)]
            args: DatagenArgs,
        }
        let words = "x --game go --games 17 --nodes 20 --plies 4 --sizes 4,5:2 --seed 3 --out y";
        let line: PositionLine = clap::Parser::parse_from(words.split(' '));
        DatagenArgs {
            out: dir.join(name),
            teacher: net.clone().filter(|_| !matches!(by, By::Playouts | By::Search)),
            net: net.filter(|_| !matches!(by, By::Playouts | By::Teacher)),
            visits: (by == By::StudentSearch).then_some(6),
            ..line.args
        }
    }

    fn model(path: &Path) {
        let shape = ModelShape {
            version: 8,
            spatial: 22,
            globals: 19,
            first: 3,
            channels: 8,
            middle: 8,
            pooled: 8,
            blocks: vec![BlockShape::Ordinary],
            act: Activation::Relu,
            head: 8,
            value: 8,
        };
        std::fs::write(path, Model::random("tiny", &shape, 1).write()).expect("written");
    }

    #[test]
    fn a_killed_run_goes_on_and_ends_the_same() {
        let dir = std::env::temp_dir().join(format!("nguky-datagen-go-{}", std::process::id()));
        std::fs::create_dir_all(&dir).expect("a folder");
        model(&dir.join("net.bin"));
        for by in [By::Playouts, By::Search, By::Teacher, By::Student, By::StudentSearch] {
            let _ = std::fs::remove_file(dir.join("whole"));
            run(&args(&dir, "whole", by)).expect("a run");
            let bytes = std::fs::read(dir.join("whole")).expect("the file");
            let records: Vec<GoRecord> = Scan::new(&bytes).collect();
            assert_eq!(records.len(), 17);
            let plies: Vec<&GoPly> = records.iter().flat_map(|r| &r.plies).collect();
            let labelled = plies.iter().filter(|p| p.label.is_some()).count();
            assert!(
                labelled > 0 && (by != By::Student || labelled < plies.len() / 2),
                "{by:?}"
            );
            assert!(records.iter().all(|r| r.replay(&mut |_, _| {})), "an illegal move");
            assert_eq!(plies.iter().any(|p| !p.variations.is_empty()), by == By::StudentSearch);
            assert_eq!(
                records.iter().all(|r| r.end.is_some()),
                matches!(by, By::Playouts | By::Search)
            );
            for cut in [0, 1, 8, bytes.len() / 3, bytes.len() - 1] {
                std::fs::write(dir.join("broken"), &bytes[..cut]).expect("written");
                run(&args(&dir, "broken", by)).expect("a run");
                let again = std::fs::read(dir.join("broken")).expect("the file");
                assert!(again == bytes, "cut at {cut}");
            }
            let searched = |r: &GoRecord| r.plies.iter().filter(|p| p.label.is_some()).count();
            let full = DatagenArgs {
                full: Some(100),
                ..args(&dir, "full", by)
            };
            if matches!(by, By::Playouts | By::Search) {
                let _ = std::fs::remove_file(dir.join("full"));
                run(&full).expect("a run");
                let bytes = std::fs::read(dir.join("full")).expect("the file");
                let all: usize = Scan::<GoRecord>::new(&bytes).map(|r| searched(&r)).sum();
                assert!(all > 2 * labelled, "{all} and {labelled}");
            }
            let other = DatagenArgs {
                seed: 4,
                ..args(&dir, "whole", by)
            };
            let told = run(&other).expect_err("another seed").to_string();
            assert!(told.contains("seed 3"), "{told}");
        }
        std::fs::remove_dir_all(&dir).expect("removed");
    }
}
