//! What MLIR's own tools print runs as it stands.

use super::tools::{assemble_all, bridge, programs, root, terrace};
use std::process::Command;
use terrace_lit::feature::skip;

/// The functions of the programs made from each source, with their arguments in the
/// order of the parameters. Arrays of known sizes need no shape.
const FUNCTIONS: [(&str, &str, &[&str]); 8] = [
    (
        "batch_matmul",
        "batch_matmul",
        &["random", "random", "zeros"],
    ),
    (
        "batch_matmul",
        "batch_matmul_dynamic",
        &["random:2x3x4", "random:2x4x5", "zeros:2x3x5"],
    ),
    ("conv_2d", "conv_2d", &["random", "random", "zeros"]),
    ("conv_2d", "conv_2d_strided", &["random", "random", "zeros"]),
    ("matmul", "matmul", &["random", "random", "zeros"]),
    (
        "matmul",
        "matmul_dynamic",
        &["random:4x6", "random:6x5", "random:4x5"],
    ),
    (
        "reductions",
        "reductions_rows",
        &["random", "zeros", "zeros"],
    ),
    ("reductions", "norm", &["random:5x6", "zeros"]),
];

/// Programs on tensors, and models as torch-mlir prints them, with what they are called with.
const ON_TENSORS: [(&str, &str, &[&str]); 11] = [
    ("tensors/attention", "attention", &["random"; 3]),
    ("tensors/batch_products", "batch_products", &["random"; 2]),
    ("tensors/convolution", "convolution", &["random"; 2]),
    (
        "tensors/linear",
        "linear",
        &["random:5x7", "random:7x9", "random:9"],
    ),
    ("tensors/softmax", "softmax", &["random:5x16"]),
    ("models/cnn", "forward", &["random"]),
    ("models/embedding", "forward", &["iota", "random"]),
    ("models/lstm", "forward", &["random"; 3]),
    ("models/mlp", "forward", &["random:3x8"]),
    ("models/norm", "forward", &["random"]),
    ("models/residual", "forward", &["random:2x3x6x5"]),
];

/// Programs as Polygeist prints C, with what they are called with.
const OF_C: [(&str, &[&str]); 7] = [
    (
        "gemm",
        &[
            "9",
            "11",
            "13",
            "1.5",
            "1.25",
            "random:9x11",
            "random:9x13",
            "random:13x11",
        ],
    ),
    ("histogram", &["50", "zeros:50", "zeros:8"]),
    ("jacobi", &["3", "20", "random:20x20", "random:20x20"]),
    ("last", &["random:9", "9"]),
    ("pi", &["100"]),
    ("root", &["10", "random:10", "zeros:10"]),
    ("trisolv", &["17", "random:17x17", "random:17", "random:17"]),
];

/// Runs a function of a file on all targets, and has the interpreter judge what comes out.
fn runs(path: &str, function: &str, values: &[&str], options: &[&str]) {
    let args: Vec<String> = values
        .iter()
        .enumerate()
        .map(|(i, v)| format!("--arg={i}={v}"))
        .collect();
    for target in ["interp", "cpu", "emulator"] {
        let mut line = vec![
            "run", path, "--entry", function, "--target", target, "--verify",
        ];
        line.extend(options);
        line.extend(args.iter().map(String::as_str));
        let r = terrace(&line).exits(0);
        assert!(
            r.stdout.contains("verify   passed"),
            "{path} @{function}: {}",
            r.stdout
        );
    }
}

fn path(below: &str) -> String {
    let path = root().join("test/real").join(below);
    path.display().to_string()
}

fn verified(form: &str) {
    for (file, function, values) in FUNCTIONS {
        runs(&path(&format!("{file}-{form}.mlir")), function, values, &[]);
    }
}

#[test]
fn imported_from_tensors() {
    for (file, function, values) in ON_TENSORS {
        let name = file.rsplit('/').next().unwrap_or(file);
        runs(
            &path(&format!("imported/{name}.mlir")),
            function,
            values,
            &[],
        );
    }
}

#[test]
fn as_polygeist_prints_c() {
    for (file, values) in OF_C {
        runs(&path(&format!("c/{file}.mlir")), file, values, &[]);
    }
}

/// The bridge makes of the programs what is kept of them, and they run from their own text.
#[test]
fn through_the_bridge() {
    let Some(bridge) = bridge() else {
        return skip("terrace-mlir", "through_the_bridge");
    };
    for (file, function, values) in ON_TENSORS {
        let input = path(&format!("Inputs/{file}.mlir"));
        let name = file.rsplit('/').next().unwrap_or(file);
        let kept = std::fs::read_to_string(path(&format!("imported/{name}.mlir")));
        let kept = kept.expect("the file is there");
        let made = Command::new(&bridge)
            .args(["--lower", "--plain", &input])
            .output()
            .expect("the bridge starts");
        let made = String::from_utf8_lossy(&made.stdout).into_owned();
        assert!(
            kept.ends_with(&made) && made.contains("func.func"),
            "{file}: test/real/regenerate.sh makes it anew"
        );
        runs(&input, function, values, &["--mlir-import"]);
    }
}

#[test]
fn affine_form() {
    verified("affine");
}

#[test]
fn parallel_form() {
    verified("parallel");
}

#[test]
fn lowered_form() {
    verified("lowered");
}

/// The lowered form has sequential loops of scf, and so no kernels.
#[test]
fn kernels_assemble() {
    let with_loops: Vec<_> = programs("test/real")
        .into_iter()
        .filter(|p| !p.to_string_lossy().contains("-lowered"))
        .collect();
    assert_eq!(with_loops.len(), 8);
    assemble_all(
        "real_kernels_assemble",
        &with_loops,
        &["sm_70", "sm_75", "sm_80", "sm_90", "sm_100"],
    );
}
