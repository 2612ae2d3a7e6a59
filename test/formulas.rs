//! Models in formulas: random ones, indices that are checked when a model runs, and callers of other languages.

#[path = "formulas/callers.rs"]
mod callers;
#[allow(dead_code)]
#[path = "cc/folder.rs"]
mod folder;
#[path = "formulas/random/mod.rs"]
mod random;

use terrace::run::bind::Value;
use terrace::run::compile;
use terrace::run::options::{RunOptions, Target};
use terrace::run::source::ProgramText;
use terrace::runtime::dtype::{DType, Scalar};

/// What a run of a model stops with.
fn stopped(text: &str, sizes: &[i64], shapes: &[&[usize]], target: Target) -> String {
    let source = ProgramText::formulas("m.tf", text);
    let program = source
        .program()
        .unwrap_or_else(|d| panic!("{}", source.render(&d)));
    let options = RunOptions {
        target,
        ..RunOptions::default()
    };
    let mut executor = compile(program, &options).unwrap_or_else(|e| panic!("{e}"));
    let index = |n: &i64| Value::Scalar(Scalar::from_bits(DType::Index, *n as u64));
    let mut args: Vec<Value> = sizes.iter().map(index).collect();
    for shape in shapes {
        let zeros = vec![0.0f64; shape.iter().product()];
        args.push(Value::array(shape, &zeros).expect("a shape of its elements"));
    }
    match executor.call(&mut args) {
        Ok(_) => String::new(),
        Err(d) => source
            .render(&d)
            .lines()
            .next()
            .unwrap_or_default()
            .to_string(),
    }
}

#[test]
fn what_is_not_sure_is_checked_at_run_time() {
    let text = "model m(N: index) precision f64\narray U(i: 1..N)\narray D(i: 1..N by 2)\ncompute U(i) = U[3] + 1\nedge D(N) = 2\n";
    for target in [Target::Interp, Target::Cpu, Target::Emulator] {
        let run = |n: i64, u: usize, d: usize| stopped(text, &[n], &[&[u], &[d]], target);
        assert_eq!(run(5, 5, 3), "", "{target:?}");
        let said = run(2, 2, 1);
        assert!(said.starts_with("m.tf:4:16: error: "), "{target:?}: {said}");
        assert!(
            said.ends_with("an index i of the array U is not there"),
            "{target:?}: {said}"
        );
        assert!(
            run(4, 4, 2).contains("an index i of the array D is not there"),
            "{target:?}"
        );
        assert!(
            run(5, 6, 3)
                .contains("dimension 0 of the array U has another size than the model says, N"),
            "{target:?}"
        );
        assert!(
            run(-1, 0, 0).contains("the parameter N is negative"),
            "{target:?}"
        );
    }
}
