//! Object files of models, called from C, Fortran and Rust.

use super::folder::Folder;
use std::path::{Path, PathBuf};
use std::process::Command;
use terrace_lit::feature::{find_program, skip};

const MODEL: &str = "model wave(N, M: index; h: real; h2: real) precision f32
array P(i: 1..N+1, k: 1..M+2) bands k 2, order k i
array RHO(i: 1..N+1, k: 1..M+2) positive
array D(i: 1..N+1)
compute P(i skip 1 1, k step 2) parallel i
  = P[i,k] + h*(P[i+1,k] - 2*P[i,k] + P[i-1,k])/RHO[i,k]
edge D(i) = h2*P[i, 5]
";

/// The model compiled in a folder of its own.
fn compiled(forms: &str) -> Folder {
    let f = Folder::new(&[("wave.tf", MODEL)]);
    let mut c = Command::new(env!("CARGO_BIN_EXE_terrace"));
    c.args(["compile", "wave.tf", "--emit", forms])
        .current_dir(&f.0);
    let out = c.output().expect("terrace runs");
    assert!(
        out.status.success(),
        "{}",
        String::from_utf8_lossy(&out.stderr)
    );
    f
}

/// What a program in the folder prints.
fn printed(f: &Folder, program: &str) -> String {
    let out = Command::new(f.0.join(program)).output();
    let out = out.expect("the program runs");
    assert!(out.status.success(), "{out:?}");
    String::from_utf8_lossy(&out.stdout).into_owned()
}

fn ran(f: &Folder, program: &Path, args: &[&str]) {
    let mut c = Command::new(program);
    let out = c.args(args).current_dir(&f.0).output();
    let out = out.expect("the compiler runs");
    assert!(
        out.status.success(),
        "{args:?}\n{}",
        String::from_utf8_lossy(&out.stderr)
    );
}

/// What programs print of N = 8 and M = 6: the elements of `D`, computed by the rules of the language.
fn expected() -> Vec<f32> {
    let at = |i: i32| (i * i + 15) as f32 / 8.0;
    let each = |i: i32| match i {
        1 | 9 => 2.0 * at(i),
        i => 2.0 * (at(i) + 0.5 * (at(i + 1) - 2.0 * at(i) + at(i - 1)) / (1 + i) as f32),
    };
    (1..=9).map(each).collect()
}

/// Compares what a program printed: how the call ended, elements, what wrong calls are told.
fn judge(printed: &str) {
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(lines.len(), 12, "{printed}");
    assert_eq!(lines[0], "0 ''");
    for (x, wanted) in lines[1..10].iter().zip(expected()) {
        let x: f32 = x.trim().parse().expect("a number");
        assert!((x - wanted).abs() < 1e-5, "{x} for {wanted}\n{printed}");
    }
    assert_eq!(
        lines[10..],
        [
            "wave.tf:7:16: an index k of the array P is not there",
            "wave.tf:1:1: the parameter N is negative"
        ]
    );
}

/// Elements of `P` by the layout that the model asks for: two bands of `k`, and `i` innermost.
const C: &str = r#"
#include "wave.h"
#include <stdio.h>

int main(void) {
  enum { N = 8, M = 6 };
  static float p[2][(M + 3) / 2][N + 1], rho[N + 1][M + 2], d[N + 1];
  for (int i = 1; i <= N + 1; i++)
    for (int k = 1; k <= M + 2; k++) {
      p[(k - 1) % 2][(k - 1) / 2][i - 1] = (i * i + 3 * k) / 8.0f;
      rho[i - 1][k - 1] = 1 + i;
    }
  printf("%d '%s'\n", wave(N, M, 0.5f, 2.0f, &p[0][0][0], &rho[0][0], d), wave_message(0));
  for (int i = 0; i <= N; i++) printf("%.9g\n", d[i]);
  int small = wave(N, 2, 0.5f, 2.0f, &p[0][0][0], &rho[0][0], d);
  int negative = wave(-1, 2, 0.5f, 2.0f, &p[0][0][0], &rho[0][0], d);
  printf("%s\n%s\n%s%s", wave_message(small), wave_message(negative), wave_message(-5), wave_message(99999));
  return small == 0 || negative == 0;
}
"#;

#[test]
fn c_calls_a_model() {
    let f = compiled("obj,header");
    f.write("main.c", C);
    let made = f.terrace(&["-Wall", "-Werror", "main.c", "wave.o", "-o", "main"]);
    assert!(made.status.success(), "{made:?}");
    judge(&printed(&f, "main"));
    // A C++ compiler takes the header too.
    match find_program("g++", &[]) {
        Some(g) => ran(&f, &g, &["-fsyntax-only", "-x", "c++", "wave.h"]),
        None => skip("g++", "headers of models in C++"),
    }
}

#[test]
fn fortran_calls_a_model() {
    let Some(gfortran) = find_program("gfortran", &[]) else {
        skip("gfortran", "models called from Fortran");
        return;
    };
    let f = compiled("obj,fortran");
    f.write(
        "main.f90",
        r#"program main
  use wave_interface
  use iso_fortran_env, only: output_unit
  implicit none
  integer, parameter :: n = 8, m = 6
  real(c_float) :: p(n + 1, (m + 3) / 2, 2), rho(m + 2, n + 1), d(n + 1)
  integer :: i, k, s
  do i = 1, n + 1
    do k = 1, m + 2
      p(i, (k - 1) / 2 + 1, mod(k - 1, 2) + 1) = (i * i + 3 * k) / 8.0
      rho(k, i) = 1 + i
    end do
  end do
  s = wave(int(n, 8), int(m, 8), 0.5, 2.0, p, rho, d)
  write (*, '(i0, 1x, a)') s, "'" // text(s) // "'"
  do i = 1, n + 1
    write (*, '(es16.8)') d(i)
  end do
  write (*, '(a)') text(wave(int(n, 8), 2_8, 0.5, 2.0, p, rho, d))
  write (*, '(a)') text(wave(-1_8, 2_8, 0.5, 2.0, p, rho, d))
contains
  function text(status) result(t)
    integer, intent(in) :: status
    character(:), allocatable :: t
    character(kind=c_char), pointer :: letters(:)
    integer :: at
    call c_f_pointer(wave_message(status), letters, [1000])
    t = ''
    do at = 1, 1000
      if (letters(at) == c_null_char) exit
      t = t // letters(at)
    end do
  end function
end program
"#,
    );
    ran(
        &f,
        &gfortran,
        &["-Wall", "-c", "wave_interface.f90", "main.f90"],
    );
    let made = f.terrace(&["main.o", "wave.o", "-lgfortran", "-o", "main"]);
    assert!(made.status.success(), "{made:?}");
    judge(&printed(&f, "main"));
}

#[test]
fn rust_calls_a_model() {
    let f = compiled("obj,rust");
    f.write(
        "main.rs",
        r#"mod wave;
fn main() {
    let (n, m) = (8usize, 6usize);
    let (mut p, mut rho, mut d) = (vec![0.0f32; 2 * 4 * 9], vec![0.0f32; 9 * 8], vec![0.0f32; 9]);
    for i in 1..=n + 1 {
        for k in 1..=m + 2 {
            p[((k - 1) % 2 * 4 + (k - 1) / 2) * 9 + i - 1] = (i * i + 3 * k) as f32 / 8.0;
            rho[(i - 1) * 8 + k - 1] = (1 + i) as f32;
        }
    }
    let said = |r: Result<(), String>| r.err().unwrap_or_default();
    println!("0 '{}'", said(wave::wave(8, 6, 0.5, 2.0, &mut p, &rho, &mut d)));
    d.iter().for_each(|x| println!("{x}"));
    println!("{}", said(wave::wave(8, 2, 0.5, 2.0, &mut p[..2 * 2 * 9], &rho[..9 * 4], &mut d)));
    println!("{}", said(wave::wave(-1, 2, 0.5, 2.0, &mut [], &[], &mut [])));
    assert_eq!(
        said(wave::wave(8, 6, 0.5, 2.0, &mut p, &rho, &mut d[..8])),
        "D has 8 elements, expected 9"
    );
}
"#,
    );
    let Some(rustc) = find_program("rustc", &[]) else {
        skip("rustc", "models called from Rust");
        return;
    };
    let archive = format!("-Clink-arg={}", archive().display());
    let linked = ["-Clink-arg=wave.o", &archive, "-Clink-arg=-lm"];
    let words = ["--edition=2024", "-Dwarnings", "main.rs", "-o", "main"];
    ran(&f, &rustc, &[&words[..], &linked].concat());
    judge(&printed(&f, "main"));
}

/// The newest archive of the runtime beside this test.
fn archive() -> PathBuf {
    let own = std::env::current_exe().expect("this test");
    let folder = own.parent().expect("a folder");
    let all = std::fs::read_dir(folder).expect("a folder").flatten();
    let archives = all.map(|e| e.path()).filter(|p| {
        let name = p.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("libterrace_runtime") && name.ends_with(".a")
    });
    let age = |p: &PathBuf| p.metadata().and_then(|m| m.modified()).ok();
    archives.max_by_key(age).expect("an archive of the runtime")
}

#[test]
fn what_has_no_form_is_said() {
    let f = Folder::new(&[
        (
            "int.tf",
            "model int(N: index)\narray A(i: 0..N)\ncompute A(i) = 1\n",
        ),
        (
            "wrong.tf",
            "model m(N: index)\narray A(i: 0..N)\ncompute A(i) = B[i]\n",
        ),
        (
            "sum.mlir",
            "func.func @sum(%a: f32, %b: i1) -> f32 {\n  return %a : f32\n}\n",
        ),
        ("c.c", "int main(void) { return 0; }\n"),
    ]);
    let said = |file: &str, forms: &str| {
        let mut c = Command::new(env!("CARGO_BIN_EXE_terrace"));
        let out = c.args(["compile", file, "--emit", forms]).current_dir(&f.0);
        let out = out.output().expect("terrace runs");
        assert!(!out.status.success(), "{file} {forms}");
        String::from_utf8_lossy(&out.stderr).into_owned()
    };
    assert!(
        said("int.tf", "obj")
            .contains("a function of C cannot be called `int`; give it another name")
    );
    assert!(
        said("wrong.tf", "obj,header").starts_with("wrong.tf:3:16: error: there is no array `B`")
    );
    let sum = said("sum.mlir", "header");
    assert!(
        sum.contains(
            "@sum returns results; expected a function that writes what it computes to arrays"
        ),
        "{sum}"
    );
    assert!(sum.contains("parameter 1 of @sum has the type i1, which has no form here; expected index, i64, f32 or f64"), "{sum}");
    assert!(said("c.c", "obj").contains("`terrace cc -c` makes object files of C"));
    assert!(
        said("int.tf", "obj,exe").contains("found `exe`, expected obj, header, fortran or rust")
    );
    assert!(said("int.tf", "wasm").contains(
        "found `wasm`, expected mlir, ptx, clif, asm, hir, schedule, obj, header, fortran or rust"
    ));
    let left = std::fs::read_dir(&f.0).expect("a folder").count();
    assert_eq!(left, 4, "nothing is written where something is wrong");
}

/// A function in MLIR whose sizes are arguments.
#[test]
fn sizes_that_no_attribute_tells_are_arguments() {
    let f = Folder::new(&[(
        "scale.mlir",
        "func.func @scale(%x: memref<?x4xf64>, %by: f64) {\n  %c0 = arith.constant 0 : index\n  \
         %n = memref.dim %x, %c0 : memref<?x4xf64>\n  affine.for %i = 0 to %n {\n    affine.for %j = 0 to 4 {\n      \
         %v = affine.load %x[%i, %j] : memref<?x4xf64>\n      %w = arith.mulf %v, %by : f64\n      \
         affine.store %w, %x[%i, %j] : memref<?x4xf64>\n    }\n  }\n  return\n}\n",
    )]);
    let mut c = Command::new(env!("CARGO_BIN_EXE_terrace"));
    let out = c.args([
        "compile",
        "scale.mlir",
        "--emit",
        "obj,header,fortran,rust",
        "-o",
        "s",
    ]);
    let out = out.current_dir(&f.0).output().expect("terrace runs");
    assert!(
        out.status.success(),
        "{}",
        String::from_utf8_lossy(&out.stderr)
    );
    let header = std::fs::read_to_string(f.0.join("s.h")).expect("a header");
    assert!(
        header.contains("int scale(double *a0, int64_t a0_size0, double a1);"),
        "{header}"
    );
    f.write(
        "main.c",
        "#include \"s.h\"\n#include <stdio.h>\nint main(void) {\n  double x[2][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}};\n  \
         int s = scale(&x[0][0], 2, 0.5);\n  printf(\"%d %g %g\\n\", s, x[0][0], x[1][3]);\n  return 0;\n}\n",
    );
    let made = f.terrace(&["main.c", "s.o", "-o", "main"]);
    assert!(made.status.success(), "{made:?}");
    assert_eq!(printed(&f, "main"), "0 0.5 4\n");
}

const WITH_C: &str = "model m(N: index; h: real) precision f64
array A(i: 0..N)
array B(i: 0..N)
extern mass(x, y)
extern quarter()
compute A(i) = B[i] + i
compute B(i skip 1 0) carried i = mass(A[i], h*i) + B[i-1] - quarter()
";

/// Functions of C that the model calls, in both precisions.
const FUNCTIONS: &str = "double mass(double x, double y) { return x * x + 3 * y; }\n\
                         double quarter(void) { return 0.25; }\n";

#[test]
fn models_call_c() {
    let f = Folder::new(&[("m.tf", WITH_C), ("functions.c", FUNCTIONS)]);
    let made = f.gcc(&["-shared", "-fPIC", "functions.c", "-o", "functions.so"]);
    assert!(made.status.success(), "{made:?}");
    let run = |more: &[&str]| {
        let mut c = Command::new(env!("CARGO_BIN_EXE_terrace"));
        c.args(["run", "m.tf", "--arg", "N=4", "--arg", "h=0.5"]);
        c.args(["--arg", "A=zeros", "--arg", "B=zeros"]).args(more);
        c.current_dir(&f.0).output().expect("terrace runs")
    };
    // 1 + 1.5 - 0.25, then 4 + 3 - 0.25 more, and so on.
    let expected = ["2.25", "9", "22.25", "44"];
    for target in ["interp", "cpu", "emulator"] {
        let out = run(&[
            "--load",
            "./functions.so",
            "--target",
            target,
            "--out",
            "B=b.npy",
        ]);
        assert!(
            out.status.success(),
            "{target}: {}",
            String::from_utf8_lossy(&out.stderr)
        );
        let b = std::fs::read(f.0.join("b.npy")).expect("an array");
        let words = b[b.len() - 32..].chunks(8);
        let found: Vec<String> = words
            .map(|w| f64::from_le_bytes(w.try_into().expect("a word")).to_string())
            .collect();
        assert_eq!(found, expected, "{target}");
        let out = run(&["--target", target]);
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        assert_eq!(
            said.lines().next(),
            Some(
                "m.tf:4:8: error: the C function `mass` is in no library that was loaded; expected `--load FILE.so` with it"
            ),
            "{target}"
        );
        assert_eq!(said.matches("error:").count(), 2, "{said}");
    }
    let mut c = Command::new(env!("CARGO_BIN_EXE_terrace"));
    let out = c
        .args(["compile", "m.tf", "--emit", "obj,header"])
        .current_dir(&f.0);
    let out = out.output().expect("terrace runs");
    assert!(
        out.status.success(),
        "{}",
        String::from_utf8_lossy(&out.stderr)
    );
    f.write(
        "main.c",
        "#include \"m.h\"\n#include <stdio.h>\nint main(void) {\n  double a[5] = {0}, b[5] = {0};\n  \
         int s = m(4, 0.5, a, b);\n  for (int i = 1; i < 5; i++) printf(\"%g\\n\", b[i]);\n  return s;\n}\n",
    );
    let made = f.terrace(&["main.c", "functions.c", "m.o", "-o", "main"]);
    assert!(made.status.success(), "{made:?}");
    let printed = printed(&f, "main");
    assert_eq!(printed.lines().collect::<Vec<_>>(), expected);
}
