//! The programs in C compute the same sums from the same data.

use super::examples::{EXAMPLES, Example};
use super::tools::{gcc, root, scratch, terrace};
use std::path::Path;
use std::process::Command;
use terrace::runtime::npy;

/// The sum that the C program prints.
fn c_sum(gcc: &Path, e: &Example, real: &str) -> f64 {
    let program = scratch("peers").join(format!("{}-{real}", e.name));
    let source = root().join("benches/peers").join(format!("{}.c", e.name));
    let out = Command::new(gcc)
        .args([
            "-std=c11",
            "-D_POSIX_C_SOURCE=199309L",
            "-O1",
            "-ffp-contract=off",
        ])
        .arg(format!("-DREAL={real}"))
        .arg(&source)
        .arg("-o")
        .arg(&program)
        .arg("-lm")
        .output()
        .expect("gcc starts");
    assert!(
        out.status.success(),
        "{}",
        String::from_utf8_lossy(&out.stderr)
    );
    let out = Command::new(&program)
        .args(e.sizes.iter().map(|(_, n)| n.to_string()))
        .env("REPEAT", "1")
        .output()
        .expect("the program starts");
    assert!(
        out.status.success(),
        "{}",
        String::from_utf8_lossy(&out.stderr)
    );
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    let sum = text.split_once("checksum ").map(|(_, s)| s.trim().parse());
    sum.and_then(Result::ok)
        .unwrap_or_else(|| panic!("no checksum in {text}"))
}

/// The sum of the same array after `terrace run`.
fn our_sum(e: &Example, folder: &str) -> f64 {
    let path = root()
        .join(folder)
        .join(format!("{}.mlir", e.name))
        .display()
        .to_string();
    let file = scratch("peers").join(format!("{}-{}.npy", e.name, folder.replace('/', "-")));
    let out = format!("--out={}={}", e.result, file.display());
    let flags = e.flags();
    let mut args = vec!["run", &path, &out];
    args.extend(flags.iter().map(String::as_str));
    terrace(&args).exits(0);
    let array = npy::read(&file).expect("the array was written");
    (0..array.len()).filter_map(|i| array.get_f64(i)).sum()
}

fn agree(folder: &str, real: &str, tolerance: f64) {
    let Some(gcc) = gcc() else {
        eprintln!("SKIPPED agreement with C in {real}: there is no gcc");
        return;
    };
    let mut wrong = Vec::new();
    for e in &EXAMPLES {
        let (c, ours) = (c_sum(&gcc, e, real), our_sum(e, folder));
        let error = (c - ours).abs() / c.abs().max(ours.abs());
        if error.is_nan() || error > tolerance {
            wrong.push(format!(
                "{}: {ours:e} instead of {c:e}, error {error:.1e}",
                e.name
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn c_agrees_in_f64() {
    agree("examples", "double", 1e-12);
}

#[test]
fn c_agrees_in_f32() {
    agree("examples/f32", "float", 1e-5);
}
