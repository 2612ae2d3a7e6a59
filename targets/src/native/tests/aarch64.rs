//! Object files for aarch64: vectors give there what they give here. The program runs under
//! qemu's user mode; where that or a C compiler for aarch64 is absent, a line says so.

use super::super::{ObjectOptions, OptLevel, PackedEntry, compile_object};
use super::object::Folder;
use super::parsed;
use std::path::Path;
use std::process::Command;

const TRIPLE: &str = "aarch64-unknown-linux-gnu";
const COMPILER: &str = "aarch64-linux-gnu-gcc";
const QEMU: &str = "qemu-aarch64";

/// Whether a tool answers.
fn is_here(tool: &str) -> bool {
    let out = Command::new(tool).arg("--version").output();
    out.is_ok_and(|o| o.status.success())
}

/// A function that works on `%x` and `%y`, vectors of `lanes` elements, for each of 64 elements,
/// and stores what `body` names `%z`, of type `result`.
fn function(name: &str, ty: &str, lanes: usize, body: &str, result: &str) -> String {
    format!(
        "func.func @{name}(%a: memref<64x{ty}>, %b: memref<64x{ty}>, %c: memref<64x{result}>) {{
           %c0 = arith.constant 0 : index
           %n = arith.constant 64 : index
           %step = arith.constant {lanes} : index
           scf.for %i = %c0 to %n step %step {{
             %x = vector.load %a[%i] : memref<64x{ty}>, vector<{lanes}x{ty}>
             %y = vector.load %b[%i] : memref<64x{ty}>, vector<{lanes}x{ty}>
             {body}
             vector.store %z, %c[%i] : memref<64x{result}>, vector<{lanes}x{result}>
           }}
           return
         }}\n"
    )
}

/// Functions by their numbers, and the type of their arrays.
fn functions() -> Vec<(String, &'static str)> {
    let mut all: Vec<(String, &'static str)> = Vec::new();
    let mut add = |ty: &'static str, lanes: usize, body: String, result: &str| {
        let name = format!("f{}", all.len());
        all.push((function(&name, ty, lanes, &body, result), ty));
    };
    let integers = [("i8", 16), ("i16", 8), ("i32", 4), ("i64", 2)];
    for (ty, lanes) in integers {
        // Vectors of one register and of several.
        for lanes in [lanes, 4 * lanes] {
            let v = format!("vector<{lanes}x{ty}>");
            for op in [
                "addi", "subi", "muli", "andi", "ori", "xori", "maxsi", "minsi", "maxui", "minui",
            ] {
                add(ty, lanes, format!("%z = arith.{op} %x, %y : {v}"), ty);
            }
            add(ty, lanes, format!("%z = math.absi %x : {v}"), ty);
            for p in ["slt", "sge", "ult", "eq"] {
                let body = format!(
                    "%m = arith.cmpi {p}, %x, %y : {v}
                     %z = arith.select %m, %y, %x : vector<{lanes}xi1>, {v}"
                );
                add(ty, lanes, body, ty);
            }
            for kind in ["add", "and", "or", "xor", "maxsi", "minui"] {
                let body = format!(
                    "%s = vector.reduction <{kind}>, %x : {v} into {ty}
                     %z = vector.broadcast %s : {ty} to {v}"
                );
                add(ty, lanes, body, ty);
            }
        }
    }
    let wider = [
        ("i8", "i16", 16),
        ("i8", "i32", 16),
        ("i16", "i32", 8),
        ("i16", "i64", 8),
        ("i32", "i64", 4),
    ];
    for (from, to, lanes) in wider {
        let (narrow, wide) = (
            format!("vector<{lanes}x{from}>"),
            format!("vector<{lanes}x{to}>"),
        );
        for op in ["extsi", "extui"] {
            let body = format!(
                "%w = arith.{op} %x : {narrow} to {wide}
                 %s = vector.reduction <add>, %w : {wide} into {to}
                 %t = vector.broadcast %s : {to} to {wide}
                 %u = arith.addi %t, %w : {wide}
                 %z = arith.trunci %u : {wide} to {narrow}"
            );
            add(from, lanes, body, from);
            add(
                from,
                lanes,
                format!("%z = arith.{op} %x : {narrow} to {wide}"),
                to,
            );
        }
    }
    for (ty, lanes) in [("f32", 4), ("f64", 2), ("f32", 16), ("f64", 8)] {
        let v = format!("vector<{lanes}x{ty}>");
        for op in [
            "addf", "subf", "mulf", "divf", "maximumf", "minimumf", "maxnumf", "minnumf",
        ] {
            add(ty, lanes, format!("%z = arith.{op} %x, %y : {v}"), ty);
        }
        for op in [
            "arith.negf",
            "math.absf",
            "math.floor",
            "math.ceil",
            "math.trunc",
        ] {
            add(ty, lanes, format!("%z = {op} %x : {v}"), ty);
        }
        add(
            ty,
            lanes,
            format!("%p = math.absf %x : {v}\n%z = math.sqrt %p : {v}"),
            ty,
        );
        let body = format!(
            "%m = arith.cmpf olt, %x, %y : {v}
             %z = arith.select %m, %y, %x : vector<{lanes}xi1>, {v}"
        );
        add(ty, lanes, body, ty);
        // In their order.
        let body = format!(
            "%s = vector.reduction <add>, %x : {v} into {ty}
             %z = vector.broadcast %s : {ty} to {v}"
        );
        add(ty, lanes, body, ty);
        if lanes >= 4 {
            let w = format!("vector<{lanes}xi32>");
            let body =
                format!("%q = arith.fptosi %x : {v} to {w}\n%z = arith.sitofp %q : {w} to {v}");
            add(ty, lanes, body, ty);
        }
        let back: Vec<String> = (0..lanes).rev().map(|i| i.to_string()).collect();
        let body = format!(
            "%z = vector.shuffle %x, %y [{}] : {v}, {v}",
            back.join(", ")
        );
        add(ty, lanes, body, ty);
    }
    for (to, lanes) in [("f32", 4), ("f64", 2)] {
        for op in ["sitofp", "uitofp"] {
            let types = format!("vector<{lanes}xi64> to vector<{lanes}x{to}>");
            add("i64", lanes, format!("%z = arith.{op} %x : {types}"), to);
        }
    }
    let (s, d) = ("vector<4xf32>", "vector<4xf64>");
    let body = format!(
        "%w = arith.extf %x : {s} to {d}\n%u = arith.mulf %w, %w : {d}\n%z = arith.truncf %u : {d} to {s}"
    );
    add("f32", 4, body, "f32");
    all
}

/// A program that calls all functions on the same numbers and prints what each made of them.
fn program(functions: &[(String, &str)]) -> String {
    let names = 0..functions.len();
    let declared: Vec<String> = names
        .clone()
        .map(|i| format!("terrace_f{i}(word *)"))
        .collect();
    let listed: Vec<String> = names.map(|i| format!("terrace_f{i}")).collect();
    let is_float = |ty: &str| match ty {
        "f32" => "1",
        "f64" => "2",
        _ => "0",
    };
    let kinds: Vec<&str> = functions.iter().map(|(_, ty)| is_float(ty)).collect();
    format!(
        r#"#include <stdio.h>
#include <string.h>
typedef unsigned long long word;
int {};
int (*all[])(word *) = {{{}}};
int kinds[] = {{{}}};
static unsigned char a[512], b[512], c[1024];
int main(void) {{
  for (unsigned f = 0; f < sizeof all / sizeof *all; f++) {{
    for (int i = 0; i < 512; i++) {{
      a[i] = i * 37 + i / 7;
      b[i] = i * 91 + 5 + i / 3;
    }}
    for (int i = 0; i < 64 && kinds[f]; i++) {{
      double x = i * i / 7.0 - 211, y = 300 - i * 9.25;
      float s = x, t = y;
      memcpy(kinds[f] == 2 ? a + 8 * i : a + 4 * i, kinds[f] == 2 ? (void *)&x : &s, 4 * kinds[f]);
      memcpy(kinds[f] == 2 ? b + 8 * i : b + 4 * i, kinds[f] == 2 ? (void *)&y : &t, 4 * kinds[f]);
    }}
    memset(c, 0, sizeof c);
    word words[] = {{(word)a, (word)b, (word)c}};
    word hash = all[f](words);
    for (int i = 0; i < 1024; i++) hash = (hash ^ c[i]) * 1099511628211u;
    printf("%u %016llx\n", f, hash);
  }}
  return 0;
}}
"#,
        declared.join(", "),
        listed.join(", "),
        kinds.join(", ")
    )
}

/// What the program prints, compiled by `cc` and run by a command in front of it.
fn printed(folder: &Path, object: &[u8], cc: &[&str], runner: &[&str]) -> String {
    let path = |n: &str| folder.join(n);
    std::fs::write(path("t.o"), object).unwrap();
    let made = Command::new(cc[0])
        .args(&cc[1..])
        .arg("-o")
        .args([path("main"), path("main.c"), path("t.o")])
        .arg("-lm")
        .output()
        .unwrap();
    assert!(
        made.status.success(),
        "{}",
        String::from_utf8_lossy(&made.stderr)
    );
    let mut words = runner
        .iter()
        .map(|w| Path::new(w).to_path_buf())
        .chain([path("main")]);
    let run = Command::new(words.next().unwrap())
        .args(words)
        .output()
        .unwrap();
    assert!(run.status.success(), "{run:?}");
    String::from_utf8(run.stdout).unwrap()
}

#[test]
fn vectors_give_the_same_on_aarch64() {
    let functions = functions();
    let text: String = functions.iter().map(|(f, _)| f.as_str()).collect();
    let (ctx, module) = parsed(&text);
    let entries = |i: usize| PackedEntry {
        function: format!("f{i}"),
        symbol: format!("terrace_f{i}"),
        behind: 0,
    };
    let object = |triple: Option<&str>, opt_level| {
        let mut o = ObjectOptions {
            triple: triple.map(str::to_string),
            source: "t.c".into(),
            entries: (0..functions.len()).map(entries).collect(),
            ..ObjectOptions::default()
        };
        o.native.opt_level = opt_level;
        compile_object(&ctx, module, &o).unwrap()
    };
    // Code is made for it in any case.
    let [plain, fast] = [OptLevel::None, OptLevel::Speed].map(|o| object(Some(TRIPLE), o));
    if !cfg!(target_os = "linux") || !is_here(COMPILER) || !is_here(QEMU) {
        println!("SKIPPED: no {COMPILER} or no {QEMU} to run code for aarch64 with");
        return;
    }
    let folder = Folder::new("aarch64");
    std::fs::write(folder.0.join("main.c"), program(&functions)).unwrap();
    let here = printed(
        &folder.0,
        &object(None, OptLevel::Speed),
        &["cc", "-O1"],
        &[],
    );
    assert_eq!(here.lines().count(), functions.len());
    for object in [plain, fast] {
        let there = printed(&folder.0, &object, &[COMPILER, "-O1", "-static"], &[QEMU]);
        for ((here, there), (f, _)) in here.lines().zip(there.lines()).zip(&functions) {
            assert_eq!(here, there, "{f}");
        }
    }
}

#[test]
fn kinds_of_machines_without_a_code_generator_are_named() {
    let (ctx, module) = parsed("func.func @f() { return }");
    let o = ObjectOptions {
        triple: Some("mips-unknown-linux-gnu".into()),
        ..ObjectOptions::default()
    };
    let errors = compile_object(&ctx, module, &o).unwrap_err();
    let said = &errors[0].1;
    assert!(
        said.starts_with("there is no code generator for 'mips-unknown-linux-gnu': "),
        "{said}"
    );
}
