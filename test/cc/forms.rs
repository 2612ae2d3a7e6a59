//! What `terrace compile` prints of a C file is what `terrace cc` makes of it.

use super::folder::{Folder, text};
use std::process::{Command, Output};

const HEAD: &str = "#include <openacc.h>
#define N 64
double A[N][N], B[N][N], C[N][N];
";

const PRODUCT: &str = "void product(void) {
#pragma scop
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < N; k++) C[i][j] += A[i][k] * B[k][j];
#pragma endscop
}
";

const QUOTIENTS: &str = "void quotients(int n, float *restrict x, const float *restrict y) {
#pragma acc parallel loop copy(x[0:n]) copyin(y[0:n])
  for (int i = 0; i < n; i++) x[i] = x[i] / y[i] + 1 / x[i];
}
";

/// A region that only the host's threads run.
const ON_HOST: &str = "void on_host(void) {
#pragma terrace target(cpu)
#pragma scop
  for (int i = 0; i < N; i++) A[i][0] = i;
#pragma endscop
}
";

/// The folder with `f.c`, and with `f.o` and what it was made of in `kept`.
fn compiled(parts: &[&str], options: &[&str]) -> Folder {
    let f = Folder::new(&[("f.c", &format!("{HEAD}{}", parts.concat()))]);
    let words = [&["-c", "f.c", "-o", "f.o", "--terrace-keep=kept"], options].concat();
    let made = f.terrace(&words);
    assert!(made.status.success(), "{}", text(&made.stderr));
    f
}

fn printed(f: &Folder, options: &[&str]) -> String {
    let mut c = Command::new(env!("CARGO_BIN_EXE_terrace"));
    c.args(["compile", "f.c"]).args(options);
    let out: Output = f.run(c);
    assert!(out.status.success(), "{options:?}: {}", text(&out.stderr));
    text(&out.stdout)
}

/// The PTX in an object file; each text ends in a zero byte.
fn images(f: &Folder) -> Vec<String> {
    let object = std::fs::read(f.0.join("f.o")).expect("the object file is there");
    let texts = object.split(|b| *b == 0);
    let texts = texts.filter(|t| t.starts_with(b".version"));
    texts.map(text).collect()
}

/// Without the lines that head a file, which stand once for all regions.
fn body(ptx: &str) -> Vec<&str> {
    let heads = [".version", ".target", ".address_size", ".file"];
    let is_head = |l: &&str| heads.iter().any(|h| l.starts_with(h));
    ptx.lines().filter(|l| !is_head(l)).collect()
}

#[test]
fn the_ptx_of_one_region_is_that_of_the_object_file() {
    for (part, options) in [
        (PRODUCT, &[][..]),
        (QUOTIENTS, &[]),
        (QUOTIENTS, &["--use-fast-math"]),
        (QUOTIENTS, &["--index-bitwidth=32"]),
    ] {
        for arch in ["--target-arch=sm_75", "--target-arch=sm_90"] {
            let words = [options, &[arch]].concat();
            let f = compiled(&[part], &words);
            let carried = images(&f);
            let shown = printed(&f, &[&["--emit", "ptx"], &words[..]].concat());
            assert_eq!(carried, [shown], "{words:?}");
        }
    }
}

#[test]
fn options_of_the_compiler_mean_the_same() {
    let plain = compiled(&[QUOTIENTS], &["--target-arch=sm_90"]);
    let fast = compiled(&[QUOTIENTS], &["--target-arch=sm_90", "-ffast-math"]);
    assert_ne!(images(&plain), images(&fast));
    let shown = printed(&fast, &["--emit", "ptx", "--", "-ffast-math"]);
    assert_eq!(images(&fast), [shown]);
}

#[test]
fn the_ptx_of_several_regions_is_that_of_the_object_file() {
    let f = compiled(&[PRODUCT, ON_HOST, QUOTIENTS], &["--target-arch=sm_90"]);
    let carried = images(&f);
    assert_eq!(carried.len(), 2, "{carried:?}");
    let shown = printed(&f, &["--emit", "ptx"]);
    let all: Vec<&str> = carried.iter().flat_map(|t| body(t)).collect();
    assert_eq!(body(&shown), all);
}

#[test]
fn both_forms_are_those_that_cc_keeps() {
    let f = compiled(&[PRODUCT, ON_HOST, QUOTIENTS], &["--target-arch=sm_90"]);
    let kept = |region: &str, form: &str| {
        let path = f.0.join(format!("kept/f.{region}.region0.{form}.mlir"));
        std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
    };
    let cpu = ["product", "on_host", "quotients"].map(|r| kept(r, "cpu"));
    let gpu = ["product", "quotients"].map(|r| kept(r, "gpu"));
    let shown = |target| printed(&f, &["--emit", "mlir", "--target", target]);
    assert_eq!(shown("cpu"), cpu.join("\n"));
    assert_eq!(shown("gpu"), gpu.join("\n"));
}

/// Divisions are counted: nothing but the region's own code has any.
#[test]
fn the_code_of_the_host_is_that_of_the_object_file() {
    if cfg!(not(target_arch = "x86_64")) {
        println!("SKIPPED: the instruction that is counted is of x86-64");
        return;
    }
    // Beside the region's code there is the C statement that stands in for it.
    let whole = compiled(&[QUOTIENTS], &["--target-arch=sm_90"]);
    let mut c = Command::new("objdump");
    c.args(["-d", "kept/f.regions.o"]);
    let divisions = |t: &str| t.lines().filter(|l| l.contains("divss")).count();
    let carried = divisions(&text(&whole.run(c).stdout));
    assert!(carried > 0);
    let shown = |form, target| printed(&whole, &["--emit", form, "--target", target]);
    // There is code for every machine of the kind, and code for those since x86-64-v3.
    assert_eq!(2 * divisions(&shown("asm", "cpu")), carried);
    assert_eq!(divisions(&shown("asm", "gpu")), 0);
    assert!(shown("clif", "cpu").contains("fdiv"));
    // By default the form for the host's threads.
    assert_eq!(printed(&whole, &["--emit", "asm"]), shown("asm", "cpu"));
}

#[test]
fn the_interpreter_has_no_code() {
    let f = Folder::new(&[("f.c", &format!("{HEAD}{QUOTIENTS}"))]);
    let mut c = Command::new(env!("CARGO_BIN_EXE_terrace"));
    c.args(["compile", "f.c", "--emit", "asm", "--target", "interp"]);
    let out = f.run(c);
    assert_eq!(out.status.code(), Some(2));
    let said =
        "error: this form is of code for a target: --target cpu or gpu; found --target interp\n";
    assert_eq!(text(&out.stderr), said);
}

#[test]
fn what_has_no_region_has_no_form() {
    let f = Folder::new(&[("f.c", "double f(double x) { return x * 2; }\n")]);
    for (words, what) in [
        (&["--emit", "ptx"][..], "a kernel"),
        (&["--emit", "asm"], "code"),
        (&["--emit", "mlir", "--target", "gpu"], "a kernel"),
    ] {
        let mut c = Command::new(env!("CARGO_BIN_EXE_terrace"));
        c.args(["compile", "f.c"]).args(words);
        let out = f.run(c);
        assert_eq!(out.status.code(), Some(2));
        let said = format!("error: the program has no region to make {what} of\n");
        assert_eq!(text(&out.stderr), said, "{words:?}");
    }
    // Its loops are those of all functions all the same.
    assert!(printed(&f, &["--emit", "mlir"]).contains("func.func"));
}
