//! Object files, linked with C programs by the system's compiler and run.

use super::super::{
    GpuImage, ImageKernel, ImageParam, ObjectCode, ObjectOptions, OptLevel, PackedEntry,
    RegionData, RegionVersion, SPECIFIC, compile_object,
};
use super::{line, parsed};
use std::path::PathBuf;
use std::process::Command;

/// A folder of this test's own, removed at the end.
pub(super) struct Folder(pub PathBuf);

impl Folder {
    pub fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("terrace-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder for temporary files");
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn entry(function: &str, symbol: &str) -> PackedEntry {
    PackedEntry {
        function: function.into(),
        symbol: symbol.into(),
        behind: 0,
    }
}

fn options(entries: &[PackedEntry]) -> ObjectOptions {
    ObjectOptions {
        source: "t.c".into(),
        entries: entries.to_vec(),
        ..ObjectOptions::default()
    }
}

/// What the program of this object file and this C text prints.
fn linked(name: &str, object: &[u8], c: &str) -> String {
    let folder = Folder::new(name);
    let path = |n: &str| folder.0.join(n);
    std::fs::write(path("t.o"), object).unwrap();
    std::fs::write(path("main.c"), c).unwrap();
    let cc = Command::new("cc")
        .args(["-O1", "-Wall", "-Werror", "-pie", "-fPIE", "-o"])
        .args([path("main"), path("main.c"), path("t.o")])
        .arg("-lm")
        .output()
        .expect("a C compiler");
    assert!(
        cc.status.success(),
        "{}",
        String::from_utf8_lossy(&cc.stderr)
    );
    let run = Command::new(path("main")).output().unwrap();
    assert!(run.status.success(), "{run:?}");
    String::from_utf8(run.stdout).unwrap()
}

const HEAD: &str = r#"
#include <stdio.h>
#include <string.h>
#include <math.h>
typedef unsigned long long word;
int terrace_parallel_for(int (*body)(void *, long, long), void *env, long begin, long end, long step) {
  long half = begin + (end - begin) / step / 2 * step;
  int r = begin < half ? body(env, begin, half) : 0;
  return r ? r : half < end ? body(env, half, end) : 0;
}
static inline word f64(double d) { word w; memcpy(&w, &d, 8); return w; }
static inline word f32(float d) { unsigned w; memcpy(&w, &d, 4); return w; }
static inline double as_f64(word w) { double d; memcpy(&d, &w, 8); return d; }
static inline float as_f32(word w) { float d; unsigned u = (unsigned)w; memcpy(&d, &u, 4); return d; }
"#;

#[test]
fn every_kind_of_argument_arrives() {
    let (ctx, m) = parsed(
        "func.func @f(%a: memref<?x?xf64>, %n: index, %s: f64, %t: f32, %i: i32, %b: i1, %c: i8,
           %v: memref<2x3xi32>, %w: memref<?xf64, strided<[3]>>) -> (f64, f32, i32, i8, i1) {
           %c0 = arith.constant 0 : index
           %c1 = arith.constant 1 : index
           %c2 = arith.constant 2 : index
           scf.parallel (%p) = (%c0) to (%n) step (%c1) {
             scf.for %q = %c0 to %n step %c1 {
               %x = memref.load %a[%p, %q] : memref<?x?xf64>
               %y = arith.mulf %x, %s : f64
               memref.store %y, %a[%p, %q] : memref<?x?xf64>
             }
             scf.reduce
           }
           %r = memref.load %w[%c2] : memref<?xf64, strided<[3]>>
           %t2 = arith.addf %t, %t : f32
           %e = memref.load %v[%c1, %c2] : memref<2x3xi32>
           %i2 = arith.addi %i, %e : i32
           %true = arith.constant true
           %nb = arith.xori %b, %true : i1
           %c3 = arith.addi %c, %c : i8
           %cos = math.cos %r : f64
           return %cos, %t2, %i2, %c3, %nb : f64, f32, i32, i8, i1
         }",
    );
    let c = format!(
        "{HEAD}{}",
        r#"
int terrace_f_cpu(word *);
int main(void) {
  double a[2][3] = {{1, 2, 3}, {4, 5, 6}}, w[9] = {0, 1, 2, 3, 4, 5, 0.5};
  int v[2][3] = {{1, 2, 3}, {4, 5, 60}};
  word words[] = {(word)a, 2, 3, 2, f64(0.5), f32(1.25f), (unsigned)-7, 1, 200, (word)v, (word)w, 3,
                  99, 99, 99, 99, 99, 77};
  int r = terrace_f_cpu(words);
  printf("%d %g %g %g %g %g %g\n", r, a[0][0], a[0][1], a[0][2], a[1][0], a[1][1], a[1][2]);
  printf("%d %g %d %llu %llu %llu\n", as_f64(words[12]) == cos(0.5), as_f32(words[13]), (int)words[14],
         words[15], words[16], words[17]);
  return 0;
}
"#
    );
    for opt_level in [OptLevel::None, OptLevel::Speed] {
        let mut o = options(&[entry("f", "terrace_f_cpu")]);
        o.native.opt_level = opt_level;
        let object = compile_object(&ctx, m, &o).unwrap();
        let out = linked("arguments", &object, &c);
        assert_eq!(out, "0 0.5 1 3 2 2.5 6\n1 2.5 53 144 0 77\n");
    }
}

#[test]
fn globals_and_calls_are_in_the_file() {
    let (ctx, m) = parsed(
        "memref.global \"private\" constant @table : memref<4xi32> = dense<[3, 5, 7, 11]>
         memref.global \"private\" @count : memref<i64> = dense<0>
         memref.global \"private\" @shared : memref<2xi32>
         func.func private @outside(i32) -> i32
         func.func private @get(%i: index) -> i32 {
           %t = memref.get_global @table : memref<4xi32>
           %x = memref.load %t[%i] : memref<4xi32>
           return %x : i32
         }
         func.func @f(%i: index) -> (i32, i64) {
           %x = call @get(%i) : (index) -> i32
           %y = call @outside(%x) : (i32) -> i32
           %c = memref.get_global @count : memref<i64>
           %n = memref.load %c[] : memref<i64>
           %one = arith.constant 1 : i64
           %n1 = arith.addi %n, %one : i64
           memref.store %n1, %c[] : memref<i64>
           %g = memref.get_global @shared : memref<2xi32>
           %i1 = arith.constant 1 : index
           memref.store %y, %g[%i1] : memref<2xi32>
           return %y, %n1 : i32, i64
         }",
    );
    let object = compile_object(&ctx, m, &options(&[entry("f", "terrace_f")])).unwrap();
    let c = format!(
        "{HEAD}{}",
        r#"
int terrace_f(word *);
int outside(int x, word *out) { if (x == 11) return 1; out[0] = (unsigned)(100 * x); return 0; }
int shared[2];
int main(void) {
  for (word i = 1; i < 4; i++) {
    word words[3] = {i, 0, 0};
    int r = terrace_f(words);
    printf("%d %d %d %d\n", r, (int)words[1], (int)words[2], shared[1]);
  }
  return 0;
}
"#
    );
    assert_eq!(
        linked("globals", &object, &c),
        "0 500 1 500\n0 700 2 700\n1 0 0 700\n"
    );
}

#[test]
fn a_failed_op_is_told_by_its_number() {
    let mut object = ObjectCode::new(&options(&[])).unwrap();
    let (ctx, a) = parsed(
        "func.func @f(%x: i32, %y: i32) -> i32 {\n  %z = arith.divsi %x, %y : i32\n  return %z : i32\n}",
    );
    object.add(&ctx, a, &[entry("f", "a")]).unwrap();
    // Another context, whose handles have the same numbers.
    let (ctx, b) = parsed(
        "func.func @f(%x: i32, %y: i32) -> i32 {\n\n  %z = arith.divui %x, %y : i32\n  return %z : i32\n}",
    );
    object.add(&ctx, b, &[entry("f", "b")]).unwrap();
    for (symbol, cpu, gpu) in [("terrace_one", "a", None), ("terrace_two", "b", Some("a"))] {
        object.region(RegionData {
            symbol: symbol.into(),
            name: format!("main.{symbol}"),
            file: "dir/x.c".into(),
            line: 12,
            column: 3,
            flags: 5,
            cpu: Some(cpu.into()),
            cpu_v3: None,
            gpu: gpu.map(str::to_string),
            image: gpu.map(|_| GpuImage {
                ptx: ".version 8.0\n".into(),
                kernels: vec![
                    ImageKernel {
                        name: "k".into(),
                        params: [("a", 8, 16), ("", 4, 1)]
                            .map(|(name, bytes, align)| ImageParam {
                                name: (!name.is_empty()).then(|| name.to_string()),
                                bytes,
                                align,
                                fallback_align: align.min(4),
                            })
                            .to_vec(),
                        fallback: Some("k_other".into()),
                        indices: vec![-1, 7],
                        cooperative: false,
                    },
                    ImageKernel {
                        name: "l".into(),
                        cooperative: true,
                        ..ImageKernel::default()
                    },
                ],
            }),
            versions: gpu
                .map(|gpu| RegionVersion {
                    sm: 90,
                    flags: SPECIFIC,
                    gpu: gpu.into(),
                    image: Some(GpuImage {
                        ptx: ".version 8.1\n".into(),
                        kernels: Vec::new(),
                    }),
                })
                .into_iter()
                .collect(),
        });
    }
    let object = object.finish().unwrap();
    let c = format!(
        "{HEAD}{LAYOUT}{}",
        r#"
extern struct terrace_region terrace_one, terrace_two;
static void show(struct terrace_region *r) {
  word good[3] = {7, 2, 0}, bad[3] = {7, 0, 42};
  int ok = r->cpu(good), failed = r->cpu(bad);
  const struct terrace_site *s = &r->sites[failed - 1];
  printf("%u %u %s %s:%u:%u gpu %d\n", r->abi, r->flags, r->name, r->file, r->line, r->column, r->gpu != 0);
  printf("%d %d, %d of %d at %s:%u:%u, %d\n", ok, (int)good[2], failed, (int)r->num_sites, s->file,
         s->line, s->column, (int)bad[2]);
  struct terrace_image *i = r->image;
  if (!i) return;
  printf("%s%d %d: ", i->ptx, (int)i->ptx_bytes, (int)strlen(i->ptx));
  for (unsigned k = 0; k < i->num_kernels; k++) {
    const struct terrace_kernel *l = &i->kernels[k];
    printf("%s %u %s [", l->name, l->flags, l->fallback ? l->fallback : "-");
    for (unsigned p = 0; p < l->num_params; p++) {
      const struct terrace_param *q = &l->params[p];
      printf("%s %u %u %u ", q->name ? q->name : "-", q->bytes, q->align, q->fallback_align);
    }
    for (unsigned p = 0; p < l->num_indices; p++) printf("%lld ", l->indices[p]);
    printf("] ");
  }
  i->loaded = &i;
  const struct terrace_version *v = r->versions;
  printf("\n%d: %u %u %d %s", (int)r->num_versions, v->sm, v->flags, v->gpu == r->gpu, v->image->ptx);
}
int main(void) { show(&terrace_one); show(&terrace_two); return 0; }
"#
    );
    assert_eq!(
        linked("regions", &object, &c),
        "5 5 main.terrace_one dir/x.c:12:3 gpu 0\n\
         0 3, 1 of 2 at t.mlir:2:8, 42\n\
         5 5 main.terrace_two dir/x.c:12:3 gpu 1\n\
         0 3, 2 of 2 at t.mlir:3:8, 42\n\
         .version 8.0\n13 13: k 0 k_other [a 8 16 4 - 4 1 1 -1 7 ] l 1 - [] \n1: 90 1 1 .version 8.1\n"
    );
}

/// As the runtime declares them.
const LAYOUT: &str = "
struct terrace_param  { const char *name; unsigned bytes, align, fallback_align, pad; };
struct terrace_kernel { const char *name; const struct terrace_param *params; unsigned num_params; unsigned flags;
                        const char *fallback; const long long *indices; unsigned long long num_indices; };
struct terrace_image  { const char *ptx; unsigned long long ptx_bytes; const struct terrace_kernel *kernels; unsigned num_kernels; unsigned pad; void *loaded; };
struct terrace_site   { const char *file; unsigned line, column; };
struct terrace_version { unsigned sm, flags; int (*gpu)(unsigned long long *); struct terrace_image *image; };
struct terrace_region { unsigned abi; unsigned flags; const char *name; const char *file; unsigned line, column;
                        int (*cpu)(unsigned long long *); int (*cpu_v3)(unsigned long long *); int (*gpu)(unsigned long long *); struct terrace_image *image;
                        const struct terrace_site *sites; unsigned long long num_sites;
                        const struct terrace_version *versions; unsigned long long num_versions; };
";

#[test]
fn code_for_newer_machines_lies_beside_the_other() {
    let mut object = ObjectCode::new(&options(&[])).unwrap();
    let (ctx, m) = parsed(
        "func.func @f(%x: i32, %a: memref<8xi32>) -> i32 {\n  %c0 = arith.constant 0 : index\n  \
         %p = arith.constant 0 : i32\n  \
         %v = vector.transfer_read %a[%c0], %p {in_bounds = [true]} : memref<8xi32>, vector<8xi32>\n  \
         %q = arith.muli %v, %v : vector<8xi32>\n  %s = vector.reduction <add>, %q : vector<8xi32> into i32\n  \
         %z = arith.divsi %s, %x : i32\n  return %z : i32\n}",
    );
    object.add(&ctx, m, &[entry("f", "every")]).unwrap();
    let newer = object.add_v3(&ctx, m, &[entry("f", "newer")]).unwrap();
    assert_eq!(newer, cfg!(target_arch = "x86_64"));
    object.add(&ctx, m, &[entry("f", "again")]).unwrap();
    let object = object.finish().unwrap();
    if !newer || !std::arch::is_x86_feature_detected!("avx2") {
        println!("SKIPPED: this machine has not the instructions of x86-64-v3");
        return;
    }
    let c = format!(
        "{HEAD}{}",
        r#"
int every(word *), newer(word *), again(word *);
int main(void) {
  int a[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  int (*all[])(word *) = {every, newer, again};
  for (int i = 0; i < 3; i++) {
    word good[3] = {2, (word)a, 0}, bad[3] = {0, (word)a, 42};
    int ok = all[i](good), failed = all[i](bad);
    printf("%d %d %d\n", ok, (int)good[2], failed != 0);
  }
}
"#
    );
    assert_eq!(linked("versions", &object, &c), "0 102 1\n".repeat(3));
}

#[test]
fn kernels_count_from_zero_in_each_module() {
    let text = |kernel: &str| {
        format!(
            "module attributes {{gpu.container_module}} {{
               gpu.module @m {{ gpu.func @{kernel}(%a: memref<?xf32>) kernel {{ gpu.return }} }}
               func.func @f(%a: memref<?xf32>) {{
                 %c1 = arith.constant 1 : index
                 gpu.launch_func @m::@{kernel} blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
                   args(%a : memref<?xf32>)
                 return
               }}
             }}"
        )
    };
    let mut object = ObjectCode::new(&options(&[])).unwrap();
    for name in ["k", "l"] {
        let (ctx, m) = parsed(&text(name));
        let kernels = object
            .add(&ctx, m, &[entry("f", &format!("gpu_{name}"))])
            .unwrap();
        assert_eq!(kernels, [("m".to_string(), name.to_string())]);
    }
    let object = object.finish().unwrap();
    let c = format!(
        "{HEAD}{}",
        r#"
int terrace_gpu_launch(unsigned kernel, word *grid, word *block, unsigned shared, word *args, unsigned n, unsigned op) {
  printf("%u %d %d %u %#llx %llu %u %u\n", kernel, (int)grid[2], (int)block[0], shared, args[0], args[1], n, op);
  return op == 1;
}
int gpu_k(word *), gpu_l(word *);
int main(void) {
  word words[2] = {0x1000, 5};
  int k = gpu_k(words), l = gpu_l(words);
  printf("%d %d\n", k, l);
  return 0;
}
"#
    );
    assert_eq!(
        linked("kernels", &object, &c),
        "0 1 1 0 0x1000 5 2 0\n0 1 1 0 0x1000 5 2 1\n0 2\n"
    );
}

#[test]
fn what_cannot_be_an_entry_is_said() {
    let wrong = |text: &str| -> Vec<(u32, String)> {
        let (ctx, m) = parsed(text);
        let e = compile_object(&ctx, m, &options(&[entry("f", "terrace_f")])).unwrap_err();
        e.into_iter().map(|(l, m)| (line(&ctx, l), m)).collect()
    };
    let cases = [
        (
            "func.func @f(%a: i128) { return }",
            "argument 0 has more than 64 bits",
        ),
        (
            "func.func @f(%i: i32, %a: f16) { return }",
            "argument 1 is a float of 16 bits",
        ),
        (
            "func.func @f(%a: memref<?xf32, strided<[?]>>) { return }",
            "neither its strides nor",
        ),
        (
            "func.func @f(%a: memref<4xf32, strided<[1], offset: ?>>) { return }",
            "an unknown offset",
        ),
        (
            "func.func @f(%a: memref<4xf32>) -> memref<4xf32> { return %a : memref<4xf32> }",
            "result 0 is not a number",
        ),
        (
            "func.func @g() { return }",
            "there is no function '@f' with a body",
        ),
        (
            "func.func @f(%v: vector<4xf32>) { return }",
            "pass them in memory",
        ),
    ];
    for (text, what) in cases {
        let found = wrong(text);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].0 == 1 && found[0].1.contains(what), "{found:?}");
    }
    let (ctx, m) = parsed("func.func @f(%a: i128) { return }");
    let mut object = ObjectCode::new(&options(&[])).unwrap();
    object.add(&ctx, m, &[entry("f", "terrace_f")]).unwrap_err();
    assert!(object.finish().is_err());
    let mut object = ObjectCode::new(&options(&[])).unwrap();
    object.region(RegionData {
        symbol: "r".into(),
        cpu: Some("nowhere".into()),
        ..RegionData::default()
    });
    assert_eq!(object.finish().unwrap_err(), "there is no entry 'nowhere'");
}
