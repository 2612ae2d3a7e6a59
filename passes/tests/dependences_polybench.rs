//! Every PolyBench kernel is affine: all its dependences are known exactly.

use std::path::{Path, PathBuf};

use terrace_ir::text::parser::{Source, parse};
use terrace_ir::verify::verify;
use terrace_ir::{Context, Op};
use terrace_passes::analysis::dependence::{Dependences, Options, dependences, words};

fn kernels() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/polybench");
    let entries = std::fs::read_dir(&folder).expect("the folder of kernels");
    let mut files: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "mlir"));
    files.sort();
    files
}

fn analyse(file: &Path, see: &mut dyn FnMut(&Context, Op, &Dependences)) {
    let text = std::fs::read_to_string(file).expect("a kernel");
    let mut ctx = Context::new();
    ctx.config.keep_names = true;
    terrace_dialects::register_all(&mut ctx);
    let name = file.display().to_string();
    let module = parse(&mut ctx, &Source::new(&name, &text)).expect("a kernel that parses");
    assert!(verify(&ctx, module), "{name}: {:?}", ctx.take_diagnostics());
    let options = Options {
        frees: false,
        ..Options::default()
    };
    for f in module.body(&ctx, 0).ops(&ctx) {
        see(&ctx, f, &dependences(&ctx, f, &options));
    }
}

#[test]
fn all_are_exact() {
    let files = kernels();
    assert!(files.len() >= 30, "{} kernels", files.len());
    for file in files {
        let mut found = 0;
        analyse(&file, &mut |ctx, _, all| {
            for d in &all.all {
                assert!(
                    d.is_exact(),
                    "{}: {}",
                    file.display(),
                    words::sentence(ctx, all, d)
                );
            }
            found += all.all.len();
        });
        assert!(found > 0, "{} has no dependences", file.display());
    }
}

/// What is known of some of them from the literature.
#[test]
fn known_facts() {
    let mut checked = 0;
    for file in kernels() {
        let name = file.file_stem().and_then(|s| s.to_str()).unwrap_or("");
        analyse(&file, &mut |ctx, _, all| {
            let carrying = |iv: &str| {
                all.all.iter().any(|d| {
                    d.carrying_loop()
                        .is_some_and(|l| words::iv_name(ctx, &l) == Some(iv))
                })
            };
            match name {
                // i and j are parallel, k is a sum.
                "gemm" => {
                    assert!(!carrying("i") && !carrying("j"));
                    let only_sums = all
                        .all
                        .iter()
                        .filter(|d| d.carrying_loop().is_some())
                        .all(|d| d.reduction.is_some());
                    assert!(only_sums && !all.reductions.is_empty());
                    checked += 1;
                }
                // In place: all three loops carry dependences.
                "seidel-2d" => {
                    assert!(carrying("t") && carrying("i") && carrying("j"));
                    checked += 1;
                }
                // Two arrays: only time does.
                "jacobi-2d" => {
                    assert!(carrying("t") && !carrying("i") && !carrying("j"));
                    checked += 1;
                }
                _ => {}
            }
        });
    }
    assert_eq!(checked, 3);
}
