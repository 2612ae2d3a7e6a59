//! Small programs for schedules and passes, and what they compute.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::OnceLock;

use terrace::dialects::func::FuncOp;
use terrace::ir::OpKind;
use terrace::ir::pass::PassOutput;
use terrace::run::bind::{Value, bind};
use terrace::run::executor::{Executor, Program};
use terrace::run::interp::InterpExecutor;

const TEXT: &str = include_str!("programs.mlir");

/// Functions that can be called.
pub const NAMES: [&str; 7] = [
    "gemm",
    "lu",
    "seidel",
    "neighbours",
    "temporary",
    "carried",
    "calls",
];

/// The programs, as one module of functions.
///
/// # Panics
///
/// They are right.
pub fn program() -> Program {
    Program::new("programs.mlir", TEXT).unwrap_or_else(|e| panic!("{e:?}"))
}

/// A function that can be called, and what it computes as it stands.
#[derive(Clone)]
pub struct Function {
    pub name: &'static str,
    expected: &'static [Vec<u64>],
}

impl Function {
    /// All of them.
    pub fn all() -> Vec<Function> {
        static ALL: OnceLock<Vec<(&str, Vec<Vec<u64>>)>> = OnceLock::new();
        let all = ALL.get_or_init(|| {
            let of = |name: &'static str| (name, computed(TEXT, name));
            NAMES.into_iter().map(of).collect()
        });
        let of =
            |(name, expected): &'static (&'static str, Vec<Vec<u64>>)| Function { name, expected };
        all.iter().map(of).collect()
    }
}

/// The bits of the arguments after a call of a function, and of its results.
fn computed(text: &str, name: &str) -> Vec<Vec<u64>> {
    // Passes need not keep what arguments are to be.
    let entry = program()
        .entry(Some(name))
        .unwrap_or_else(|e| panic!("{e}"));
    let mut args = bind(&entry, &[], &[]).unwrap_or_else(|e| panic!("{e:?}"));
    let program = match Program::new("changed.mlir", text) {
        Ok(p) => p,
        Err(e) => panic!("not read back: {e:?}\n{text}"),
    };
    let mut run = InterpExecutor::new(program, entry);
    let results = match run.call(&mut args) {
        Ok(r) => r,
        Err(e) => panic!("{name}: {e:?}\n{text}"),
    };
    let numbers = results.iter().filter_map(Value::scalar);
    let mut out = vec![numbers.map(|s| s.bits()).collect()];
    for a in &args {
        if let Value::Array(b) = a {
            out.push((0..b.len()).map(|i| b.bits(i).unwrap_or(0)).collect());
        }
    }
    out
}

/// # Panics
///
/// Where one of the functions computes in `text` something else than it did.
pub fn same_results(text: &str, functions: Vec<Function>) {
    for f in functions {
        let after = computed(text, f.name);
        assert_eq!(
            after, f.expected,
            "{} computes something else:\n{text}",
            f.name
        );
    }
}

/// The text of each function.
pub fn texts(p: &Program) -> BTreeMap<String, String> {
    let all = p.module.find_all::<FuncOp>(&p.ctx).into_iter();
    all.map(|f| (f.name(&p.ctx).to_string(), p.ctx.op_text(f.op())))
        .collect()
}

/// Passes have nothing to show here, and write nothing.
pub struct Silent;

impl PassOutput for Silent {
    fn show(&mut self, _: &str) {}
    fn save(&mut self, _: &Path, _: &str) -> Result<(), String> {
        Err("nothing is written here".into())
    }
}
