//! `xfer`: memory of the device, and copies to it and back.

use crate::common::*;
use terrace_ir::text::parser::parse_type;
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
    let ty = parse_type(&mut ctx, "memref<?xf64>").unwrap();
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

/// A 3x4 array with a mirror; `steps` between the mirror's birth and its death. What is
/// left of 0, 1, 2, ..., and the bytes to the device and back; or the error.
fn boxes(steps: &str) -> Result<(Vec<f64>, [u64; 2]), String> {
    let text = format!(
        "func.func @f(%m: memref<3x4xf64>) {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %f = arith.constant 100.0 : f64
      %d = xfer.create %m : memref<3x4xf64> to memref<3x4xf64, #xfer.device>
      %a = memref.subview %m[0, 1] [3, 2] [1, 1] : memref<3x4xf64> to memref<3x2xf64, strided<[4, 1], offset: 1>>
      %b = memref.subview %d[0, 1] [3, 2] [1, 1] : memref<3x4xf64, #xfer.device> to memref<3x2xf64, strided<[4, 1], offset: 1>, #xfer.device>
      {steps}
      xfer.free %d : memref<3x4xf64, #xfer.device>
      return
    }}"
    );
    let (mut ctx, module) = module(&text);
    let ty = parse_type(&mut ctx, "memref<3x4xf64>").unwrap();
    let mut interp = Interpreter::new(&ctx, module);
    let start: Vec<f64> = (0..12).map(f64::from).collect();
    let m = interp.array(ty, &[3, 4], &bytes_f64(&start)).unwrap();
    match interp.call("f", vec![m.clone()]) {
        Ok(_) => {
            let out = floats(&interp.read_array(&m).unwrap().bytes);
            let c = interp.counters();
            Ok((out, [c.to_device.bytes, c.to_host.bytes]))
        }
        Err(e) => Err(e.message),
    }
}

const BOX_IN: &str = "xfer.copy %a to %b : memref<3x2xf64, strided<[4, 1], offset: 1>> to memref<3x2xf64, strided<[4, 1], offset: 1>, #xfer.device>\n";
const BOX_OUT: &str = "xfer.copy %b to %a : memref<3x2xf64, strided<[4, 1], offset: 1>, #xfer.device> to memref<3x2xf64, strided<[4, 1], offset: 1>>\n";

/// Adds 100 to element (2, `column`) on the device.
fn add(column: &str) -> String {
    format!(
        "gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
                 threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {{
        %x = memref.load %d[%c2, {column}] : memref<3x4xf64, #xfer.device>
        %y = arith.addf %x, %f : f64
        memref.store %y, %d[%c2, {column}] : memref<3x4xf64, #xfer.device>
        gpu.terminator
      }}\n"
    )
}

#[test]
fn a_box_goes_and_comes_back_by_itself() {
    let (out, bytes) = boxes(&[BOX_IN, &add("%c2"), BOX_OUT].concat()).unwrap();
    let mut expected: Vec<f64> = (0..12).map(f64::from).collect();
    expected[10] = 110.0;
    assert_eq!((out, bytes), (expected, [48, 48]));
    assert_eq!(
        boxes(&[BOX_IN, &add("%c3"), BOX_OUT].concat()).unwrap_err(),
        "reads memory that was never written",
        "only the box was copied"
    );
}

#[test]
fn a_box_leaves_the_rest_as_stale_as_it_was() {
    let whole =
        "xfer.copy %m to %d : memref<3x4xf64> to memref<3x4xf64, #xfer.device>\n".to_string();
    let beside = "memref.store %f, %m[%c2, %c3] : memref<3x4xf64>\n";
    assert_eq!(
        boxes(&[&whole, beside, BOX_IN, &add("%c3"), BOX_OUT].concat()).unwrap_err(),
        "reads a stale element: it was written on the host and not copied to the device since"
    );
    let inside = "memref.store %f, %m[%c2, %c2] : memref<3x4xf64>\n";
    let (out, bytes) = boxes(&[&whole, inside, BOX_IN, &add("%c2"), BOX_OUT].concat()).unwrap();
    assert_eq!((out[10], bytes), (200.0, [96 + 48, 48]));
    // The flags are of the whole: a box does not set them.
    let pair = "memref<3x4xf64>, memref<3x4xf64, #xfer.device>";
    let ensure = format!("xfer.ensure %m, %d on device : {pair}\n");
    let (_, bytes) = boxes(
        &[
            BOX_IN,
            &ensure,
            &add("%c3"),
            &whole.replace("%m to %d", "%d to %m").replace(
                "memref<3x4xf64> to memref<3x4xf64, #xfer.device>",
                "memref<3x4xf64, #xfer.device> to memref<3x4xf64>",
            ),
        ]
        .concat(),
    )
    .unwrap();
    assert_eq!(bytes, [48 + 96, 96]);
}

#[test]
fn a_box_that_is_discarded_is_not_read() {
    let discard = "xfer.discard %a : memref<3x2xf64, strided<[4, 1], offset: 1>>\n";
    let load = |column| format!("%v = memref.load %m[%c2, {column}] : memref<3x4xf64>\n");
    assert!(boxes(&[discard, &load("%c3")].concat()).is_ok());
    assert!(boxes(&[discard, &load("%c0")].concat()).is_ok());
    assert_eq!(
        boxes(&[discard, &load("%c1")].concat()).unwrap_err(),
        "reads memory that was never written"
    );
}
