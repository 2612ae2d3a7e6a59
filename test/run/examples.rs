//! Every example runs and gives what the interpreter gives, and its kernels assemble.

use super::tools::{assemble_all, programs, root, terrace};

/// A program, the sizes that it is run with (`T`, a number of steps, is an argument),
/// in the order in which its peer in C takes them, and the array that it computes.
pub struct Example {
    pub name: &'static str,
    pub sizes: &'static [(&'static str, usize)],
    pub result: &'static str,
}

pub const EXAMPLES: [Example; 9] = [
    Example {
        name: "atax",
        sizes: &[("M", 19), ("N", 23)],
        result: "y",
    },
    Example {
        name: "covariance",
        sizes: &[("N", 18), ("M", 13)],
        result: "cov",
    },
    Example {
        name: "doitgen",
        sizes: &[("R", 7), ("Q", 6), ("P", 9)],
        result: "A",
    },
    Example {
        name: "gemm",
        sizes: &[("M", 17), ("N", 12), ("K", 15)],
        result: "C",
    },
    Example {
        name: "gesummv",
        sizes: &[("N", 27)],
        result: "y",
    },
    Example {
        name: "heat-3d",
        sizes: &[("N", 9), ("T", 3)],
        result: "A",
    },
    Example {
        name: "himeno",
        sizes: &[("I", 7), ("J", 8), ("K", 9), ("T", 2)],
        result: "p",
    },
    Example {
        name: "jacobi-2d",
        sizes: &[("N", 17), ("T", 4)],
        result: "A",
    },
    Example {
        name: "lu",
        sizes: &[("N", 21)],
        result: "A",
    },
];

impl Example {
    /// The sizes as `terrace run` takes them.
    pub fn flags(&self) -> Vec<String> {
        let flag = |(dim, n): &(&str, usize)| match *dim {
            "T" => format!("--arg=T={n}"),
            dim => format!("--size={dim}={n}"),
        };
        self.sizes.iter().map(flag).collect()
    }
}

fn verified(folder: &str, target: &str) {
    for e in &EXAMPLES {
        let path = root()
            .join(folder)
            .join(format!("{}.mlir", e.name))
            .display()
            .to_string();
        let flags = e.flags();
        let mut args = vec!["run", &path, "--target", target, "--verify"];
        args.extend(flags.iter().map(String::as_str));
        let r = terrace(&args).exits(0);
        assert!(r.stdout.contains("verify   passed"), "{path}: {}", r.stdout);
    }
}

#[test]
fn the_list_is_complete() {
    for folder in ["examples", "examples/f32", "examples/static"] {
        let stems: Vec<String> = programs(folder)
            .iter()
            .map(|p| {
                p.file_stem()
                    .unwrap_or_default()
                    .to_string_lossy()
                    .into_owned()
            })
            .collect();
        let names: Vec<&str> = EXAMPLES.iter().map(|e| e.name).collect();
        assert_eq!(stems, names, "in {folder}");
    }
}

#[test]
fn f64_on_cpu() {
    verified("examples", "cpu");
}

#[test]
fn f32_on_cpu() {
    verified("examples/f32", "cpu");
}

/// Kernels as PTX text, which the emulator runs and judges.
#[test]
fn f64_on_the_emulator() {
    verified("examples", "emulator");
}

#[test]
fn f32_on_the_emulator() {
    verified("examples/f32", "emulator");
}

/// Kernels written for tensor cores, with sizes of more than one tile each way.
#[test]
fn tensor_cores_on_the_emulator() {
    let sizes = [("gemm_f16", [128, 256, 96]), ("gemm_f64", [128, 64, 48])];
    let names: Vec<String> = sizes.iter().map(|s| format!("{}.mlir", s.0)).collect();
    let files: Vec<String> = programs("examples/gpu")
        .iter()
        .filter_map(|p| Some(p.file_name()?.to_string_lossy().into_owned()))
        .collect();
    assert_eq!(files, names);
    for (name, [m, n, k]) in sizes {
        let path = format!("{}/examples/gpu/{name}.mlir", root().display());
        let flags = [("M", m), ("N", n), ("K", k)].map(|(d, n)| format!("--size={d}={n}"));
        let mut args = vec!["run", &path, "--target", "emulator", "--verify"];
        args.extend(flags.iter().map(String::as_str));
        let r = terrace(&args).exits(0);
        assert!(r.stdout.contains("verify   passed"), "{name}: {}", r.stdout);
    }
}

/// Scans of so few elements that the loop stays, of rows, and in one pass.
#[test]
fn scans_on_the_cpu_and_the_emulator() {
    let sizes: [(&str, &[&[&str]]); 2] = [
        ("prefix-sum", &[&["N=100"], &["N=5000"], &["N=9001"]]),
        ("summed-area", &[&["M=3", "N=9001"], &["M=50", "N=70"]]),
    ];
    let names: Vec<String> = sizes.iter().map(|s| format!("{}.mlir", s.0)).collect();
    let files: Vec<String> = programs("examples/scans")
        .iter()
        .filter_map(|p| Some(p.file_name()?.to_string_lossy().into_owned()))
        .collect();
    assert_eq!(files, names);
    for (name, all) in sizes {
        let path = format!("{}/examples/scans/{name}.mlir", root().display());
        for sizes in all {
            let flags: Vec<String> = sizes.iter().map(|s| format!("--size={s}")).collect();
            for target in ["cpu", "emulator"] {
                let mut args = vec!["run", &path, "--target", target, "--verify"];
                args.extend(flags.iter().map(String::as_str));
                let r = terrace(&args).exits(0);
                assert!(r.stdout.contains("verify   passed"), "{name}: {}", r.stdout);
            }
        }
    }
}

/// Products side by side, with sizes of which small blocks are made, and for which loops stay.
#[test]
fn batches_on_the_emulator() {
    let sizes = [
        (
            "gemm",
            [
                ["R=3", "M=67", "N=70", "K=18"],
                ["R=5", "M=4", "N=6", "K=7"],
            ],
        ),
        (
            "scores",
            [
                ["R=2", "N=41", "D=128", "H=2"],
                ["R=1", "N=7", "D=192", "H=3"],
            ],
        ),
    ];
    let names: Vec<String> = sizes.iter().map(|s| format!("{}.mlir", s.0)).collect();
    let files: Vec<String> = programs("examples/batch")
        .iter()
        .filter_map(|p| Some(p.file_name()?.to_string_lossy().into_owned()))
        .collect();
    assert_eq!(files, names);
    for (name, all) in sizes {
        let path = format!("{}/examples/batch/{name}.mlir", root().display());
        for sizes in all {
            let mut flags = sizes.map(|s| format!("--size={s}")).to_vec();
            if let Some(heads) = sizes[3].strip_prefix("H=") {
                flags.push(format!("--arg=heads={heads}"));
            }
            for target in ["cpu", "emulator"] {
                let mut args = vec!["run", &path, "--target", target, "--verify"];
                args.extend(flags.iter().map(String::as_str));
                let r = terrace(&args).exits(0);
                assert!(r.stdout.contains("verify   passed"), "{name}: {}", r.stdout);
            }
        }
    }
}

#[test]
fn f64_on_the_interpreter() {
    verified("examples", "interp");
}

/// The sizes of these are in the program, and large for an unoptimised interpreter:
/// the results are those of the same program with open sizes.
#[test]
fn static_sizes_give_what_open_ones_give() {
    let sums = |args: &[&str]| -> Vec<String> {
        let r = terrace(args).exits(0);
        let arrays = r.stdout.lines().filter(|l| l.starts_with("array"));
        arrays.map(str::to_string).collect()
    };
    for e in &EXAMPLES {
        let fixed = format!("examples/static/{}.mlir", e.name);
        let open = format!("examples/{}.mlir", e.name);
        let text = std::fs::read_to_string(root().join(&fixed)).expect("the example is there");
        let inits = arguments(&text);
        let flags: Vec<String> = inits
            .iter()
            .map(|(n, v)| format!("--arg={n}={v}"))
            .collect();
        let mut args = vec!["run", &open];
        args.extend(flags.iter().map(String::as_str));
        assert_eq!(sums(&["run", &fixed]), sums(&args), "{}", e.name);
    }
}

/// The names and initial values of a program's parameters.
fn arguments(text: &str) -> Vec<(String, String)> {
    let quoted = |l: &str, key: &str| -> Option<String> {
        let rest = l.split_once(&format!("{key} = \""))?.1;
        Some(rest.split_once('"')?.0.to_string())
    };
    let of_line = |l: &str| Some((quoted(l, "terrace.name")?, quoted(l, "terrace.init")?));
    text.lines().filter_map(of_line).collect()
}

/// For sm_90 the PTX snapshot assembles the same programs.
const ARCHS: [&str; 2] = ["sm_70", "sm_80"];

#[test]
fn f64_kernels_assemble() {
    assemble_all("f64_kernels_assemble", &programs("examples"), &ARCHS);
}

#[test]
fn f32_kernels_assemble() {
    assemble_all("f32_kernels_assemble", &programs("examples/f32"), &ARCHS);
}

#[test]
fn static_kernels_assemble() {
    assemble_all(
        "static_kernels_assemble",
        &programs("examples/static"),
        &ARCHS,
    );
}

#[test]
fn scan_kernels_assemble() {
    assemble_all("scan_kernels_assemble", &programs("examples/scans"), &ARCHS);
}

#[test]
fn batch_kernels_assemble() {
    assemble_all(
        "batch_kernels_assemble",
        &programs("examples/batch"),
        &ARCHS,
    );
}
