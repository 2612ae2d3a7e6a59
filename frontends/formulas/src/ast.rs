//! A model as it is written.

use crate::lexer::Span;

/// A word and its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Name {
    /// The word.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

/// A whole file.
#[derive(Debug, Clone, Default)]
pub struct Tree {
    /// The head; `None` where it is missing or wrong.
    pub head: Option<Head>,
    /// What follows, in order.
    pub items: Vec<Item>,
}

/// `model NAME(parameters) precision f32 strict`.
#[derive(Debug, Clone)]
pub struct Head {
    /// The name of the model and of its function.
    pub name: Name,
    /// Parameters, and whether each is an index.
    pub parameters: Vec<(Name, bool)>,
    /// Whether numbers have 64 bits rather than 32.
    pub double: bool,
    /// Whether formulas are computed as they are written.
    pub strict: bool,
}

/// A declaration or statement.
#[derive(Debug, Clone)]
pub enum Item {
    /// `array`.
    Array(Array),
    /// `macro`.
    Macro(Macro),
    /// `extern`.
    Extern(Extern),
    /// `compute` or `edge`.
    Compute(Compute),
}

/// `extern f(x, y)`: a function of C.
#[derive(Debug, Clone)]
pub struct Extern {
    /// Its name in C.
    pub name: Name,
    /// What its arguments are called; only how many there are counts.
    pub arguments: Vec<Name>,
}

/// A dimension of an array: `k: 1..M+1 by 2`.
#[derive(Debug, Clone)]
pub struct Dim {
    /// The index.
    pub name: Name,
    /// The first index.
    pub low: Expr,
    /// The last index.
    pub high: Expr,
    /// From one index to the next.
    pub by: i64,
}

/// `array A(dims) bands k 2, order k i, same k, positive`.
#[derive(Debug, Clone)]
pub struct Array {
    /// The array.
    pub name: Name,
    /// Its dimensions.
    pub dims: Vec<Dim>,
    /// The order in memory, the outermost first; empty for the order of `dims`.
    pub order: Vec<Name>,
    /// Dimensions whose elements are spread over a number of bands.
    pub bands: Vec<(Name, i64)>,
    /// Dimensions along which all elements are one.
    pub same: Vec<Name>,
    /// All elements are above nought.
    pub positive: bool,
    /// No element is below nought.
    pub nonnegative: bool,
}

/// `macro A(i, k) = formula`.
#[derive(Debug, Clone)]
pub struct Macro {
    /// What stands for the formula.
    pub name: Name,
    /// What its subscripts are called in the formula.
    pub arguments: Vec<Name>,
    /// The formula.
    pub value: Expr,
}

/// One index of a `compute`.
#[derive(Debug, Clone)]
pub struct Along {
    /// The index, or the place where the statement stays.
    pub what: Expr,
    /// Elements left out in front and behind.
    pub skip: (i64, i64),
    /// From one element to the next.
    pub step: i64,
    /// From the last to the first.
    pub down: bool,
}

/// `compute A, B (indices) carried k parallel i with t = ...; A = ... B = ...`.
#[derive(Debug, Clone)]
pub struct Compute {
    /// The arrays that are computed.
    pub targets: Vec<Name>,
    /// Their indices.
    pub along: Vec<Along>,
    /// Indices along which new values are read.
    pub carried: Vec<Name>,
    /// Indices that no iteration hands something on along.
    pub parallel: Vec<Name>,
    /// Temporaries, in order.
    pub with: Vec<(Name, Expr)>,
    /// What each target becomes.
    pub values: Vec<(Name, Expr)>,
    /// The whole statement.
    pub span: Span,
}

/// What two numbers become.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    Power,
}

/// How two numbers are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Compare {
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
}

/// How two conditions are joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Logic {
    /// Both hold.
    And,
    /// One of them holds, or both.
    Or,
}

/// A formula or a condition.
#[derive(Debug, Clone, PartialEq)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it stands.
    pub span: Span,
}

/// What a formula is.
#[derive(Debug, Clone, PartialEq)]
pub enum ExprKind {
    /// A number; whether it is a whole one.
    Number(f64, bool),
    /// A parameter, an index or a temporary.
    Name(String),
    /// An element of an array, or a macro: `A[i, k]`, `T_(i, k)`; or a function.
    Of(Name, Vec<Expr>),
    /// The negative.
    Negative(Box<Expr>),
    /// Of two formulas.
    Binary(Binary, Box<Expr>, Box<Expr>),
    /// `_grp(x)`: computed as it is written.
    Group(Box<Expr>),
    /// `if(a < b, x, y)`: a condition, and what holds with it and without.
    If(Box<[Expr; 3]>),
    /// `a < b`, a condition.
    Compare(Compare, Box<Expr>, Box<Expr>),
    /// Of two conditions.
    Logic(Logic, Box<Expr>, Box<Expr>),
    /// That a condition does not hold.
    Not(Box<Expr>),
    /// A condition that always or never holds.
    Known(bool),
}
