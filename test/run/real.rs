//! What MLIR's own tools print runs as it stands.

use super::tools::{assemble_all, programs, root, terrace};

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

fn verified(form: &str) {
    for (file, function, values) in FUNCTIONS {
        let path = root().join("test/real").join(format!("{file}-{form}.mlir"));
        let path = path.display().to_string();
        let args: Vec<String> = values
            .iter()
            .enumerate()
            .map(|(i, v)| format!("--arg={i}={v}"))
            .collect();
        for target in ["interp", "cpu", "emulator"] {
            let mut line = vec![
                "run", &path, "--entry", function, "--target", target, "--verify",
            ];
            line.extend(args.iter().map(String::as_str));
            let r = terrace(&line).exits(0);
            assert!(
                r.stdout.contains("verify   passed"),
                "{path} @{function}: {}",
                r.stdout
            );
        }
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
