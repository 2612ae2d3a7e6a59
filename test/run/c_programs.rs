//! The programs in examples/c: a C compiler takes every form of them without a warning,
//! and the kernels of PolyBench among them compute what those in MLIR compute.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use terrace::runtime::buffer::HostBuffer;

use super::polybench::{NAMES, Param, Value, array, parameters, quoted, result_of};
use super::tools::{gcc, root, scratch};

/// The options that make the forms of a program.
const FORMS: [&str; 3] = ["-DUSE_ACC", "-DWITH_SCOP", "-DNO_PRAGMA"];

fn sources(folder: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join(folder)).expect("the folder is there");
    let mut files: Vec<PathBuf> = entries
        .filter_map(|e| Some(e.ok()?.path()))
        .filter(|p| p.extension().is_some_and(|e| e == "c"))
        .collect();
    files.sort();
    files
}

/// Compiles with all warnings as errors; what the compiler says.
fn compile(gcc: &Path, source: &Path, options: &[&str]) -> String {
    let out = Command::new(gcc)
        .args(["-O2", "-Wall", "-Wextra", "-Wno-unknown-pragmas", "-Werror"])
        .args(options)
        .arg(source)
        .arg("-lm")
        .output()
        .expect("gcc starts");
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    match out.status.success() {
        true => said,
        false => format!("{}: {said}", source.display()),
    }
}

fn run(program: &Path) -> String {
    let out = Command::new(program).output().expect("it starts");
    assert!(out.status.success(), "{}", program.display());
    String::from_utf8_lossy(&out.stdout).into_owned()
}

#[test]
fn every_form_compiles() {
    let Some(gcc) = gcc() else {
        eprintln!("SKIPPED every_form_compiles: there is no gcc");
        return;
    };
    let kernels = sources("examples/c/polybench");
    assert_eq!(kernels.len(), NAMES.len());
    let mut said = String::new();
    for form in FORMS {
        for kernel in &kernels {
            said += &compile(&gcc, kernel, &["-fsyntax-only", form, "-DBENCH_STATIC"]);
            said += &compile(&gcc, kernel, &["-fsyntax-only", form, "-DBENCH_FLOAT"]);
        }
        for program in sources("examples/c") {
            said += &compile(&gcc, &program, &["-fsyntax-only", form]);
        }
    }
    assert!(said.is_empty(), "{said}");
}

#[test]
fn both_forms_of_himeno_print_the_same() {
    let Some(gcc) = gcc() else {
        eprintln!("SKIPPED both_forms_of_himeno_print_the_same: there is no gcc");
        return;
    };
    let folder = scratch("c_programs");
    let out = ["himeno", "himeno_pointers"].map(|name| {
        let program = folder.join(name);
        let path = program.to_string_lossy().into_owned();
        let source = root().join(format!("examples/c/{name}.c"));
        let said = compile(&gcc, &source, &["-ffp-contract=off", "-DN=8", "-o", &path]);
        assert!(said.is_empty(), "{said}");
        run(&program)
    });
    assert!(out[0].starts_with("check gosa 1 "), "{}", out[0]);
    assert_eq!(out[0], out[1]);
}

/// The kernel's parameters with the values that the C program has.
fn c_values(name: &str) -> Vec<Param> {
    let mut params = parameters(name);
    if name == "gramschmidt" {
        // More rows than columns.
        for p in &mut params {
            let (init, shape) = match p.name.as_str() {
                "A" => ("random:1x1:1", [13, 8]),
                "R" => ("zeros:1x1", [8, 8]),
                _ => ("zeros:1x1", [13, 8]),
            };
            p.value = Value::Array(array(name, &p.name, init, &shape));
        }
    }
    let changed = |p: &mut Param, f: &dyn Fn(usize, f64) -> f64| {
        let Value::Array(b) = &p.value else {
            return;
        };
        let shape = b.shape().to_vec();
        let count: usize = shape.iter().product();
        let random = array("", "", "random:1:1", &[count]);
        let random: &[f64] = random.as_slice().expect("it holds f64");
        let values: Vec<f64> = random.iter().enumerate().map(|(i, v)| f(i, *v)).collect();
        p.value = Value::Array(HostBuffer::from_slice(&shape, &values).expect("memory"));
    };
    for p in &mut params {
        match (name, p.name.as_str()) {
            ("durbin", "r") => changed(p, &|i, v| v / (i as f64 + 2.0) / (i as f64 + 2.0)),
            ("nussinov", "seq") => changed(p, &|_, v| (v * 4.0).trunc()),
            ("floyd-warshall", _) => {
                let n = match &p.value {
                    Value::Array(b) => b.shape()[0],
                    Value::Number(_) => 1,
                };
                changed(p, &|i, v| match i % n == i / n {
                    true => 0.0,
                    false => 1.0 + (v * 999.0).trunc(),
                });
            }
            _ => {}
        }
    }
    params
}

/// The C program's macros for these sizes.
fn macros(name: &str, params: &[Param]) -> Vec<String> {
    let path = root().join(format!("examples/polybench/{name}.mlir"));
    let text = std::fs::read_to_string(&path).expect("the kernel is there");
    let mut sizes = BTreeMap::new();
    for line in text.lines() {
        let Some(param) = quoted(line, "terrace.name") else {
            continue;
        };
        let Some(p) = params.iter().find(|p| p.name == param) else {
            continue;
        };
        match (&p.value, quoted(line, "terrace.dims")) {
            (Value::Array(b), Some(dims)) => {
                for (d, n) in dims.split(", ").zip(b.shape()) {
                    sizes.insert(d.to_string(), n.to_string());
                }
            }
            (Value::Number(n), None) if line.contains("index") => {
                sizes.insert(param, n.clone());
            }
            _ => {}
        }
    }
    sizes.iter().map(|(d, n)| format!("-D{d}={n}")).collect()
}

/// The arrays that a program printed.
fn printed(text: &str) -> Vec<(String, Vec<f64>)> {
    let mut arrays: Vec<(String, Vec<f64>)> = Vec::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match (words.as_slice(), arrays.last_mut()) {
            (["array", name, _], _) => arrays.push((name.to_string(), Vec::new())),
            ([value], Some(last)) => last.1.push(value.parse().expect("a number")),
            _ => {}
        }
    }
    arrays
}

#[test]
fn kernels_compute_what_those_in_mlir_compute() {
    let Some(gcc) = gcc() else {
        eprintln!("SKIPPED kernels_compute_what_those_in_mlir_compute: there is no gcc");
        return;
    };
    let folder = scratch("c_programs");
    let mut wrong = Vec::new();
    for name in NAMES {
        let params = c_values(name);
        let program = folder.join(name);
        let path = program.to_string_lossy().into_owned();
        let macros = macros(name, &params);
        let mut options = vec!["-DDUMP", "-ffp-contract=off", "-o", &path];
        options.extend(macros.iter().map(String::as_str));
        let source = root().join(format!("examples/c/polybench/{name}.c"));
        let said = compile(&gcc, &source, &options);
        assert!(said.is_empty(), "{said}");
        let file = format!("examples/polybench/{name}.mlir");
        let work = format!("c-{name}");
        let mlir = result_of(&file, &work, &params, "interp");
        let arrays = printed(&run(&program));
        assert!(!arrays.is_empty(), "{name} prints nothing");
        for (array, values) in arrays {
            let ours = mlir.iter().find(|(n, _)| n.replace('_', "") == array);
            let ours = ours.map_or(&[][..], |(_, v)| v);
            if ours.len() != values.len() {
                let (a, b) = (values.len(), ours.len());
                wrong.push(format!("{name}: {array} has {a} elements, not {b}"));
                continue;
            }
            let scale = ours.iter().fold(0.0f64, |s, v| s.max(v.abs()));
            let off = |(a, b): (&f64, &f64)| {
                let d = (a - b).abs();
                d.is_nan() || d > 1e-12 * scale
            };
            if let Some(i) = values.iter().zip(ours).position(off) {
                let (c, o) = (values[i], ours[i]);
                wrong.push(format!(
                    "{name}: element {i} of {array} is {c:e}, not {o:e}"
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
