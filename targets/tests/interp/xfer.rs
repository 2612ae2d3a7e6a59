//! `xfer`: memory of the device, and copies to it and back.

use crate::common::*;
use terrace_targets::interp::Interpreter;

/// Doubles each element on the device.
const DOUBLE: &str = "func.func @f(%m: memref<?xf64>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %n = memref.dim %m, %c0 : memref<?xf64>
      %d = xfer.alloc(%n) : memref<?xf64, #xfer.device>
      xfer.copy %m to %d : memref<?xf64> to memref<?xf64, #xfer.device>
      gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %c1, %gz = %c1)
                 threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
        %x = memref.load %d[%bx] : memref<?xf64, #xfer.device>
        %y = arith.addf %x, %x : f64
        memref.store %y, %d[%bx] : memref<?xf64, #xfer.device>
        gpu.terminator
      }
      xfer.copy %d to %m : memref<?xf64, #xfer.device> to memref<?xf64>
      xfer.free %d : memref<?xf64, #xfer.device>
      return
    }";

#[test]
fn to_the_device_and_back() {
    let out = on_arrays(DOUBLE, &[], &[("memref<?xf64>", &[3], &[1.0, 2.0, 3.0])]);
    assert_eq!(out[0], [2.0, 4.0, 6.0]);
}

/// The error of [`DOUBLE`] with `from` replaced by `to`.
fn broken(from: &str, to: &str) -> String {
    let text = DOUBLE.replace(from, to);
    assert_ne!(text, DOUBLE);
    let (mut ctx, module) = module(&text);
    let ty = terrace_ir::text::parser::parse_type(&mut ctx, "memref<?xf64>").unwrap();
    let mut interp = Interpreter::new(&ctx, module);
    let m = interp
        .array(ty, &[3], &bytes_f64(&[1.0, 2.0, 3.0]))
        .unwrap();
    let e = interp.call("f", vec![m]).expect_err(to);
    format!("{}: {}", e.loc.file_pos(&ctx).map_or(0, |p| p.1), e.message)
}

#[test]
fn each_side_keeps_to_its_memory() {
    assert_eq!(
        broken(
            "memref.load %d[%bx] : memref<?xf64, #xfer.device>",
            "memref.load %m[%bx] : memref<?xf64>"
        ),
        "9: device code accesses memory of the host"
    );
    assert_eq!(
        broken(
            "      xfer.free",
            "      %z = memref.load %d[%c0] : memref<?xf64, #xfer.device>\n xfer.free"
        ),
        "15: host code accesses memory of the device"
    );
    assert_eq!(
        broken(
            "      xfer.copy %m to %d : memref<?xf64> to memref<?xf64, #xfer.device>\n",
            ""
        ),
        "8: reads memory that was never written"
    );
    assert_eq!(
        broken("xfer.alloc(%n)", "xfer.alloc(%c1)"),
        "6: copies a memref of sizes [3] to one of sizes [1]"
    );
    assert_eq!(
        broken("xfer.free", "memref.dealloc"),
        "15: frees device memory as host memory"
    );
    let again = "      xfer.free %d : memref<?xf64, #xfer.device>\n      return";
    assert_eq!(
        broken("      return", again),
        "16: the memref was freed before"
    );
}
