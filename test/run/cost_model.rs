//! What the cost model counts against what the emulator counts, for the same nests, compiled
//! and run: equal where the model says that it is exact.

use std::fmt::Write as _;
use std::process::Command;

use super::tools::{Run, scratch};
use terrace::ir::diag::DiagLoc;
use terrace::passes::gpu::model::{
    Affine, Array, Counts, Loop, Mapping, Nest, Reference, Space, count,
};
use terrace::targets::machine::by_name;

/// A function's name, its arrays, and its nest.
type Case = (
    &'static str,
    &'static [(&'static str, &'static str)],
    &'static str,
);

const CASES: &[Case] = &[
    (
        "copy_f64",
        &[("A", "100x70xf64"), ("B", "100x70xf64")],
        "affine.for %i = 0 to 100{\n\
         affine.for %j = 0 to 70{\n\
         %x = affine.load %A[%i, %j] : memref<100x70xf64>\n\
         affine.store %x, %B[%i, %j] : memref<100x70xf64>\n\
         }\n\
         }",
    ),
    (
        "strided",
        &[("A", "1000xf32"), ("B", "400xf64")],
        "affine.for %i = 0 to 333{\n\
         %x = affine.load %A[3 * %i + 1] : memref<1000xf32>\n\
         %y = arith.extf %x : f32 to f64\n\
         affine.store %y, %B[%i + 5] : memref<400xf64>\n\
         }",
    ),
    (
        "reversed",
        &[("A", "1000xf32"), ("B", "1000xf32")],
        "affine.for %i = 0 to 999{\n\
         %x = affine.load %A[998 - %i] : memref<1000xf32>\n\
         affine.store %x, %B[%i + 1] : memref<1000xf32>\n\
         }",
    ),
    (
        "stencil",
        &[("A", "66x70xf64"), ("B", "66x70xf64")],
        "affine.for %i = 1 to 65{\n\
         affine.for %j = 1 to 69{\n\
         %a = affine.load %A[%i, %j] : memref<66x70xf64>\n\
         %b = affine.load %A[%i, %j - 1] : memref<66x70xf64>\n\
         %c = affine.load %A[%i, %j + 1] : memref<66x70xf64>\n\
         %d = affine.load %A[%i - 1, %j] : memref<66x70xf64>\n\
         %e = affine.load %A[%i + 1, %j] : memref<66x70xf64>\n\
         %f = arith.addf %a, %b : f64\n\
         %g = arith.addf %c, %d : f64\n\
         %h = arith.addf %f, %g : f64\n\
         %k = arith.addf %h, %e : f64\n\
         affine.store %k, %B[%i, %j] : memref<66x70xf64>\n\
         }\n\
         }",
    ),
    (
        "gemm",
        &[("A", "40x24xf32"), ("B", "24x36xf32"), ("C", "40x36xf32")],
        "affine.for %i = 0 to 40{\n\
         affine.for %j = 0 to 36{\n\
         affine.for %k = 0 to 24{\n\
         %a = affine.load %A[%i, %k] : memref<40x24xf32>\n\
         %b = affine.load %B[%k, %j] : memref<24x36xf32>\n\
         %c = affine.load %C[%i, %j] : memref<40x36xf32>\n\
         %p = arith.mulf %a, %b : f32\n\
         %q = arith.addf %c, %p : f32\n\
         affine.store %q, %C[%i, %j] : memref<40x36xf32>\n\
         }\n\
         }\n\
         }",
    ),
    (
        "unrolled",
        &[("*A", "70x72xf32"), ("*B", "66x66xf32")],
        "affine.for %i = 0 to 66 {\n\
         affine.for %j = 0 to 66 {\n\
         %z = arith.constant 0.0 : f32\n\
         %s = affine.for %p = 0 to 3 iter_args(%a = %z) -> f32 {\n\
         %t = affine.for %q = 0 to 3 iter_args(%b = %a) -> f32 {\n\
         %x = affine.load %A[%i + %p, %j + 2 * %q] : memref<70x72xf32>\n\
         %c = arith.addf %b, %x : f32\n\
         affine.yield %c : f32\n\
         }\n\
         affine.yield %t : f32\n\
         }\n\
         affine.store %s, %B[%i, %j] : memref<66x66xf32>\n\
         }\n\
         }",
    ),
    (
        "gemv",
        &[("A", "300x40xf64"), ("x", "40xf64"), ("y", "300xf64")],
        "affine.for %i = 0 to 300{\n\
         %z = arith.constant 0.0 : f64\n\
         %s = affine.for %k = 0 to 40 iter_args(%t = %z) -> f64{\n\
         %a = affine.load %A[%i, %k] : memref<300x40xf64>\n\
         %b = affine.load %x[%k] : memref<40xf64>\n\
         %p = arith.mulf %a, %b : f64\n\
         %q = arith.addf %t, %p : f64\n\
         affine.yield %q : f64\n\
         }\n\
         affine.store %s, %y[%i] : memref<300xf64>\n\
         }",
    ),
    (
        "gemvt",
        &[("A", "40x300xf64"), ("x", "40xf64"), ("y", "300xf64")],
        "affine.for %i = 0 to 300{\n\
         %z = arith.constant 0.0 : f64\n\
         %s = affine.for %k = 0 to 40 iter_args(%t = %z) -> f64{\n\
         %a = affine.load %A[%k, %i] : memref<40x300xf64>\n\
         %b = affine.load %x[%k] : memref<40xf64>\n\
         %p = arith.mulf %a, %b : f64\n\
         %q = arith.addf %t, %p : f64\n\
         affine.yield %q : f64\n\
         }\n\
         affine.store %s, %y[%i] : memref<300xf64>\n\
         }",
    ),
    (
        "triangular",
        &[("A", "150x150xf32"), ("y", "150xf32")],
        "affine.for %i = 0 to 150{\n\
         %z = arith.constant 0.0 : f32\n\
         %s = affine.for %k = 0 to affine_map<(d0) -> (d0 + 1)>(%i) iter_args(%t = %z) -> f32{\n\
         %a = affine.load %A[%i, %k] : memref<150x150xf32>\n\
         %q = arith.addf %t, %a : f32\n\
         affine.yield %q : f32\n\
         }\n\
         affine.store %s, %y[%i] : memref<150xf32>\n\
         }",
    ),
    (
        "triangular_down",
        &[("A", "150x150xf64"), ("y", "150xf64")],
        "affine.for %i = 0 to 150{\n\
         %z = arith.constant 0.0 : f64\n\
         %s = affine.for %k = affine_map<(d0) -> (d0 + 1)>(%i) to 150 iter_args(%t = %z) -> f64{\n\
         %a = affine.load %A[%k, %i] : memref<150x150xf64>\n\
         %q = arith.addf %t, %a : f64\n\
         affine.yield %q : f64\n\
         }\n\
         affine.store %s, %y[%i] : memref<150xf64>\n\
         }",
    ),
    // What leaves the loop stays behind a condition.
    (
        "triangular_sum",
        &[("*A", "150x150xf64"), ("*d", "150xf64"), ("*y", "150xf64")],
        "affine.for %i = 0 to 150{\n\
         affine.for %k = 0 to affine_map<(d0) -> (d0)>(%i){\n\
         %a = affine.load %A[%k, %i] : memref<150x150xf64>\n\
         %dv = affine.load %d[%i] : memref<150xf64>\n\
         %yv = affine.load %y[%i] : memref<150xf64>\n\
         %p = arith.mulf %a, %dv : f64\n\
         %s = arith.addf %yv, %p : f64\n\
         affine.store %s, %y[%i] : memref<150xf64>\n\
         }\n\
         }",
    ),
    (
        "three",
        &[("A", "9x20x35xf32"), ("B", "9x20x35xf32")],
        "affine.for %i = 0 to 9{\n\
         affine.for %j = 0 to 20{\n\
         affine.for %k = 0 to 35{\n\
         %a = affine.load %A[%i, %j, %k] : memref<9x20x35xf32>\n\
         affine.store %a, %B[8 - %i, %j, %k] : memref<9x20x35xf32>\n\
         }\n\
         }\n\
         }",
    ),
    (
        "four",
        &[("A", "3x5x6x35xf64"), ("B", "3x5x6x35xf64")],
        "affine.for %h = 0 to 3{\n\
         affine.for %i = 0 to 5{\n\
         affine.for %j = 0 to 6{\n\
         affine.for %k = 0 to 35{\n\
         %a = affine.load %A[%h, %i, %j, %k] : memref<3x5x6x35xf64>\n\
         affine.store %a, %B[%h, %i, %j, %k] : memref<3x5x6x35xf64>\n\
         }\n\
         }\n\
         }\n\
         }",
    ),
    (
        "conditional",
        &[("A", "90x40xf32")],
        "affine.for %i = 0 to 90{\n\
         affine.for %j = 0 to 40{\n\
         affine.if affine_set<(d0, d1) : (d0 - d1 * 2 >= 0)>(%i, %j){\n\
         %c = arith.constant 1.0 : f32\n\
         affine.store %c, %A[%i, %j] : memref<90x40xf32>\n\
         }\n\
         }\n\
         }",
    ),
    (
        "steps",
        &[("A", "500xf64"), ("B", "500xf64")],
        "affine.for %i = 3 to 490 step 3{\n\
         %x = affine.load %A[%i] : memref<500xf64>\n\
         affine.store %x, %B[%i + 2] : memref<500xf64>\n\
         }",
    ),
    (
        "broadcast",
        &[("r", "60xf32"), ("c", "50xf32"), ("A", "60x50xf32")],
        "affine.for %i = 0 to 60{\n\
         affine.for %j = 0 to 50{\n\
         %x = affine.load %r[%i] : memref<60xf32>\n\
         %y = affine.load %c[%j] : memref<50xf32>\n\
         %p = arith.mulf %x, %y : f32\n\
         affine.store %p, %A[%i, %j] : memref<60x50xf32>\n\
         }\n\
         }",
    ),
    (
        "masked_rows",
        &[("A", "37x19xf32"), ("B", "37x19xf32")],
        "affine.for %i = 2 to 36{\n\
         affine.for %j = 1 to 18{\n\
         %x = affine.load %A[%i, %j] : memref<37x19xf32>\n\
         affine.store %x, %B[%i - 2, %j + 1] : memref<37x19xf32>\n\
         }\n\
         }",
    ),
    (
        "diagonal",
        &[("A", "120x120xf64"), ("d", "120xf64")],
        "affine.for %i = 0 to 120{\n\
         %x = affine.load %A[%i, 119 - %i] : memref<120x120xf64>\n\
         affine.store %x, %d[%i] : memref<120xf64>\n\
         }",
    ),
    (
        "transposed",
        &[("A", "100x70xf32"), ("B", "70x100xf32")],
        "affine.for %i = 0 to 100{\n\
         affine.for %j = 0 to 70{\n\
         %x = affine.load %A[%i, %j] : memref<100x70xf32>\n\
         affine.store %x, %B[%j, %i] : memref<70x100xf32>\n\
         }\n\
         }",
    ),
];

fn program((name, arrays, body): &Case) -> String {
    let arrays: Vec<String> = (arrays.iter())
        .map(|(array, shape)| match array.strip_prefix('*') {
            // Nobody else has it.
            Some(array) => format!("%{array}: memref<{shape}> {{llvm.noalias}}"),
            None => format!("%{array}: memref<{shape}>"),
        })
        .collect();
    format!(
        "func.func @{name}({}) {{\n{body}\nreturn\n}}\n",
        arrays.join(", ")
    )
}

/// Requests, sectors, lines and bytes.
type Four = [u64; 4];

/// The numbers in front of these words, in a line that says them in this order.
fn four(line: &str) -> Option<Four> {
    let mut out = [0; 4];
    for (n, word) in out
        .iter_mut()
        .zip([" requests", " sectors", " lines", " bytes"])
    {
        let before = line.split(word).next()?;
        *n = before.rsplit(' ').next()?.parse().ok()?;
    }
    Some(out)
}

/// What the model counts of loads and of stores, and whether exactly.
fn predicted(file: &str) -> [(Four, bool); 2] {
    let out = Command::new(env!("CARGO_BIN_EXE_terrace-opt"))
        .args(["--affine-parallelize", "--print-gpu-cost", file])
        .output()
        .expect("terrace-opt starts");
    let text = Run::of(out).exits(0).stderr;
    let mut all = [([0; 4], true); 2];
    for line in text.lines() {
        let kind = match line.trim_start() {
            l if l.starts_with("load ") => 0,
            l if l.starts_with("store ") => 1,
            _ => continue,
        };
        let numbers = four(line).unwrap_or_else(|| panic!("no counts in '{line}'"));
        for (sum, n) in all[kind].0.iter_mut().zip(numbers) {
            *sum += n;
        }
        all[kind].1 &= line.contains("(exact)");
    }
    all
}

/// The nest mapped plainly, where the whole pipeline may see a product of matrices or a
/// stencil in it.
fn mapped(file: &str) -> String {
    let to = file.replace(".mlir", ".mapped.mlir");
    let passes = "--pass-pipeline=builtin.module(terrace-cpu-pipeline{last=loops},terrace-cpu-pipeline{first=scalars},func.func(map-parallel-to-gpu))";
    let out = Command::new(env!("CARGO_BIN_EXE_terrace-opt"))
        .args([passes, file, "-o", &to])
        .output()
        .expect("terrace-opt starts");
    Run::of(out).exits(0);
    to
}

/// Whether some accesses of the program's kernel are those of vectors.
fn has_vectors(file: &str, shapes: &[String]) -> bool {
    let out = Command::new(env!("CARGO_BIN_EXE_terrace"))
        .args(["run", file, "--target", "gpu", "--emit", "ptx"])
        .args(shapes)
        .output()
        .expect("terrace starts");
    let ptx = Run::of(out).exits(0).stdout;
    ptx.contains(".v2.") || ptx.contains(".v4.")
}

fn on_emulator(args: &[&str]) -> String {
    let out = Command::new(env!("CARGO_BIN_EXE_terrace"))
        .args(args)
        .env("TERRACE_EMULATOR", "counts")
        .output()
        .expect("terrace starts");
    Run::of(out).exits(0).stderr
}

#[test]
fn sectors_and_lines_are_those_that_the_emulator_counts() {
    let folder = scratch("cost_model");
    let mut exact = 0;
    for case in CASES {
        let file = folder.join(format!("{}.mlir", case.0));
        std::fs::write(&file, program(case)).expect("the file can be written");
        let file = file.to_str().expect("the path is text");
        let model = predicted(file);
        let shapes: Vec<String> = (case.1.iter().enumerate())
            .map(|(i, (_, shape))| {
                let sizes = shape.rsplit_once('x').map_or("", |s| s.0);
                format!("--arg={i}=random:{sizes}")
            })
            .collect();
        let mapped = mapped(file);
        let mut args = vec!["run", &mapped, "--target", "emulator"];
        args.extend(shapes.iter().map(String::as_str));
        let text = on_emulator(&args);
        assert_eq!(text.matches("emulator:").count(), 1, "{}: {text}", case.0);
        for (kind, (counts, is_exact)) in ["global loads:", "global stores:"].iter().zip(model) {
            let line = text.lines().find(|l| l.contains(kind));
            let ran = line.map_or([0; 4], |l| four(l).expect("the emulator counts"));
            if is_exact && counts != ran {
                // The model lists accesses one by one; neighbouring ones of a thread are made
                // together, which are fewer requests for the same bytes.
                assert!(
                    has_vectors(&mapped, &shapes),
                    "{} {kind}: {counts:?} {ran:?}",
                    case.0
                );
                assert_eq!(counts[3], ran[3], "{} {kind}", case.0);
                assert!(
                    (0..3).all(|i| ran[i] <= counts[i]),
                    "{} {kind}: {counts:?} {ran:?}",
                    case.0
                );
            } else if is_exact {
                exact += u32::from(ran[0] > 0);
            } else {
                // Bytes do not depend on which lanes come together.
                assert_eq!(counts[3], ran[3], "{} {kind}", case.0);
                let ratio = counts[1] as f64 / ran[1] as f64;
                assert!(
                    (0.8..1.25).contains(&ratio),
                    "{} {kind} {counts:?} {ran:?}",
                    case.0
                );
            }
        }
    }
    assert!(exact >= 29, "{exact}");
}

/// Threads of a block that reach shared memory so many elements apart.
const STRIDES: [i64; 5] = [1, 2, 4, 32, 33];

/// A kernel that stores elements of shared memory and loads them again, another thread's.
fn shared_program(ty: &str) -> String {
    let mut out = String::new();
    for s in STRIDES {
        let size = 63 * s + 1;
        // Writing to a string does not fail.
        let _ = write!(
            out,
            "func.func @by{s}(%A: memref<64x{ty}>) {{
               %one = arith.constant 1 : index
               %n = arith.constant 64 : index
               gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one)
                   threads(%x, %y, %z) in (%sx = %n, %sy = %one, %sz = %one)
                   workgroup(%m: memref<{size}x{ty}, #gpu.address_space<workgroup>>) {{
                 %s = arith.constant {s} : index
                 %last = arith.constant 63 : index
                 %v = memref.load %A[%x] : memref<64x{ty}>
                 %to = arith.muli %x, %s : index
                 memref.store %v, %m[%to] : memref<{size}x{ty}, #gpu.address_space<workgroup>>
                 gpu.barrier
                 %other = arith.subi %last, %x : index
                 %from = arith.muli %other, %s : index
                 %w = memref.load %m[%from] : memref<{size}x{ty}, #gpu.address_space<workgroup>>
                 memref.store %w, %A[%x] : memref<64x{ty}>
                 gpu.terminator
               }}
               return
             }}\n"
        );
    }
    out
}

fn shared_counts(stride: i64, bytes: i64, first: i64) -> Counts {
    let of = |factor: i64| Affine {
        terms: vec![(0, stride * factor)],
        constant: first * factor,
    };
    let nest = Nest {
        loops: vec![Loop::of_trips("x", 64)],
        parallel: vec![0],
        arrays: vec![Array {
            name: "m".into(),
            memory: 0,
            unaliased: false,
            space: Space::Shared,
            element_bytes: bytes,
            sizes: vec![1 << 20],
            strides: vec![bytes],
        }],
        references: vec![Reference {
            array: 0,
            text: "m".into(),
            place: DiagLoc::Unknown,
            writes: false,
            bytes,
            subscripts: vec![of(1)],
            address: of(bytes),
            loops: vec![0],
            guards: Vec::new(),
        }],
        ..Nest::default()
    };
    let mapping = Mapping::default_rule(&nest, &[64]);
    count(
        &nest,
        &mapping,
        &nest.references[0],
        by_name("sm_90").expect("is known"),
    )
}

#[test]
fn bank_conflicts_are_those_that_the_emulator_counts() {
    let folder = scratch("cost_model");
    for (ty, bytes) in [("f32", 4), ("f64", 8)] {
        let file = folder.join(format!("shared_{ty}.mlir"));
        std::fs::write(&file, shared_program(ty)).expect("the file can be written");
        let file = file.to_str().expect("the path is text");
        for s in STRIDES {
            let entry = format!("--entry=by{s}");
            let text = on_emulator(&[
                "run",
                file,
                "--target",
                "emulator",
                &entry,
                "--arg=0=random:64",
            ]);
            for (kind, first) in [("shared stores:", 0), ("shared loads:", 63 * s)] {
                let stride = if first == 0 { s } else { -s };
                let c = shared_counts(stride, bytes, first);
                assert!(c.exact);
                let wanted = format!(
                    "{kind} {} requests, {} passes, {}",
                    c.requests, c.wavefronts, c.conflicts
                );
                assert!(
                    text.contains(&wanted),
                    "{ty} by {s}: expected {wanted}\n{text}"
                );
            }
        }
    }
}
