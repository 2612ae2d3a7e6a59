//! What a subgroup does with matrices, and copies in the background. Results are
//! compared with those of kernels in `test/tools/terrace/run`.

use crate::common::*;
use terrace_ir::text::parser::parse_type;
use terrace_targets::interp::Interpreter;

/// `@f(%m)` that launches `body` on one block of `n` threads with `%d`, a copy of `%m` on
/// the device, and `%s`, memory of the block.
fn launched(n: i64, body: &str) -> String {
    format!(
        "func.func @f(%m: memref<64xf64>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = arith.constant {n} : index
  %d = gpu.alloc () : memref<64xf64>
  gpu.memcpy %d, %m : memref<64xf64>, memref<64xf64>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%i, %ty, %tz) in (%tx = %n, %sy = %c1, %sz = %c1)
             workgroup(%s: memref<64xf64, 3>, %h: memref<64x8xf16, 3>) {{
{body}
    gpu.terminator
  }}
  gpu.memcpy %m, %d : memref<64xf64>, memref<64xf64>
  gpu.dealloc %d : memref<64xf64>
  return
}}"
    )
}

fn counting() -> Vec<f64> {
    (0..64).map(f64::from).collect()
}

fn result(n: i64, body: &str) -> Vec<f64> {
    let arrays = [("memref<64xf64>", &[64i64][..], &counting()[..])];
    on_arrays(&launched(n, body), &[], &arrays).remove(0)
}

fn failure(n: i64, body: &str) -> String {
    let (mut ctx, module) = module(&launched(n, body));
    let ty = parse_type(&mut ctx, "memref<64xf64>").unwrap();
    let mut interp = Interpreter::new(&ctx, module);
    let m = interp.array(ty, &[64], &bytes_f64(&counting())).unwrap();
    interp.call("f", vec![m]).expect_err(body).message
}

#[test]
fn copies_arrive_group_by_group_when_they_are_waited_for() {
    let two = "%j = arith.muli %i, %c2 : index
      %a = nvgpu.device_async_copy %d[%j], %s[%j], 2 : memref<64xf64> to memref<64xf64, 3>
      %g = nvgpu.device_async_create_group %a
      %zero = arith.constant 0 : index
      %k = arith.addi %j, %n : index
      %l = arith.addi %k, %n : index
      %b = nvgpu.device_async_copy %d[%l], %s[%l], 2, %c1 : memref<64xf64> to memref<64xf64, 3>
      %h2 = nvgpu.device_async_create_group %b
      ";
    let first = format!(
        "{two} nvgpu.device_async_wait %h2 {{numGroups = 1 : i32}}
      gpu.barrier
      %x = memref.load %s[%i] : memref<64xf64, 3>
      %y = arith.addf %x, %x : f64
      memref.store %y, %d[%i] : memref<64xf64>"
    );
    let mut wanted = counting();
    (0..16).for_each(|i| wanted[i] *= 2.0);
    assert_eq!(result(16, &first), wanted);
    // Of the second group only every other element is read; the rest is zero.
    let second = format!(
        "{two} nvgpu.device_async_wait %h2
      gpu.barrier
      %w = arith.addi %i, %n : index
      %w2 = arith.addi %w, %n : index
      %x = memref.load %s[%w2] : memref<64xf64, 3>
      memref.store %x, %d[%i] : memref<64xf64>"
    );
    let got = result(16, &second);
    assert_eq!(got[..4], [32.0, 0.0, 34.0, 0.0]);
    let late = format!(
        "{two} nvgpu.device_async_wait %h2 {{numGroups = 1 : i32}}
      gpu.barrier
      %w = arith.addi %i, %n : index
      %w2 = arith.addi %w, %n : index
      %x = memref.load %s[%w2] : memref<64xf64, 3>"
    );
    assert_eq!(failure(16, &late), "reads memory that was never written");
    let never = "%j = arith.muli %i, %c2 : index
      %a = nvgpu.device_async_copy %d[%j], %s[%j], 2 : memref<64xf64> to memref<64xf64, 3>
      gpu.barrier
      %x = memref.load %s[%i] : memref<64xf64, 3>";
    assert_eq!(failure(4, never), "reads memory that was never written");
}

#[test]
fn copies_that_reach_out_of_memory() {
    let beyond = "%c63 = arith.constant 63 : index
      %a = nvgpu.device_async_copy %d[%c0], %s[%c63], 2 : memref<64xf64> to memref<64xf64, 3>";
    assert_eq!(
        failure(1, beyond),
        "element 64 lies outside of the allocation, which has 64 elements"
    );
    let many = "%c3 = arith.constant 3 : index
      %a = nvgpu.device_async_copy %d[%c0], %s[%c0], 2, %c3 : memref<64xf64> to memref<64xf64, 3>";
    assert_eq!(failure(1, many), "reads 3 elements for a copy of 2");
    // Nothing is read, so that the source may be anywhere.
    let nothing = "%c99 = arith.constant 99 : index
      %a = nvgpu.device_async_copy %d[%c99], %s[%c0], 2, %c0 : memref<64xf64> to memref<64xf64, 3>
      %g = nvgpu.device_async_create_group %a
      nvgpu.device_async_wait %g
      %x = memref.load %s[%c1] : memref<64xf64, 3>
      memref.store %x, %d[%c1] : memref<64xf64>";
    assert_eq!(result(1, nothing)[..3], [0.0, 0.0, 2.0]);
}

#[test]
fn matrices_need_whole_subgroups_and_aligned_rows() {
    let load = "%a = nvgpu.ldmatrix %h[%i, %c0] {numTiles = 4 : i32, transpose = false} : memref<64x8xf16, 3> -> vector<4x2xf16>";
    assert_eq!(
        failure(16, load),
        "needs all 32 threads of a subgroup, but 16 are here"
    );
    assert_eq!(failure(32, load), "reads memory that was never written");
    let beside = load.replace("%c0]", "%c2]");
    assert_eq!(
        failure(32, &beside),
        "the row of lane 0 lies 4 bytes behind the start of its allocation, which is no multiple of 16"
    );
    let some = format!(
        "%c4 = arith.constant 4 : index
      %few = arith.cmpi ult, %i, %c4 : index
      scf.if %few {{
        {load}
      }}"
    );
    assert_eq!(
        failure(32, &some),
        "needs all 32 threads of a subgroup, but 4 are here"
    );
}

#[test]
fn threads_of_a_subgroup_name_one_matrix() {
    let load = "%v = memref.reinterpret_cast %d to offset: [0], sizes: [8, 8], strides: [8, 1] : memref<64xf64> to memref<8x8xf64>
      %c = gpu.subgroup_mma_load_matrix %v[%c0, %at] {leadDimension = 8 : index} : memref<8x8xf64> -> !gpu.mma_matrix<8x4xf64, \"AOp\">";
    let same = format!("%at = arith.constant 4 : index\n{load}");
    assert_eq!(result(32, &same), counting());
    let other = format!("%at = arith.remui %i, %c2 : index\n{load}");
    assert_eq!(
        failure(32, &other),
        "the place differs between the threads of a subgroup"
    );
    let outside = format!("%at = arith.constant 7 : index\n{load}");
    assert_eq!(
        failure(32, &outside),
        "element 64 lies outside of the allocation, which has 64 elements"
    );
}
