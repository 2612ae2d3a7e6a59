//! `gpu`: grids, barriers, what threads do together, and the memories of a device.

use crate::common::*;
use terrace_ir::text::parser::parse_type;
use terrace_targets::interp::{Config, Interpreter};

/// `@f(%m)` that launches `body` on one block of `n` threads with memory of the device,
/// and copies the result, one f64 for each thread, back to `%m`. In the body `%i` is the
/// thread, `%d` the memory on the device.
fn launched(n: i64, body: &str) -> String {
    format!(
        "func.func @f(%m: memref<{n}xf64>) {{
  %c1 = arith.constant 1 : index
  %n = arith.constant {n} : index
  %d = gpu.alloc () : memref<{n}xf64>
  gpu.memcpy %d, %m : memref<{n}xf64>, memref<{n}xf64>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%i, %ty, %tz) in (%tx = %n, %sy = %c1, %sz = %c1) {{
{body}
    gpu.terminator
  }}
  gpu.memcpy %m, %d : memref<{n}xf64>, memref<{n}xf64>
  gpu.dealloc %d : memref<{n}xf64>
  return
}}"
    )
}

fn counting(n: i64) -> Vec<f64> {
    (0..n).map(|i| i as f64).collect()
}

fn result(n: i64, body: &str) -> Vec<f64> {
    let ty = format!("memref<{n}xf64>");
    on_arrays(&launched(n, body), &[], &[(&ty, &[n], &counting(n))]).remove(0)
}

fn failure(n: i64, body: &str) -> (String, Vec<String>) {
    let (mut ctx, module) = module(&launched(n, body));
    let ty = parse_type(&mut ctx, &format!("memref<{n}xf64>")).unwrap();
    let mut interp = Interpreter::new(&ctx, module);
    let m = interp.array(ty, &[n], &bytes_f64(&counting(n))).unwrap();
    let e = interp.call("f", vec![m]).expect_err(body);
    (e.message, e.trace.into_iter().map(|t| t.1).collect())
}

#[test]
fn kernels_of_a_module_with_shared_and_private_memory() {
    let text = "module attributes {gpu.container_module} {
      gpu.module @kernels {
        gpu.func @reverse(%in: memref<12xf64>, %out: memref<12xf64>) workgroup(%s: memref<4xf64, #gpu.address_space<workgroup>>) private(%p: memref<1xf64, #gpu.address_space<private>>) kernel {
          %c0 = arith.constant 0 : index
          %c3 = arith.constant 3 : index
          %t = gpu.thread_id x
          %b = gpu.block_id x
          %dim = gpu.block_dim x
          %grid = gpu.grid_dim x
          %g = gpu.global_id x
          %x = memref.load %in[%g] : memref<12xf64>
          memref.store %x, %p[%c0] : memref<1xf64, #gpu.address_space<private>>
          %y = memref.load %p[%c0] : memref<1xf64, #gpu.address_space<private>>
          memref.store %y, %s[%t] : memref<4xf64, #gpu.address_space<workgroup>>
          gpu.barrier
          %r = arith.subi %c3, %t : index
          %z = memref.load %s[%r] : memref<4xf64, #gpu.address_space<workgroup>>
          %base = arith.muli %b, %dim : index
          %o = arith.addi %base, %t : index
          memref.store %z, %out[%o] : memref<12xf64>
          gpu.return
        }
      }
      func.func @f(%m: memref<12xf64>) {
        %c1 = arith.constant 1 : index
        %c3 = arith.constant 3 : index
        %c4 = arith.constant 4 : index
        %w = gpu.wait async
        %in, %t0 = gpu.alloc async [%w] () : memref<12xf64>
        %out, %t1 = gpu.alloc async [%t0] () : memref<12xf64>
        %t2 = gpu.memcpy async [%t1] %in, %m : memref<12xf64>, memref<12xf64>
        %t3 = gpu.launch_func async [%t2] @kernels::@reverse blocks in (%c3, %c1, %c1) threads in (%c4, %c1, %c1) args(%in : memref<12xf64>, %out : memref<12xf64>)
        %t4 = gpu.memcpy async [%t3] %m, %out : memref<12xf64>, memref<12xf64>
        gpu.wait [%t4]
        return
      }
    }";
    let out = on_arrays(text, &[], &[("memref<12xf64>", &[12], &counting(12))]).remove(0);
    assert_eq!(
        out,
        [3.0, 2.0, 1.0, 0.0, 7.0, 6.0, 5.0, 4.0, 11.0, 10.0, 9.0, 8.0]
    );
}

#[test]
fn barriers_in_loops_separate_steps() {
    // A reduction by a tree, in the memory of the device: each step halves the threads.
    let body = "    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %s = scf.while (%h = %c4) : (index) -> index {
      %go = arith.cmpi sgt, %h, %c0 : index
      scf.condition(%go) %h : index
    } do {
    ^bb0(%h: index):
      %mine = arith.cmpi slt, %i, %h : index
      scf.if %mine {
        %j = arith.addi %i, %h : index
        %a = memref.load %d[%i] : memref<8xf64>
        %b = memref.load %d[%j] : memref<8xf64>
        %c = arith.addf %a, %b : f64
        memref.store %c, %d[%i] : memref<8xf64>
      }
      gpu.barrier
      %next = arith.divui %h, %c2 : index
      scf.yield %next : index
    }";
    assert_eq!(result(8, body)[0], 28.0);
}

#[test]
fn subgroups_shuffle_and_reduce() {
    let shuffle = |mode: &str| {
        format!(
            "    %o = arith.constant 1 : i32
    %w = arith.constant 32 : i32
    %x = memref.load %d[%i] : memref<40xf64>
    %big = arith.constant 32 : index
    %first = arith.cmpi slt, %i, %big : index
    scf.if %first {{
      %y, %ok = gpu.shuffle {mode} %x, %o, %w : f64
      %none = arith.constant -1.0 : f64
      %z = arith.select %ok, %y, %none : f64
      memref.store %z, %d[%i] : memref<40xf64>
    }}"
        )
    };
    let r = result(40, &shuffle("xor"));
    assert_eq!(r[..4], [1.0, 0.0, 3.0, 2.0]);
    assert_eq!(r[32..34], [32.0, 33.0]);
    let r = result(40, &shuffle("down"));
    assert_eq!((r[0], r[31]), (1.0, -1.0));
    let r = result(40, &shuffle("up"));
    assert_eq!((r[0], r[31]), (-1.0, 30.0));
    let r = result(40, &shuffle("idx"));
    assert_eq!((r[0], r[31]), (1.0, 1.0));
    let reduce = "    %x = memref.load %d[%i] : memref<40xf64>
    %a = gpu.subgroup_reduce add %x : (f64) -> f64
    %b = gpu.subgroup_reduce maxnumf %x cluster(size = 4) : (f64) -> f64
    %c = gpu.all_reduce add %x {
    } : (f64) -> f64
    %e = gpu.all_reduce %x {
    ^bb(%l : f64, %r : f64):
      %m = arith.maximumf %l, %r : f64
      gpu.yield %m : f64
    } : (f64) -> f64
    %s0 = arith.addf %a, %b : f64
    %s1 = arith.addf %s0, %c : f64
    %s2 = arith.addf %s1, %e : f64
    memref.store %s2, %d[%i] : memref<40xf64>";
    let r = result(40, reduce);
    assert_eq!(r[5], 496.0 + 7.0 + 780.0 + 39.0);
    assert_eq!(r[33], 284.0 + 35.0 + 780.0 + 39.0);
    let ids = "    %l = gpu.lane_id
    %s = gpu.subgroup_id : index
    %k = gpu.num_subgroups : index
    %z = gpu.subgroup_size : index
    %a = affine.apply affine_map<(d0, d1, d2, d3) -> (d0 + d1 * 100 + d2 * 1000 + d3 * 10000)>(%l, %s, %k, %z)
    %b = arith.index_cast %a : index to i64
    %x = arith.sitofp %b : i64 to f64
    memref.store %x, %d[%i] : memref<40xf64>";
    assert_eq!(result(40, ids)[39], 322107.0);
}

#[test]
fn divergence_is_an_error() {
    let half = "    %c4 = arith.constant 4 : index
    %low = arith.cmpi slt, %i, %c4 : index
    scf.if %low {
      gpu.barrier
    }";
    let (message, trace) = failure(8, half);
    assert_eq!(
        message,
        "divergence: thread 0 of the block waits here, but thread 4 has ended"
    );
    assert_eq!(trace, ["in block [0, 0, 0], launched here"]);
    let apart = half.replace("    }", "    } else {\n      gpu.barrier\n    }");
    let (message, trace) = failure(8, &apart);
    assert_eq!(
        message,
        "divergence: thread 0 of the block waits here, but thread 4 elsewhere"
    );
    assert_eq!(trace[0], "thread 4 waits here");
    let absent = "    %o = arith.constant 16 : i32
    %w = arith.constant 32 : i32
    %x = memref.load %d[%i] : memref<8xf64>
    %y, %ok = gpu.shuffle xor %x, %o, %w : f64";
    assert_eq!(
        failure(8, absent).0,
        "lane 0 reads lane 16, which does not take part"
    );
}

#[test]
fn memories_are_apart() {
    let (message, trace) = failure(2, "    %x = memref.load %m[%i] : memref<2xf64>");
    assert_eq!(message, "device code accesses memory of the host");
    assert_eq!(
        trace,
        ["in thread (0, 0, 0) of block (0, 0, 0), launched here"]
    );
    let text = "func.func @f() {
      %c0 = arith.constant 0 : index
      %x = arith.constant 1.0 : f64
      %d = gpu.alloc () : memref<2xf64>
      memref.store %x, %d[%c0] : memref<2xf64>
      return
    }";
    assert_eq!(
        fails(text, &[]),
        "5: host code accesses memory of the device"
    );
    let shared = text.replace("gpu.alloc ()", "gpu.alloc host_shared ()");
    assert_eq!(run(&shared, &[]), []);
    let (ctx, module) = module(text);
    let config = Config {
        unified_memory: true,
        ..Config::default()
    };
    assert_eq!(
        Interpreter::with_config(&ctx, module, config).call("f", vec![]),
        Ok(vec![])
    );
    let free = text.replace("memref.store %x, %d[%c0]", "memref.dealloc %d");
    assert_eq!(fails(&free, &[]), "5: frees device memory as host memory");
}

#[test]
fn memory_of_a_block_starts_unwritten() {
    let text = "func.func @f(%n: index) {
      %c1 = arith.constant 1 : index
      gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %c1, %gz = %c1)
                 threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1)
                 workgroup(%s : memref<1xi32, #gpu.address_space<workgroup>>) {
        %c0 = arith.constant 0 : index
        %z = arith.constant 0 : i32
        %first = arith.cmpi eq, %bx, %c0 : index
        scf.if %first {
          memref.store %z, %s[%c0] : memref<1xi32, #gpu.address_space<workgroup>>
        }
        %x = memref.load %s[%c0] : memref<1xi32, #gpu.address_space<workgroup>>
        gpu.terminator
      }
      return
    }";
    assert_eq!(run(text, &[index(1)]), []);
    assert_eq!(run(text, &[index(0)]), []);
    assert_eq!(
        fails(text, &[index(2)]),
        "12: reads memory that was never written"
    );
    assert_eq!(fails(text, &[index(-2)]), "3: the grid size along x is -2");
}

#[test]
fn launches_are_checked_and_prints_kept() {
    let text = "func.func @f(%n: index) {
      %c1 = arith.constant 1 : index
      gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
                 threads(%tx, %ty, %tz) in (%sx = %n, %sy = %c1, %sz = %c1) {
        %i = arith.index_cast %tx : index to i32
        %x = arith.sitofp %i : i32 to f32
        gpu.printf \"%d: %.2f%%\\n\", %i, %x : i32, f32
        gpu.terminator
      }
      return
    }";
    let (ctx, module) = module(text);
    let mut interp = Interpreter::new(&ctx, module);
    interp.call("f", vec![index(2)]).unwrap();
    assert_eq!(interp.output(), "0: 0.00%\n1: 1.00%\n");
    assert_eq!(interp.counters().launches, 1);
    let e = interp.call("f", vec![index(2000)]).unwrap_err();
    assert_eq!(e.message, "a block of 2000x1x1 threads has more than 1024");
    assert_eq!(
        fails("func.func @f() {\n gpu.barrier\n return\n}", &[]),
        "2: waits for other threads, but runs on the host"
    );
    let id = "func.func @f() -> index {\n %i = gpu.thread_id x\n return %i : index\n}";
    assert_eq!(fails(id, &[]), "2: can only run in a kernel, on the device");
}

#[test]
fn sets_and_dynamic_shared_memory() {
    let text = "func.func @f(%m: memref<4xf64>) {
      %c1 = arith.constant 1 : index
      %n = arith.constant 4 : index
      %bytes = arith.constant 32 : i32
      %x = arith.constant 5.0 : f64
      %d = gpu.alloc () : memref<4xf64>
      gpu.memset %d, %x : memref<4xf64>, f64
      gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
                 threads(%i, %ty, %tz) in (%sx = %n, %sy = %c1, %sz = %c1) dynamic_shared_memory_size %bytes {
        %c0 = arith.constant 0 : index
        %raw = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
        %s = memref.view %raw[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<4xf64, #gpu.address_space<workgroup>>
        %k = arith.index_cast %i : index to i64
        %v = arith.sitofp %k : i64 to f64
        memref.store %v, %s[%i] : memref<4xf64, #gpu.address_space<workgroup>>
        gpu.barrier
        %c3 = arith.constant 3 : index
        %j = arith.subi %c3, %i : index
        %w = memref.load %s[%j] : memref<4xf64, #gpu.address_space<workgroup>>
        %u = memref.atomic_rmw addf %w, %d[%i] : (f64, memref<4xf64>) -> f64
        gpu.terminator
      }
      gpu.memcpy %m, %d : memref<4xf64>, memref<4xf64>
      return
    }";
    let out = on_arrays(text, &[], &[("memref<4xf64>", &[4], &[0.0; 4])]).remove(0);
    assert_eq!(out, [8.0, 7.0, 6.0, 5.0]);
}
