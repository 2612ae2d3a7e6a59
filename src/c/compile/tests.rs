//! Regions as MLIR compiled to object files, linked with C and run on the host.

use super::*;
use crate::dialects;
use crate::ir::text::parser::{Source, parse};
use std::process::Command;

const TWO: &str = r#"
func.func private @twice(%x: f64) -> f64 {
  %y = arith.addf %x, %x : f64
  return %y : f64
}
func.func private @unused() { return }
func.func @f.region0(%n: i32, %a: memref<?xf64> {acc.name = "a"}) attributes {acc.region = {construct = "auto", source = "scop"}} {
  %m = arith.index_cast %n : i32 to index
  affine.for %i = 0 to %m {
    %x = affine.load %a[%i] : memref<?xf64>
    %y = func.call @twice(%x) : (f64) -> f64
    affine.store %y, %a[%i] : memref<?xf64>
  }
  return
}
func.func @f.region1(%x: i32, %y: i32) -> i32 attributes {acc.region = {construct = "serial", source = "acc"}} {
  %z = arith.divsi %x, %y : i32 loc("t.c":7:9)
  return %z : i32
}
"#;

fn regions(names: &[&str]) -> Vec<RegionInput> {
    let one = |n: &&str| RegionInput {
        function: n.to_string(),
        symbol: n.replace('.', "_"),
        place: DiagLoc::pos("t.c", 3, 1),
        ..RegionInput::default()
    };
    names.iter().map(one).collect()
}

fn compiled(text: &str, names: &[&str], gpu: bool) -> CompiledRegions {
    let mut ctx = dialects::context();
    let module = parse(&mut ctx, &Source::new("t.mlir", text)).expect("parses");
    let options = CompileOptions {
        gpu,
        source: "t.c".into(),
        ..CompileOptions::default()
    };
    compile_regions(&mut ctx, module, &regions(names), &options).expect("an object file")
}

/// The object file linked with this C text, and what the program prints.
fn linked(name: &str, object: &[u8], c: &str) -> String {
    let folder =
        std::env::temp_dir().join(format!("terrace-regions-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("t.o"), object).unwrap();
    std::fs::write(folder.join("main.c"), c).unwrap();
    let cc = Command::new("cc")
        .args(["-o", "main", "main.c", "t.o"])
        .current_dir(&folder)
        .output()
        .expect("a C compiler");
    assert!(
        cc.status.success(),
        "{}",
        String::from_utf8_lossy(&cc.stderr)
    );
    let out = Command::new(folder.join("main")).output().unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    String::from_utf8(out.stdout).unwrap()
}

#[test]
fn an_extent_that_cannot_be_compiled_is_not_known() {
    let all = vec![Extent::Known, Extent::Computed];
    let Extent::Unknown(why) = &extents::without(all, "no such op")[1] else {
        panic!("it is known");
    };
    assert_eq!(why.text, "its extent has no code: no such op");
}

#[test]
fn two_regions_run_from_c() {
    let made = compiled(TWO, &["f.region0", "f.region1"], false);
    assert!(
        made.regions.iter().all(|r| r.cpu && !r.gpu),
        "{:?}",
        made.regions
    );
    assert_eq!(made.regions[0].extents, [Extent::Known, Extent::Computed]);
    assert!(!made.regions[0].cpu_mlir.contains("unused"));
    let c = r#"
#include <stdio.h>
int terrace_parallel_for(int (*body)(void *, long, long), void *env, long b, long e, long step) { return b < e ? body(env, b, e) : 0; }
struct region { unsigned abi, flags; const char *name, *file; unsigned line, column;
  int (*cpu)(unsigned long long *), (*cpu_v3)(unsigned long long *), (*gpu)(unsigned long long *); void *image; struct { const char *file; unsigned line, column; } *sites; unsigned long long n; };
extern struct region terrace_f_region0, terrace_f_region1;
int terrace_f_region0_extents(unsigned long long *);
int main(void) {
  double a[3] = {1, 2, 3.5};
  unsigned long long w[3] = {3, (unsigned long long)a, 3}, d[3] = {7, 0, 0};
  int r = terrace_f_region0.cpu(w), s = terrace_f_region1.cpu(d);
  printf("%d %g %g %g %s %d\n", r, a[0], a[1], a[2], terrace_f_region0.name, terrace_f_region0.gpu == 0);
  printf("%s:%u:%u\n", terrace_f_region1.sites[s - 1].file, terrace_f_region1.sites[s - 1].line, terrace_f_region1.sites[s - 1].column);
  d[1] = 2;
  s = terrace_f_region1.cpu(d);
  printf("%d %d\n", s, (int)d[2]);
  unsigned long long e[5] = {17, 0, 0, 99, 99};
  s = terrace_f_region0_extents(e);
  printf("%d %d %d\n", s, (int)e[3], (int)e[4]);
}
"#;
    assert_eq!(
        linked("two", &made.object, c),
        "0 2 4 7 f.region0 1\nt.c:7:9\n0 3\n0 0 17\n"
    );
}

#[test]
fn a_region_that_fails_leaves_the_others() {
    let text = format!(
        "{TWO}\nfunc.func @g.region0(%v: i128) {{\n  return\n}}\nfunc.func @h.region0() {{\n  call @nowhere() : () -> ()\n  return\n}}\nfunc.func private @nowhere()\n"
    );
    let made = compiled(
        &text,
        &["f.region1", "g.region0", "missing", "h.region0"],
        false,
    );
    let cpu: Vec<bool> = made.regions.iter().map(|r| r.cpu).collect();
    assert_eq!(cpu, [true, false, false, true]);
    assert!(
        made.regions[1].no_cpu[0]
            .message
            .contains("more than 64 bits")
    );
    assert!(
        made.regions[2].no_cpu[0]
            .message
            .contains("no function '@missing'")
    );
}

#[test]
fn kernels_are_in_the_image() {
    let made = compiled(TWO, &["f.region0"], true);
    let r = &made.regions[0];
    assert!(r.gpu, "{:?}", r.no_gpu);
    assert!(
        r.ptx.contains(".entry") && r.ptx.contains(".target sm_90"),
        "{}",
        r.ptx
    );
    let c = r#"
#include <stdio.h>
#include <string.h>
struct kernel { const char *name; const unsigned *bytes; unsigned n, flags; };
struct image { const char *ptx; unsigned long long bytes; struct kernel *kernels; unsigned n, pad; void *loaded; };
struct region { unsigned abi, flags; const char *name, *file; unsigned line, column;
  int (*cpu)(unsigned long long *), (*cpu_v3)(unsigned long long *), (*gpu)(unsigned long long *); struct image *image; void *sites; unsigned long long n; };
extern struct region terrace_f_region0;
int terrace_parallel_for(void) { return 0; }
int terrace_gpu_sync(unsigned op) { return 0; }
int terrace_gpu_profiled(void) { return 0; }
void terrace_gpu_work(double flops32, double flops64, double bytes) {}
int terrace_gpu_launch(unsigned k, unsigned long long *grid, unsigned long long *block, unsigned shared, unsigned long long *args, unsigned n, unsigned op) {
  struct image *i = terrace_f_region0.image;
  printf("%d %d %d\n", k < i->n, i->kernels[k].n == n, strstr(i->ptx, i->kernels[k].name) != 0);
  int found = 0;
  for (unsigned a = 0; a < n; a++) found |= args[a] == 0x7000;
  printf("%d %d\n", found, (int)(grid[0] * block[0]) >= 100);
  return 0;
}
int main(void) {
  unsigned long long w[3] = {100, 0x7000, 100};
  printf("%d\n", terrace_f_region0.gpu(w));
}
"#;
    assert_eq!(linked("gpu", &made.object, c), "1 1 1\n1 1\n0\n");
}
