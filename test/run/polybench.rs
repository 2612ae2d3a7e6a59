//! The PolyBench kernels compute what the same kernels in C compute, element by element.

use super::tools::{gcc, programs, root, scratch, terrace};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use terrace::runtime::argspec::ArgValue;
use terrace::runtime::buffer::HostBuffer;
use terrace::runtime::dtype::DType;
use terrace::runtime::npy;

/// The kernels of PolyBench/C 4.2.
pub(super) const NAMES: [&str; 30] = [
    "2mm",
    "3mm",
    "adi",
    "atax",
    "bicg",
    "cholesky",
    "correlation",
    "covariance",
    "deriche",
    "doitgen",
    "durbin",
    "fdtd-2d",
    "floyd-warshall",
    "gemm",
    "gemver",
    "gesummv",
    "gramschmidt",
    "heat-3d",
    "jacobi-1d",
    "jacobi-2d",
    "lu",
    "ludcmp",
    "mvt",
    "nussinov",
    "seidel-2d",
    "symm",
    "syr2k",
    "syrk",
    "trisolv",
    "trmm",
];

/// The value of a parameter in a small run.
pub(super) enum Value {
    Number(String),
    Array(HostBuffer),
}

pub(super) struct Param {
    pub(super) name: String,
    pub(super) value: Value,
}

/// The text between quotes after `key = `, with or without brackets around it.
pub(super) fn quoted(line: &str, key: &str) -> Option<String> {
    let rest = line.split_once(&format!("{key} = "))?.1;
    let end = if rest.starts_with('[') { "]" } else { "\"" };
    let rest = &rest[1..];
    Some(rest.split_once(end)?.0.replace('"', ""))
}

/// What the program takes, with small sizes, all different, in place of its own.
pub(super) fn parameters(name: &str) -> Vec<Param> {
    let path = root().join(format!("examples/polybench/{name}.mlir"));
    let text = std::fs::read_to_string(&path).expect("the kernel is there");
    let mut sizes: BTreeMap<String, usize> = BTreeMap::new();
    let mut params = Vec::new();
    for line in text.lines() {
        let (Some(param), Some(init)) =
            (quoted(line, "terrace.name"), quoted(line, "terrace.init"))
        else {
            continue;
        };
        let value = match quoted(line, "terrace.dims") {
            None if line.contains("index") => Value::Number("3".to_string()),
            None => Value::Number(init),
            Some(dims) => {
                let mut shape = Vec::new();
                for d in dims.split(", ") {
                    let next = 7 + 2 * sizes.len();
                    shape.push(*sizes.entry(d.to_string()).or_insert(next));
                }
                Value::Array(array(name, &param, &init, &shape))
            }
        };
        params.push(Param { name: param, value });
    }
    assert!(!params.is_empty(), "{} has no parameters", path.display());
    params
}

pub(super) fn array(kernel: &str, param: &str, init: &str, shape: &[usize]) -> HostBuffer {
    if (kernel, param) == ("nussinov", "seq") {
        let bases: Vec<f64> = (0..shape[0]).map(|i| ((i * i + 1) % 4) as f64).collect();
        return HostBuffer::from_slice(shape, &bases).expect("memory");
    }
    let mut value = ArgValue::parse(init).expect("the initial value is one");
    if let ArgValue::Fill { shape: s, .. } = &mut value {
        *s = Some(shape.to_vec());
    }
    let open = vec![None; shape.len()];
    value
        .to_buffer(DType::F64, &open, 0)
        .expect("the initial value is an array")
}

/// Tests run at the same time: each has its own program.
fn compiled(gcc: &Path, target: &str) -> PathBuf {
    let program = scratch("polybench").join(format!("peers-{target}"));
    let out = Command::new(gcc)
        .args(["-std=c11", "-O1", "-ffp-contract=off", "-Wall", "-Wextra"])
        .arg(root().join("test/run/polybench/Inputs/peers.c"))
        .arg("-o")
        .arg(&program)
        .arg("-lm")
        .output()
        .expect("gcc starts");
    let said = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success() && said.is_empty(), "{said}");
    program
}

/// The arrays after the kernel in C, one after the other.
fn c_result(program: &Path, name: &str, params: &[Param]) -> Vec<f64> {
    let mut args = vec![name.to_string()];
    let mut input = Vec::new();
    for p in params {
        match &p.value {
            Value::Number(n) => args.push(n.clone()),
            Value::Array(b) => {
                let shape: Vec<String> = b.shape().iter().map(usize::to_string).collect();
                args.push(format!("@{}", shape.join("x")));
                input.extend_from_slice(b.bytes());
            }
        }
    }
    let mut child = Command::new(program)
        .args(&args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stdin = child.stdin.take().expect("its input is a pipe");
    stdin.write_all(&input).expect("it reads its arrays");
    drop(stdin);
    let out = child.wait_with_output().expect("the program ends");
    assert!(out.status.success(), "{name} in C");
    let number = |b: &[u8]| f64::from_ne_bytes(b.try_into().expect("8 bytes"));
    out.stdout.chunks_exact(8).map(number).collect()
}

/// The arrays after `terrace run`, in the same order, each with its name.
fn our_result(name: &str, params: &[Param], target: &str) -> Vec<(String, Vec<f64>)> {
    let path = format!("examples/polybench/{name}.mlir");
    result_of(&path, &format!("{name}-{target}"), params, target)
}

pub(super) fn result_of(
    path: &str,
    work: &str,
    params: &[Param],
    target: &str,
) -> Vec<(String, Vec<f64>)> {
    let folder = scratch("polybench").join(work);
    std::fs::create_dir_all(&folder).expect("the test folder can be made");
    let mut args = vec![
        "run".to_string(),
        path.to_string(),
        format!("--target={target}"),
    ];
    for p in params {
        match &p.value {
            Value::Number(n) => args.push(format!("--arg={}={n}", p.name)),
            Value::Array(b) => {
                let (before, after) = (file(&folder, p, "in"), file(&folder, p, "out"));
                npy::write(&before, b).expect("the test folder is writable");
                args.push(format!("--arg={}=@{}", p.name, before.display()));
                args.push(format!("--out={}={}", p.name, after.display()));
            }
        }
    }
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    terrace(&args).exits(0);
    let arrays = params.iter().filter(|p| matches!(p.value, Value::Array(_)));
    arrays
        .map(|p| {
            let b = npy::read(&file(&folder, p, "out")).expect("the array was written");
            (p.name.clone(), b.as_slice().expect("it holds f64").to_vec())
        })
        .collect()
}

fn file(folder: &Path, p: &Param, when: &str) -> PathBuf {
    folder.join(format!("{}.{when}.npy", p.name))
}

/// Some peers add up in another order: the largest element sets the scale.
fn differences(name: &str, c: &[f64], ours: &[(String, Vec<f64>)]) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut rest = c;
    for (array, ours) in ours {
        let Some((c, after)) = rest.split_at_checked(ours.len()) else {
            return vec![format!("{name}: C gives {} numbers only", c.len())];
        };
        rest = after;
        let scale = c.iter().fold(0.0f64, |s, v| s.max(v.abs()));
        let off = |(a, b): (&f64, &f64)| {
            let d = (a - b).abs();
            d.is_nan() || d > 1e-12 * scale
        };
        if let Some(i) = c.iter().zip(ours).position(off) {
            let (c, o) = (c[i], ours[i]);
            wrong.push(format!(
                "{name}: element {i} of {array} is {o:e}, not {c:e}"
            ));
        }
    }
    if !rest.is_empty() {
        wrong.push(format!("{name}: C gives {} numbers more", rest.len()));
    }
    wrong
}

fn agree(test: &str, target: &str) {
    let Some(gcc) = gcc() else {
        eprintln!("SKIPPED {test}: there is no gcc");
        return;
    };
    let peers = compiled(&gcc, target);
    let mut wrong = Vec::new();
    for name in NAMES {
        let params = parameters(name);
        let c = c_result(&peers, name, &params);
        let ours = our_result(name, &params, target);
        assert!(
            ours.iter().zip(arrays(&params)).any(|(o, b)| o.1 != b),
            "{name} computes nothing"
        );
        wrong.extend(differences(name, &c, &ours));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn arrays(params: &[Param]) -> impl Iterator<Item = &[f64]> {
    params.iter().filter_map(|p| match &p.value {
        Value::Array(b) => b.as_slice().ok(),
        Value::Number(_) => None,
    })
}

#[test]
fn the_list_is_complete() {
    let stem = |p: &PathBuf| p.file_stem().map(|s| s.to_string_lossy().into_owned());
    let found: Vec<String> = programs("examples/polybench")
        .iter()
        .filter_map(stem)
        .collect();
    assert_eq!(found, NAMES);
}

#[test]
fn the_interpreter_agrees_with_c() {
    agree("the_interpreter_agrees_with_c", "interp");
}

#[test]
fn native_code_agrees_with_c() {
    agree("native_code_agrees_with_c", "cpu");
}

#[test]
fn kernels_on_the_emulator_agree_with_c() {
    agree("kernels_on_the_emulator_agree_with_c", "emulator");
}

/// Scheduled, tiled and turned into loops again, kernels give the same bits: nothing is
/// added up in another order. `TERRACE_POLYBENCH` asks for all of them; these have
/// wavefronts, triangles, conditions, statements before and behind loops, and bounds
/// that are quotients.
#[test]
fn schedules_do_not_change_results() {
    let some = [
        "cholesky",
        "correlation",
        "durbin",
        "gemm",
        "jacobi-1d",
        "nussinov",
        "seidel-2d",
        "symm",
        "trisolv",
    ];
    let all = std::env::var_os("TERRACE_POLYBENCH").is_some();
    let folder = scratch("polybench").join("scheduled");
    std::fs::create_dir_all(&folder).expect("the test folder can be made");
    for name in NAMES.iter().filter(|n| all || some.contains(n)) {
        let path = folder.join(format!("{name}.mlir")).display().to_string();
        let args = [
            "--auto-schedule=tile-size=3",
            "--apply-schedule=check=false",
            &format!("examples/polybench/{name}.mlir"),
            "-o",
            &path,
        ];
        let out = Command::new(env!("CARGO_BIN_EXE_terrace-opt"))
            .args(args)
            .current_dir(root())
            .output()
            .expect("terrace-opt starts");
        let said = String::from_utf8_lossy(&out.stderr);
        assert!(out.status.success() && said.is_empty(), "{name}: {said}");
        let params = parameters(name);
        let before = our_result(name, &params, "interp");
        let work = format!("{name}-scheduled");
        let after = result_of(&path, &work, &params, "interp");
        assert!(before == after, "{name} computes something else");
    }
}
