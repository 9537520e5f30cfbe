//! Static evaluation: networks (NNUE, and the convolutional ones of go) and material.

#[cfg(feature = "go")]
pub mod conv;
mod material;
pub(crate) mod nets;
pub mod nnue;

pub use material::Material;

use crate::game::{Dirty, Evaluator, Features, PieceValues, Score};
pub use nets::names as built_in_networks;
use nnue::{HalfKp, HalfKpEvaluator, Kernel, Net, NnueEvaluator};
use std::sync::Arc;

/// The `EvalFile` that asks for the evaluation without a network.
const MATERIAL: &str = "material";

/// The source of the evaluation, of which an [`Eval`] is made for every thread.
#[derive(Clone, Default)]
pub enum EvalSource {
    /// Piece values and piece-square tables.
    #[default]
    Material,
    /// A network.
    Net(Arc<Net>),
    /// A file of the HalfKP layout, and what its output is divided by.
    HalfKp(Arc<HalfKp>, i32),
}

impl EvalSource {
    /// The network that is built in for a game; material where there is none.
    ///
    /// # Errors
    /// One line where there is one that does not fit the game: it is never replaced unasked.
    pub fn built_in<P: Features>() -> Result<Self, String> {
        let Some(bytes) = (const { nets::built_in(P::NAME) }) else {
            return Ok(Self::Material);
        };
        let net = Net::read::<P>(bytes).map_err(|e| format!("the built-in network of {}: {e}", P::NAME))?;
        Ok(Self::Net(Arc::new(net)))
    }

    /// What a value of `EvalFile` asks for.
    ///
    /// # Errors
    /// One line, where the file cannot be read or is no network of the game.
    pub fn of_file<P: Features>(file: &str) -> Result<Self, String> {
        match file {
            "" => Self::built_in::<P>(),
            MATERIAL => Ok(Self::Material),
            path => Ok(Self::Net(Arc::new(Net::open::<P>(path)?))),
        }
    }
}

/// The evaluator of a search: material, or a network. One predictable branch a call lets a network be loaded at any
/// time without compiling the search twice.
pub enum Eval<P: PieceValues> {
    /// By piece values and piece-square tables.
    Material(Material<P>),
    /// By a network.
    Net(Box<NnueEvaluator<P>>),
    /// By a HalfKP file.
    HalfKp(Box<HalfKpEvaluator<P>>),
}

impl<P: PieceValues> Eval<P> {
    /// An evaluator that must be [reset](Evaluator::reset) to a position before use.
    pub fn new(source: &EvalSource) -> Self {
        match source {
            EvalSource::Material => Self::Material(Material::default()),
            EvalSource::Net(net) => Self::Net(Box::new(NnueEvaluator::new(net.clone()))),
            EvalSource::HalfKp(file, scale) => {
                Self::HalfKp(Box::new(HalfKpEvaluator::new(file.clone(), *scale, Kernel::best())))
            }
        }
    }
}

impl<P: PieceValues> Evaluator<P> for Eval<P> {
    fn reset(&mut self, p: &P) {
        match self {
            Self::Material(e) => e.reset(p),
            Self::Net(e) => e.reset(p),
            Self::HalfKp(e) => e.reset(p),
        }
    }

    #[inline]
    fn push(&mut self, d: &Dirty) {
        match self {
            Self::Material(e) => e.push(d),
            Self::Net(e) => e.push(d),
            Self::HalfKp(e) => e.push(d),
        }
    }

    #[inline]
    fn pop(&mut self) {
        match self {
            Self::Material(e) => e.pop(),
            Self::Net(e) => e.pop(),
            Self::HalfKp(e) => e.pop(),
        }
    }

    #[inline]
    fn score(&mut self, p: &P) -> Score {
        match self {
            Self::Material(e) => e.score(p),
            Self::Net(e) => e.score(p),
            Self::HalfKp(e) => e.score(p),
        }
    }

    fn explain(&mut self, p: &P) -> String {
        match self {
            Self::Material(e) => e.explain(p),
            Self::Net(e) => material::table(p) + &e.explain(p),
            Self::HalfKp(e) => material::table(p) + &e.explain(p),
        }
    }
}
