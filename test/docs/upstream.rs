//! `docs/reference/upstream.md`: what of MLIR's dialects and passes is here, from the declarations and
//! from small programs that are run. `UPDATE_DOCS=1` writes it anew.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use terrace::dialects::{ALL, upstream};
use terrace::pass_registry;
use terrace::run::options::{RunOptions, Target};
use terrace::run::source::ProgramText;
use terrace::runtime::argspec::ArgSpec;
use terrace_lit::feature::{find_program, skip};

const COMMAND: &str = "UPDATE_DOCS=1 cargo test --test docs upstream";

const HEAD: &str = "# MLIR's dialects and passes

<!-- Written by test/docs/upstream.rs from the declarations and from programs that it runs. -->

    terrace run --mlir-import model.mlir --arg 0=random --verify
    terrace-opt --load-mlir=lower model.mlirbc --affine-parallelize

terrace reads the text of the ops that it declares, prints it, and reads that again as the same. Other ops
come through the bridge: the program `terrace-mlir`, built by `cargo build --release --manifest-path
mlir/Cargo.toml` where LLVM and MLIR 22 are installed. It reads text and bytecode by MLIR's own parser, and
MLIR's own passes bring programs down to loops. Locations are kept. The pass `upstream` of `terrace-opt` runs
MLIR's passes in the middle of a pipeline. Without the bridge a message about an op that is not here says
which flags of `mlir-opt` do the same.

Attributes of all these dialects are read, and kept as text where nothing here knows them. A run leaves out
what it cannot run where the function that is called does not reach it: functions that call `printf`, say.
By the bridge such ops are read in any form, and without it in the generic form. `dense_resource` stands for
the data at the end of the file. Functions that are declared and called, as `exp` of C, come from `--load
libm.so.6`.

## Dialects

How many ops are declared here, and how many of these have foldings or rewritings of their own. *cores* and
*GPU* say whether a small program with ops of the dialect in a loop runs there, on the emulator for a GPU.
*bridge* says that `terrace-mlir --lower` takes the dialect away.

| dialect | ops | rewritten | cores | GPU | bridge |
| --- | --- | --- | --- | --- | --- |
";

const PASSES: &str = "
## Passes

These of MLIR's passes are here, under their names and with their options ([passes.md](passes.md)). The
others run by the bridge.

";

const DIFFERENCES: &str = "
## Where results differ

    TERRACE_RANDOM_COUNT=5000 cargo test --test random passes_of_upstream

This runs random programs through the same passes of both. It compares what they compute, and their forms. All
5,000 compute the same behind our passes. Behind MLIR's 79 results compute something else, and 19 are none that
its verifier takes. Each of the first two passes and both together ran on all programs, each other one on 455.
The last seven passes here ran on 500 other programs, each on 21 to 28 of them. Behind ours all compute the same.
`symbol-dce`, `loop-invariant-code-motion`, `affine-loop-normalize`, `lower-affine` and `convert-scf-to-cf`
give one form for all, and so does `affine-loop-fusion` for its 28. The others differ so:

| pass | one form | difference |
| --- | --- | --- |
| `canonicalize`, `inline` | 99.3 % | In a loop that never runs MLIR takes the variable for the lower bound and folds with it. Here such a variable has no value, and a loop's step says more of its variable: from 0 by 2 it is even. |
| `sccp` | 84 % | MLIR makes constants in the place of values that nothing uses, too. Here they are left out. |
| `cse` | 99.8 % | MLIR gives a load the value of an earlier one of its block. Here the earlier one may stand in a block around. |
| `affine-simplify-structures` | 83 % | MLIR writes the remainder's bounds of each quotient into a set. Here they are left out, since they always hold. |
| `affine-loop-coalescing` | 93 % | MLIR coalesces loops that begin at 0 with steps of 1. Here other loops are brought into that form first. |
| `affine-loop-unroll` | 10 % | MLIR's loop over the rest may begin before the loop itself where that never runs. Here it does not; the program would compute something else. |
| `affine-loop-invariant-code-motion` | 33 % | MLIR moves loads and stores out of loops that may not run, and does not look at accesses of other dialects. Here it is proved that nothing changes. |
| `affine-loop-tile` | 25 of 26 | Here a loop is not tiled along which a dependence goes back, of two stores to one element, too. |
| `affine-loop-unroll-jam` | 27 of 28 | As with `affine-loop-unroll`. |
| `affine-parallelize` | 18 of 27 | Here more loops are proved parallel, such as those that begin at a size of the program, and those that run at most once. |
| `affine-scalrep` | 23 of 27 | Here more stores go that later ones overwrite, and more loads of what is known. |
| `affine-super-vectorize` | 9 of 21 | MLIR stores whole vectors where a loop ends inside of one. Here a mask keeps the others. |
| `affine-data-copy-generate` | 0 of 27 | MLIR copies elements that nothing may have been written to, and leaves constants behind that nothing uses. Here a copy's bounds are those of the accesses. |

MLIR's own tests are run chunk by chunk, each with its own commands. Of 690 chunks for `canonicalize` with no
other dialects than affine, arith, builtin, cf, func, gpu, math, memref, scf, ub and vector 652 pass. So do all
for `cse`, `sccp` and `inline`. Most of the others want rewritings of vector ops that are not here. The ops of
bufferization, linalg and tensor have none here: the bridge has MLIR rewrite them.
";

/// A statement in a parallel loop for each dialect that has some which run. `%i` is the loop's counter,
/// `%m` the array, and `%x` the element there, which `%y` replaces.
const PROBES: &[(&str, &str)] = &[
    ("affine", "%y = affine.load %m[%i] : memref<8xf32>"),
    ("arith", "%y = arith.addf %x, %x : f32"),
    ("builtin", "%y = builtin.unrealized_conversion_cast %x : f32 to f32"),
    (
        "cf",
        "%y = scf.execute_region -> f32 {
          cf.br ^bb1(%x : f32)
        ^bb1(%z: f32):
          scf.yield %z : f32
        }",
    ),
    ("func", "%y = func.call @callee(%x) : (f32) -> f32"),
    (
        "index",
        "%k = index.constant 3
      %n = arith.index_cast %k : index to i32
      %y = arith.sitofp %n : i32 to f32",
    ),
    ("math", "%y = math.exp %x : f32"),
    ("memref", "%y = memref.load %m[%i] : memref<8xf32>"),
    (
        "scf",
        "%c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %y = scf.for %k = %c0 to %i step %c1 iter_args(%a = %x) -> (f32) {
        %b = arith.addf %a, %x : f32
        scf.yield %b : f32
      }",
    ),
    (
        "llvm",
        "%u = llvm.mlir.undef : f32
      %y = llvm.mlir.zero : f32",
    ),
    ("ub", "%y = ub.poison : f32"),
    (
        "vector",
        "%v = vector.broadcast %x : f32 to vector<4xf32>
      %y = vector.reduction <add>, %v : vector<4xf32> into f32",
    ),
    (
        "linalg",
        "%s = memref.subview %m[%i] [1] [1] : memref<8xf32> to memref<1xf32, strided<[1], offset: ?>>
      linalg.fill ins(%x : f32) outs(%s : memref<1xf32, strided<[1], offset: ?>>)
      %y = arith.addf %x, %x : f32",
    ),
    (
        "tensor",
        "%t = tensor.splat %x : tensor<2xf32>
      %c0 = arith.constant 0 : index
      %y = tensor.extract %t[%c0] : tensor<2xf32>",
    ),
];

/// A program of its own, of threads.
const GPU: &str = "func.func @f(%m: memref<8xf32>) {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%sx = %c8, %sy = %c1, %sz = %c1) {
    %x = memref.load %m[%tx] : memref<8xf32>
    %y = arith.addf %x, %x : f32
    memref.store %y, %m[%tx] : memref<8xf32>
    gpu.terminator
  }
  return
}";

fn program(statement: &str) -> String {
    format!(
        "func.func @f(%m: memref<8xf32>) {{
    affine.parallel (%i) = (0) to (8) {{
      %x = affine.load %m[%i] : memref<8xf32>
      {statement}
      affine.store %y, %m[%i] : memref<8xf32>
    }}
    return
  }}
  func.func private @callee(%x: f32) -> f32 {{
    %y = arith.addf %x, %x : f32
    return %y : f32
  }}"
    )
}

/// Whether a program runs on a target; on a GPU with a kernel.
fn runs(text: &str, target: Target) -> bool {
    let options = RunOptions {
        target,
        args: vec![ArgSpec::parse("0=iota").expect("an argument")],
        ..RunOptions::default()
    };
    let r = terrace::run::run(&ProgramText::mlir("probe.mlir", text), &options);
    r.code == 0 && (target == Target::Cpu || !r.stdout.contains("all runs on the host"))
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// What the stages of the bridge are for.
fn bridged() -> BTreeSet<String> {
    let source = root().join("mlir/src/down.rs");
    let source = std::fs::read_to_string(source).expect("the source of the bridge");
    let of = source.split("of: &[").skip(1);
    let names = of.filter_map(|s| s.split(']').next());
    let names = names
        .flat_map(|s| s.split(','))
        .map(|n| n.trim().trim_matches('"'));
    let mut found: BTreeSet<String> = names.map(str::to_string).collect();
    assert!(found.contains("linalg"), "{found:?}");
    // Values that are tensors.
    if found.remove("tensor<") {
        found.insert("tensor".into());
    }
    found
}

/// MLIR's passes.
fn passes() -> Vec<String> {
    let kept = root().join("test/docs/upstream/passes.txt");
    let kept = std::fs::read_to_string(kept).expect("the list of MLIR's passes");
    let names = kept.lines().filter(|l| !l.starts_with('#'));
    names.map(str::to_string).collect()
}

fn page() -> String {
    let bridged = bridged();
    let mut s = HEAD.to_string();
    let mark = |yes: bool| if yes { "yes" } else { "" };
    let mut none = Vec::new();
    for d in upstream::DIALECTS {
        let here = ALL.iter().find(|h| h.name == d.name);
        let by_bridge = bridged.contains(d.name);
        let Some(here) = here.map(|h| h.ops) else {
            match by_bridge {
                true => {
                    let _ = writeln!(s, "| `{}` | | | | | yes |", d.name);
                }
                false => none.push(format!("`{}`", d.name)),
            }
            continue;
        };
        let rewritten = here
            .iter()
            .filter(|o| o.fold.is_some() || o.canonicalize.is_some());
        let probe = match d.name {
            "gpu" => Some(GPU.to_string()),
            name => PROBES.iter().find(|p| p.0 == name).map(|p| program(p.1)),
        };
        let on = |target| probe.as_ref().is_some_and(|p| runs(p, target));
        let _ = writeln!(
            s,
            "| [`{0}`]({0}.md) | {1} | {2} | {3} | {4} | {5} |",
            d.name,
            here.len(),
            rewritten.count(),
            mark(on(Target::Cpu)),
            mark(on(Target::Emulator)),
            mark(by_bridge),
        );
    }
    let _ = writeln!(s, "\nNothing brings these down: {}.", none.join(", "));
    s.push_str(PASSES);
    let upstream = passes();
    let ours: Vec<&String> = (upstream.iter())
        .filter(|p| pass_registry().pass(p).is_some())
        .collect();
    let names: Vec<String> = ours.iter().map(|p| format!("`{p}`")).collect();
    s.push_str(&names.join(",\n"));
    let _ = writeln!(s, ":\n{} of {}.", ours.len(), upstream.len());
    s.push_str(DIFFERENCES);
    s
}

#[test]
fn written_from_what_runs() {
    let path: PathBuf = root().join("docs/reference/upstream.md");
    let made = page();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, &made).expect("the page can be written");
        return;
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == made,
        "{} is not current: {COMMAND}",
        path.display()
    );
}

#[test]
fn lists_are_those_of_mlir() {
    let Some(opt) = find_program("mlir-opt", &[PathBuf::from("/usr/lib/llvm-22/bin")]) else {
        return skip("mlir-opt", "lists_are_those_of_mlir");
    };
    let said = |flag: &str| {
        let out = Command::new(&opt)
            .arg(flag)
            .output()
            .expect("mlir-opt runs");
        String::from_utf8_lossy(&out.stdout).into_owned()
    };
    let dialects = said("--show-dialects");
    let dialects = dialects.trim().trim_start_matches("Available Dialects: ");
    let dialects: Vec<&str> = (dialects.split(','))
        .filter(|d| !d.starts_with("test"))
        .collect();
    let kept: Vec<&str> = upstream::DIALECTS.iter().map(|d| d.name).collect();
    assert_eq!(kept, dialects);
    let all = said("--list-passes");
    let names = all.lines().filter_map(|l| l.strip_prefix("  --"));
    let names = names.filter_map(|l| l.split([' ', '=']).next());
    let names: BTreeSet<&str> = names.filter(|n| !n.starts_with("test-")).collect();
    let kept = passes();
    assert_eq!(
        kept.iter().map(String::as_str).collect::<BTreeSet<_>>(),
        names
    );
}
