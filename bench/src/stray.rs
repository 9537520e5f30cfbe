//! `nguky stray`: positions a random move or two off the games that `nguky datagen` made, where captures have settled,
//! each with its static score, or that of a short search. Games that both sides play well never show a network what a lost
//! piece costs, and a search meets such positions all the time.
//!
//! Each position is a record of its own in the format of [`crate::games`], a game of one ply that has no result.

use crate::datagen::{SelfPlayer, network};
use crate::games::{GameRecord, NAMES, Scan, ScoredMove, first, of_game};
use anyhow::{Context, Result, bail};
use clap::Args as ClapArgs;
use indicatif::{ProgressBar, ProgressStyle};
use nguky::eval::Judge;
use nguky::game::random::{random_move, step};
use nguky::game::{Kind, Move, Moves, PieceValues};
use nguky::search::score::decisive;
use nguky::util::rng::SplitMix;
use rayon::prelude::*;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

/// The command line of `nguky stray`.
#[derive(ClapArgs)]
pub struct StrayArgs {
    /// The game: chess, xiangqi, coup or shogi
    #[arg(long, default_value = "chess")]
    game: String,
    /// Files of `nguky datagen`
    #[arg(long, required = true, num_args = 1..)]
    data: Vec<PathBuf>,
    /// Positions beside each position of the games
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=100))]
    each: u32,
    /// Seed of the random moves
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Games at a time
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..))]
    threads: u16,
    /// The network that evaluates; material without one
    #[arg(long)]
    net: Option<PathBuf>,
    /// Nodes by which each position is judged, after which the running iteration is finished (within eight times as
    /// many); its static score without
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..1 << 40))]
    nodes: Option<u64>,
    /// The file of positions
    #[arg(long)]
    out: PathBuf,
}

/// Games between two writes.
const BATCH: usize = 64;

/// Makes the positions.
pub fn run(args: &StrayArgs) -> Result<()> {
    of_game!(generate(args))
}

fn generate<P: PieceValues>(args: &StrayArgs) -> Result<()> {
    let (judge, net) = network::<P>(args.net.as_deref())?;
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(args.threads.into())
        .build()?;
    let name = args.out.display();
    let mut out = BufWriter::new(std::fs::File::create(&args.out).with_context(|| format!("cannot write {name}"))?);
    let mut positions = 0;
    for path in &args.data {
        let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        let style = ProgressStyle::with_template("{bar:30} {bytes}/{total_bytes}, {msg}, {eta} left")?;
        let bar = ProgressBar::new(bytes.len() as u64).with_style(style);
        let mut scan = Scan::new(&bytes);
        loop {
            let games: Vec<GameRecord> = scan.by_ref().take(BATCH).collect();
            if games.is_empty() {
                break;
            }
            if let Some(other) = games.iter().find(|g| NAMES.get(g.kind) != Some(&P::NAME)) {
                let told = (path.display(), NAMES.get(other.kind).unwrap_or(&"?"), P::NAME);
                bail!("{} holds games of {}; expected {}", told.0, told.1, told.2);
            }
            let one = |seat: &mut Option<SelfPlayer<P>>, game: &GameRecord| beside(seat, game, args, &judge, net);
            let found: Vec<Vec<Vec<u8>>> = pool.install(|| {
                games
                    .par_iter()
                    .with_max_len(4)
                    .map_init(|| None, one)
                    .collect::<Result<_>>()
            })?;
            for record in found.iter().flatten() {
                out.write_all(record).with_context(|| format!("cannot write {name}"))?;
                positions += 1;
            }
            bar.set_position(scan.end as u64);
            bar.set_message(format!("{positions} positions"));
        }
        bar.finish();
    }
    out.flush().with_context(|| format!("cannot write {name}"))?;
    eprintln!("{positions} positions in {name}");
    Ok(())
}

/// The records of the positions beside one game's.
fn beside<P: PieceValues>(
    seat: &mut Option<SelfPlayer<P>>,
    game: &GameRecord,
    args: &StrayArgs,
    judge: &Judge,
    net: u32,
) -> Result<Vec<Vec<u8>>> {
    let seat = match seat {
        Some(seat) => seat,
        None => seat.insert(SelfPlayer::new(judge)?),
    };
    let mut rng = SplitMix::new(SplitMix::new(args.seed ^ game.seed.rotate_left(32)).next() ^ game.number);
    let mut out = Vec::new();
    seat.clear();
    game.replay::<P>(&mut |pos, ply| {
        if ply.score.is_none_or(decisive) {
            return;
        }
        for _ in 0..args.each {
            let mut pos = pos.clone();
            // One move most of the time, else a move of each side.
            for _ in 0..1 + rng.below(3) / 2 {
                let Some(mv) = random_move(&pos, &mut rng) else {
                    return;
                };
                step(&mut pos, mv, &mut rng);
            }
            if pos.ended().is_some() {
                continue;
            }
            let (pos, score) = seat.settle(pos, &mut rng);
            let mut moves = Moves::new();
            pos.generate(Kind::Quiet, &mut moves);
            let (false, Some(quiet)) = (pos.in_check(), moves.iter().next()) else {
                continue;
            };
            let (mv, score) = match args.nodes {
                Some(nodes) => seat.think(&pos, nodes),
                None => (quiet, score),
            };
            // What a capture or a mate decides, the next position tells; the trainer would leave it out.
            if pos.is_tactical(mv) || decisive(score) {
                continue;
            }
            let score = Some(if first(&pos) { score } else { -score });
            let stray = GameRecord {
                nodes: args.nodes.unwrap_or(0),
                net,
                setup: pos.setup(),
                result: None,
                more: false,
                plies: vec![ScoredMove {
                    mv: mv.raw(),
                    outcome: None,
                    score,
                }],
                ..*game
            };
            out.push(stray.record());
        }
    });
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games;
    use nguky::games::{chess::Chess, coup::Coup, shogi::Shogi, xiangqi::Xiangqi};
    use std::path::Path;

    /// Strays are sound records that replay, quiet ones, without a result, and more uneven than the games.
    #[test]
    fn strays_can_be_learnt_from() {
        let dir = std::env::temp_dir().join(format!("nguky-stray-{}", std::process::id()));
        std::fs::create_dir_all(&dir).expect("a folder");
        fn all<P: PieceValues>(dir: &Path, nodes: Option<u64>) {
            let (played, out) = (dir.join("games"), dir.join("stray"));
            crate::datagen::run(&crate::datagen::tests::args(P::NAME, dir, "games", 4)).expect("games");
            run(&StrayArgs {
                game: P::NAME.into(),
                data: vec![played.clone()],
                each: 3,
                seed: 1,
                threads: 2,
                net: None,
                nodes,
                out: out.clone(),
            })
            .expect("strays");
            let spread = |path: &Path| {
                let mut scores = Vec::new();
                let told = games::quiet::<P>(path, &mut |q| {
                    assert!(!q.pos.in_check());
                    scores.push((q.score.abs().min(1500), q.result));
                })
                .expect("a file");
                assert_eq!((told.broken, told.skipped), (0, 0));
                scores
            };
            let (played, strays) = (spread(&played), spread(&out));
            assert!(strays.len() > played.len(), "{} strays", strays.len());
            assert!(strays.iter().all(|s| s.1.is_none()) && played.iter().all(|s| s.1.is_some()));
            let mean = |list: &[(i32, Option<f32>)]| list.iter().map(|s| s.0).sum::<i32>() / list.len() as i32;
            assert!(mean(&strays) > mean(&played), "{} and {}", mean(&strays), mean(&played));
            std::fs::remove_file(dir.join("games")).expect("removed");
        }
        all::<Chess>(&dir, None);
        all::<Chess>(&dir, Some(50));
        all::<Xiangqi>(&dir, None);
        all::<Coup>(&dir, Some(20));
        all::<Shogi>(&dir, Some(20));
        std::fs::remove_dir_all(&dir).expect("removed");
    }
}
