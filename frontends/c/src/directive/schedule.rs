//! `terrace schedule(...)`: what is to be done to the loops of a region.

use super::Arg;
use crate::hir::Span;

/// What stands in the brackets.
#[derive(Debug, Clone, PartialEq)]
pub enum Schedule {
    /// `auto`: what is chosen without the directive.
    Auto,
    /// `none`: the loops run as they are written.
    None,
    /// `pluto`, `pluto(32)`: the order that the automatic scheduler finds, with tiles of
    /// that many iterations.
    Pluto(Option<StepArgument>),
    /// `"file"`: the steps of a schedule in MLIR, in a file beside the one that says so.
    /// The name is without its quotes.
    File(Arg),
    Steps(Vec<Step>),
}

/// One step: `tile(i, j: 32, 32)`.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    pub word: StepWord,
    /// Of the word.
    pub span: Span,
    /// The step as it is written.
    pub text: String,
    pub loops: Vec<LoopName>,
    pub numbers: Vec<StepArgument>,
}

/// A loop by its counter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoopName {
    pub name: String,
    /// `i#2` is the second of the loops over `i`, from 1.
    pub number: Option<u32>,
    pub span: Span,
}

/// A number of a step.
#[derive(Debug, Clone, PartialEq)]
pub struct StepArgument {
    pub arg: Arg,
    /// What name resolution found it to be.
    pub value: Option<i64>,
}

/// What a step does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StepWord {
    Tile,
    StripMine,
    Interchange,
    Unroll,
    UnrollJam,
    Parallel,
    Fuse,
    Distribute,
    Skew,
    Reverse,
    Shift,
    Coalesce,
    PeelFront,
    PeelBack,
    Split,
}

/// How many numbers stand behind the loops of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Numbers {
    None,
    One,
    MayOne,
    /// One for each loop.
    PerLoop,
    Some,
}

/// How a step is written.
#[derive(Debug, Clone, Copy)]
pub struct StepForm {
    pub word: StepWord,
    pub spelling: &'static str,
    /// The least and the most loops.
    pub loops: (usize, usize),
    pub numbers: Numbers,
    /// Whether numbers may be 0 and less.
    pub signed: bool,
    pub example: &'static str,
}

/// The most loops that a step takes, where nothing else bounds them.
const MANY: usize = 16;

const fn form(
    word: StepWord,
    spelling: &'static str,
    loops: (usize, usize),
    numbers: Numbers,
    example: &'static str,
) -> StepForm {
    let signed = matches!(word, StepWord::Shift | StepWord::Split | StepWord::Skew);
    StepForm {
        word,
        spelling,
        loops,
        numbers,
        signed,
        example,
    }
}

/// All steps.
pub const STEPS: &[StepForm] = &[
    form(
        StepWord::Tile,
        "tile",
        (1, MANY),
        Numbers::PerLoop,
        "tile(i, j: 32, 32)",
    ),
    form(
        StepWord::StripMine,
        "strip_mine",
        (1, 1),
        Numbers::One,
        "strip_mine(i: 32)",
    ),
    form(
        StepWord::Interchange,
        "interchange",
        (2, MANY),
        Numbers::None,
        "interchange(j, i)",
    ),
    form(
        StepWord::Unroll,
        "unroll",
        (1, 1),
        Numbers::MayOne,
        "unroll(k: 4)",
    ),
    form(
        StepWord::UnrollJam,
        "unroll_jam",
        (1, 1),
        Numbers::One,
        "unroll_jam(i: 4)",
    ),
    form(
        StepWord::Parallel,
        "parallel",
        (1, MANY),
        Numbers::None,
        "parallel(i)",
    ),
    form(
        StepWord::Fuse,
        "fuse",
        (2, 2),
        Numbers::None,
        "fuse(i#1, i#2)",
    ),
    form(
        StepWord::Distribute,
        "distribute",
        (1, 1),
        Numbers::Some,
        "distribute(i: 1)",
    ),
    form(
        StepWord::Skew,
        "skew",
        (2, 2),
        Numbers::One,
        "skew(t, i: 1)",
    ),
    form(
        StepWord::Reverse,
        "reverse",
        (1, 1),
        Numbers::None,
        "reverse(i)",
    ),
    form(
        StepWord::Shift,
        "shift",
        (1, 1),
        Numbers::One,
        "shift(i: 1)",
    ),
    form(
        StepWord::Coalesce,
        "coalesce",
        (2, MANY),
        Numbers::None,
        "coalesce(i, j)",
    ),
    form(
        StepWord::PeelFront,
        "peel_front",
        (1, 1),
        Numbers::One,
        "peel_front(i: 1)",
    ),
    form(
        StepWord::PeelBack,
        "peel_back",
        (1, 1),
        Numbers::One,
        "peel_back(i: 1)",
    ),
    form(
        StepWord::Split,
        "split",
        (1, 1),
        Numbers::One,
        "split(i: 100)",
    ),
];

impl StepWord {
    pub fn form(self) -> &'static StepForm {
        let found = STEPS.iter().find(|f| f.word == self);
        found.unwrap_or(&STEPS[0])
    }

    /// As it is written.
    pub fn spelling(self) -> &'static str {
        self.form().spelling
    }
}
