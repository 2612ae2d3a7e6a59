//! What a model means: names are found, arrays have layouts, statements have their points.

mod arrays;
mod names;
mod statement;
mod value;

use crate::affine::Form;
use crate::ast::{Compare, Item, Logic, Macro, Name, Tree};
use crate::domain::Axis;
use crate::layout::Array;
use crate::lexer::Span;
use crate::parser::error;
use rustc_hash::FxHashMap;
use terrace_ir::diag::{Diagnostic, SourceFile};

pub use names::nearest;

/// A model that is right as far as names and ranges go.
#[derive(Debug, Clone)]
pub struct Model {
    /// The name of its function.
    pub name: String,
    /// Parameters that are indices, in order.
    pub indices: Vec<String>,
    /// Parameters that are numbers, in order.
    pub reals: Vec<String>,
    /// Whether numbers have 64 bits.
    pub double: bool,
    /// Whether formulas are computed as they are written.
    pub strict: bool,
    /// All arrays, in order.
    pub arrays: Vec<Array>,
    /// Functions of C, and how many arguments each has.
    pub externs: Vec<(Name, usize)>,
    /// All statements, in order.
    pub statements: Vec<Statement>,
}

/// Elements of arrays that are computed at all points of some axes.
#[derive(Debug, Clone)]
pub struct Statement {
    /// The axes that there are loops over.
    pub axes: Vec<Axis>,
    /// The axes along which new values are read, in order.
    pub carried: Vec<usize>,
    /// The axes whose points do not wait for each other.
    pub parallel: Vec<usize>,
    /// Temporaries, in order.
    pub with: Vec<Value>,
    /// What is computed where.
    pub targets: Vec<Target>,
    /// The whole statement.
    pub span: Span,
}

/// An array that a statement computes.
#[derive(Debug, Clone)]
pub struct Target {
    /// The element.
    pub element: Element,
    /// What it becomes.
    pub value: Value,
}

/// An element of an array.
#[derive(Debug, Clone, PartialEq)]
pub struct Element {
    /// The array's place among all.
    pub array: usize,
    /// One for each dimension.
    pub subscripts: Vec<Form>,
    /// Where it is written.
    pub span: Span,
}

/// A formula whose names are known.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A number.
    Number(f64),
    /// A parameter, by its place among those that are numbers.
    Real(usize),
    /// An index as a number.
    Index(Form),
    /// An element.
    Load(Element),
    /// A temporary of the statement.
    Temporary(usize),
    /// The negative.
    Negative(Box<Value>),
    /// Of two numbers.
    Binary(crate::ast::Binary, Box<Value>, Box<Value>),
    /// A function.
    Call(Function, Vec<Value>),
    /// A function of C, by its place among all.
    Extern(usize, Vec<Value>),
    /// Computed as it is written.
    Group(Box<Value>),
    /// One of two: the first where the condition holds.
    If(Box<Condition>, Box<[Value; 2]>),
    /// By the sign of the first: the second below nought, the third at it, the fourth above.
    BySign(Box<[Value; 4]>),
}

/// A condition whose names are known.
#[derive(Debug, Clone, PartialEq)]
pub enum Condition {
    /// Of two numbers.
    Compare(Compare, Value, Value),
    /// Of two conditions.
    Logic(Logic, Box<Condition>, Box<Condition>),
    /// That another one does not hold.
    Not(Box<Condition>),
    /// It always or never holds.
    Known(bool),
}

impl Condition {
    fn loads<'v>(&'v self, found: &mut Vec<&'v Element>) {
        match self {
            Condition::Compare(_, a, b) => {
                a.loads(found);
                b.loads(found);
            }
            Condition::Logic(_, a, b) => {
                a.loads(found);
                b.loads(found);
            }
            Condition::Not(c) => c.loads(found),
            Condition::Known(_) => {}
        }
    }
}

/// Functions of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Function {
    Sqrt,
    Exp,
    Log,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Floor,
    Ceil,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    Abs,
    Min,
    Max,
    Atan2,
}

impl Value {
    /// All elements that the formula reads.
    pub fn loads<'v>(&'v self, found: &mut Vec<&'v Element>) {
        match self {
            Value::Load(e) => found.push(e),
            Value::Negative(v) | Value::Group(v) => v.loads(found),
            Value::Binary(_, a, b) => {
                a.loads(found);
                b.loads(found);
            }
            Value::Call(_, all) | Value::Extern(_, all) => all.iter().for_each(|v| v.loads(found)),
            Value::If(c, both) => {
                c.loads(found);
                both.iter().for_each(|v| v.loads(found));
            }
            Value::BySign(all) => all.iter().for_each(|v| v.loads(found)),
            Value::Number(_) | Value::Real(_) | Value::Index(_) | Value::Temporary(_) => {}
        }
    }
}

/// Names and what was found wrong.
pub(crate) struct Checker<'t> {
    pub file: &'t SourceFile,
    pub said: Vec<Diagnostic>,
    pub model: Model,
    pub macros: FxHashMap<String, &'t Macro>,
    /// Where each name is declared.
    pub declared: FxHashMap<String, Span>,
}

impl Checker<'_> {
    pub fn fail<T>(&mut self, span: Span, message: impl Into<String>) -> Option<T> {
        self.said.push(error(self.file, span, message));
        None
    }

    /// Takes a name; it must not be taken.
    pub fn declare(&mut self, name: &Name) {
        if let Some(first) = self.declared.get(&name.text) {
            let message = format!("`{}` is declared twice", name.text);
            let said = error(self.file, name.span, message)
                .with_note(self.file.location(first.start), "the first one is here");
            self.said.push(said);
        } else {
            self.declared.insert(name.text.clone(), name.span);
        }
    }
}

/// Finds what a tree means.
///
/// # Errors
///
/// All that is wrong with it, in its order.
pub fn check(file: &SourceFile, tree: &Tree) -> Result<Model, Vec<Diagnostic>> {
    let Some(head) = &tree.head else {
        let start = Span::default();
        return Err(vec![error(file, start, "the model has no head")]);
    };
    let of = |index: bool| -> Vec<String> {
        let those = head.parameters.iter().filter(|p| p.1 == index);
        those.map(|p| p.0.text.clone()).collect()
    };
    let mut c = Checker {
        file,
        said: Vec::new(),
        model: Model {
            name: head.name.text.clone(),
            indices: of(true),
            reals: of(false),
            double: head.double,
            strict: head.strict,
            arrays: Vec::new(),
            externs: Vec::new(),
            statements: Vec::new(),
        },
        macros: FxHashMap::default(),
        declared: FxHashMap::default(),
    };
    for (name, _) in &head.parameters {
        c.declare(name);
    }
    for item in &tree.items {
        match item {
            Item::Array(a) => {
                c.declare(&a.name);
                if let Some(made) = c.array(a) {
                    c.model.arrays.push(made);
                }
            }
            Item::Macro(m) => {
                c.declare(&m.name);
                c.macros.insert(m.name.text.clone(), m);
            }
            Item::Extern(f) => {
                c.declare(&f.name);
                if f.name.text == head.name.text {
                    let m = format!("`{}` is the name of the model", f.name.text);
                    c.fail::<()>(f.name.span, m);
                }
                c.model.externs.push((f.name.clone(), f.arguments.len()));
            }
            Item::Compute(s) => {
                if let Some(made) = c.statement(s) {
                    c.model.statements.push(made);
                }
            }
        }
    }
    match c.said.is_empty() {
        true => Ok(c.model),
        false => Err(c.said),
    }
}
