//! Steps that update a triangle or a rectangle of a matrix, with other statements beside:
//! `affine-delay-updates` lets the updates wait where that is right.

use terrace::run::executor::Program;

use super::backwards::run_backwards;
use super::check::{Failure, interpret, same, truth, words};
use super::rng::Rng;

/// A function of a loop whose steps update a matrix by a row and a column. Statements before and
/// behind scale what the updates need, keep it elsewhere, or touch what they change.
pub fn program(seed: u64) -> String {
    let mut r = Rng::new(seed);
    let steps = r.between(9, 17);
    let first = r.between(0, 2);
    let rows = r.between(1, 3);
    let columns = r.between(1, 3);
    let ends = [
        r.between(steps - 1, steps + 3),
        r.between(steps - 1, steps + 3),
    ];
    let triangle = r.chance(30);
    let factors = [
        *r.pick(&[
            "%A[%i, %k]",
            "%A[%i, %k]",
            "%A[%k, %i]",
            "%B[%i, %k]",
            "%B[%k, %k]",
        ]),
        *r.pick(&[
            "%A[%k, %j]",
            "%A[%k, %j]",
            "%A[%j, %k]",
            "%B[%k, %j]",
            "%B[%j, 0]",
        ]),
    ];
    let column = match triangle {
        true => format!("(%k + {columns}) to (%i + 1)"),
        false => format!("(%k + {columns}) to ({})", ends[1]),
    };
    let update = format!(
        "    affine.parallel (%i) = (%k + {rows}) to ({}) {{\n    affine.parallel (%j) = {column} {{\n      \
         %x = affine.load {} : memref<24x24xf64>\n      %y = affine.load {} : memref<24x24xf64>\n      \
         %z = arith.mulf %x, %y : f64\n      %a = affine.load %A[%i, %j] : memref<24x24xf64>\n      \
         %s = arith.subf %a, %z : f64\n      affine.store %s, %A[%i, %j] : memref<24x24xf64>\n    }}\n    }}\n",
        ends[0], factors[0], factors[1]
    );
    let mut other = || {
        let begin = *r.pick(&[rows, columns, rows, columns, 1]);
        let end = *r.pick(&[ends[0], ends[1], 20]);
        let to = *r.pick(&[
            "%A[%i, %k]",
            "%A[%i, %k]",
            "%A[%k, %i]",
            "%A[%k, %i]",
            "%B[%i, %k]",
            "%B[%k, %i]",
            "%B[%i, 0]",
            "%A[%i, %k + 1]",
            "%A[19, %i]",
        ]);
        let from = *r.pick(&[
            to,
            to,
            "%A[%k, %k]",
            "%A[%i, %k]",
            "%A[%k, %i]",
            "%B[%k, %i]",
        ]);
        // Another element of the same array might be one of another iteration.
        let from = match (&to[..2], &from[..2]) {
            (a, b) if a == b && from != "%A[%k, %k]" => to,
            _ if to == "%A[19, %i]" || to == "%A[%i, %k + 1]" => to,
            _ => from,
        };
        format!(
            "    affine.parallel (%i) = (%k + {begin}) to ({end}) {{\n      \
             %x = affine.load {from} : memref<24x24xf64>\n      %y = affine.load {to} : memref<24x24xf64>\n      \
             %z = arith.mulf %x, %half : f64\n      %s = arith.addf %y, %z : f64\n      \
             affine.store %s, {to} : memref<24x24xf64>\n    }}\n"
        )
    };
    let mut body = vec![other(), update];
    let (more, before) = (seed.is_multiple_of(3), seed.is_multiple_of(2));
    if more {
        let at = if before { 0 } else { body.len() };
        body.insert(at, other());
    }
    if seed.is_multiple_of(5) {
        body.swap(0, 1);
    }
    if seed.is_multiple_of(4) {
        body.insert(
            0,
            "    %d = affine.load %A[%k, %k] : memref<24x24xf64>\n    %h = arith.mulf %d, %half : f64\n    \
             affine.store %h, %A[%k, %k] : memref<24x24xf64>\n"
                .to_string(),
        );
    }
    format!(
        "func.func @main(%A: memref<24x24xf64> {{terrace.name = \"A\", terrace.init = \
         \"random:24x24:1\"}}, %B: memref<24x24xf64> {{terrace.name = \"B\", terrace.init = \
         \"random:24x24:2\"}}) {{\n  %half = arith.constant 0.5 : f64\n  affine.for %k = {first} to {steps} {{\n{}  }}\n  \
         return\n}}\n",
        body.concat()
    )
}

/// Whether the pass delayed something, where what it made does what the program did, also with
/// the iterations of parallel loops in another order.
///
/// # Errors
///
/// What differs, with the text of the program that was made.
pub fn delayed(seed: u64) -> Result<bool, String> {
    let text = program(seed);
    let say =
        |made: &str, f: Failure| format!("seed {seed}: {}\n{text}--- after\n{made}", f.message);
    let expected = truth(&text).map_err(|f| say("", f))?;
    let problem = |e| format!("seed {seed}: {e}\n{text}");
    let mut p = Program::new("random.mlir", &text).map_err(|d| problem(words(&d)))?;
    let size = 2 + seed % 4;
    let pipeline =
        format!("builtin.module(func.func(affine-delay-updates{{size={size} least={size}}}))");
    p.run_pipeline(&pipeline).map_err(|d| problem(words(&d)))?;
    let forwards = p.text();
    run_backwards(&mut p.ctx, p.module);
    for made in [&forwards, &p.text()] {
        let outcome = interpret(&text, made).map_err(|f| say(made, f))?;
        same(&outcome, &expected).map_err(|m| problem(format!("{m}\n--- after\n{made}")))?;
    }
    Ok(forwards.contains("affine.delayed"))
}
