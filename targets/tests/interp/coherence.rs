//! `xfer.create` and what keeps an array and its mirror alike: a stale read, a copy
//! over something newer and a forgotten copy back are found as the program runs.

use crate::common::*;
use terrace_ir::text::parser::parse_type;
use terrace_targets::interp::Interpreter;

/// Doubles each element on the device.
const KERNEL: &str = "gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %c1, %gz = %c1)
                 threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
        %x = memref.load %d[%bx] : memref<?xf64, #xfer.device>
        %y = arith.addf %x, %x : f64
        memref.store %y, %d[%bx] : memref<?xf64, #xfer.device>
        gpu.terminator
      }";
const IN: &str = "xfer.copy %m to %d : memref<?xf64> to memref<?xf64, #xfer.device>";
const OUT: &str = "xfer.copy %d to %m : memref<?xf64, #xfer.device> to memref<?xf64>";
const LOAD: &str = "%v = memref.load %m[%c1] : memref<?xf64>";
const STORE: &str = "memref.store %one, %m[%c1] : memref<?xf64>";
const PAIR: &str = "memref<?xf64>, memref<?xf64, #xfer.device>";

/// What becomes of `[1, 2, 3]`, with the copies and bytes to the device and back; or
/// the error.
fn on(steps: &[&str]) -> Result<(Vec<f64>, [u64; 4]), String> {
    let text = format!(
        "func.func @f(%m: memref<?xf64>) {{
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %one = arith.constant 1.0 : f64
          %n = memref.dim %m, %c0 : memref<?xf64>
          %d = xfer.create %m : memref<?xf64> to memref<?xf64, #xfer.device>
          {}
          xfer.free %d : memref<?xf64, #xfer.device>
          return
        }}",
        steps.join("\n")
    );
    let (mut ctx, module) = module(&text);
    let ty = parse_type(&mut ctx, "memref<?xf64>").unwrap();
    let mut interp = Interpreter::new(&ctx, module);
    let m = interp
        .array(ty, &[3], &bytes_f64(&[1.0, 2.0, 3.0]))
        .unwrap();
    match interp.call("f", vec![m.clone()]) {
        Ok(_) => {
            let out = floats(&interp.read_array(&m).unwrap().bytes);
            let c = interp.counters();
            let (to, from) = (c.to_device, c.to_host);
            Ok((out, [to.copies, to.bytes, from.copies, from.bytes]))
        }
        Err(e) => Err(e.message),
    }
}

fn op(name: &str, side: &str) -> String {
    format!("xfer.{name} %m, %d on {side} : {PAIR}")
}

#[test]
fn in_and_out() {
    let both = op("assert_valid", "both");
    assert_eq!(
        on(&[IN, &both, KERNEL, OUT, &both]),
        Ok((vec![2.0, 4.0, 6.0], [1, 24, 1, 24]))
    );
}

#[test]
fn forgotten_copies_are_found() {
    let missing = |steps: &[&str]| on(steps).unwrap_err();
    assert_eq!(
        missing(&[KERNEL]),
        "reads memory that was never written",
        "nothing was copied to the mirror"
    );
    assert_eq!(
        missing(&[IN, KERNEL]),
        "@f returns while element 0 of an array that it was given is newer on the device"
    );
    assert_eq!(
        missing(&[IN, KERNEL, LOAD]),
        "reads a stale element: it was written on the device and not copied to the host since"
    );
    assert_eq!(
        missing(&[IN, STORE, KERNEL, OUT]),
        "reads a stale element: it was written on the host and not copied to the device since"
    );
    assert_eq!(
        missing(&[IN, KERNEL, IN]),
        "copies a stale element over a newer one: what was written there last is lost"
    );
    assert_eq!(
        missing(&[IN, STORE, &op("assert_valid", "device")]),
        "the array is not valid on the device as claimed: some of it was written on the host and not copied since"
    );
}

#[test]
fn ensure_goes_by_what_it_was_told() {
    let (ensure, back) = (op("ensure", "device"), op("ensure", "host"));
    let (on_device, on_host) = (op("mark_written", "device"), op("mark_written", "host"));
    assert_eq!(
        on(&[&ensure, &ensure, KERNEL, &on_device, &ensure, &back, &back]),
        Ok((vec![2.0, 4.0, 6.0], [1, 24, 1, 24]))
    );
    assert_eq!(
        on(&[&ensure, STORE, &on_host, &ensure, KERNEL, OUT]),
        Ok((vec![2.0, 2.0, 6.0], [2, 48, 1, 24]))
    );
    assert_eq!(
        on(&[&ensure, STORE, &ensure, KERNEL, OUT]).unwrap_err(),
        "reads a stale element: it was written on the host and not copied to the device since",
        "without the mark the second ensure copies nothing"
    );
}

#[test]
fn mirrors_of_one_array_make_each_other_stale() {
    let second = "%e = xfer.create %m : memref<?xf64> to memref<?xf64, #xfer.device>";
    let to_second = IN.replace("%d", "%e");
    let on_second = KERNEL
        .replace("%d", "%e")
        .replace("%bx", "%ex")
        .replace("%by", "%ey")
        .replace("%bz", "%ez");
    assert_eq!(
        on(&[second, IN, &to_second, KERNEL, &on_second]).unwrap_err(),
        "reads a stale element: it was written in another mirror of the array and not copied from there since"
    );
    assert_eq!(
        on(&[
            second,
            IN,
            KERNEL,
            OUT,
            &to_second,
            &on_second,
            &OUT.replace("%d", "%e")
        ]),
        Ok((vec![4.0, 8.0, 12.0], [2, 48, 2, 48]))
    );
}

#[test]
fn what_is_discarded_is_not_read() {
    let discard = "xfer.discard %m : memref<?xf64>";
    let fill = KERNEL.replace("%y, %d", "%one, %d").replace(
        "%x = memref.load %d[%bx] : memref<?xf64, #xfer.device>",
        "%x = arith.constant 0.0 : f64",
    );
    assert_eq!(
        on(&[discard, &fill, OUT]),
        Ok((vec![1.0; 3], [0, 0, 1, 24])),
        "no copy in"
    );
    assert_eq!(
        on(&[IN, discard, KERNEL, OUT]).unwrap_err(),
        "reads memory that was never written"
    );
    assert_eq!(
        on(&[discard, LOAD]).unwrap_err(),
        "reads memory that was never written"
    );
    let ensure = op("ensure", "device");
    assert_eq!(
        on(&[discard, &ensure, &fill, OUT]),
        Ok((vec![1.0; 3], [0, 0, 1, 24])),
        "both sides count as valid"
    );
}

#[test]
fn an_ensure_wants_the_mirror_of_the_array() {
    let stranger = "%e = xfer.alloc(%n) : memref<?xf64, #xfer.device>";
    let wrong = op("ensure", "device").replace("%d", "%e");
    assert_eq!(
        on(&[stranger, &wrong]).unwrap_err(),
        "the buffer is no mirror of the array: no xfer.create made it from that"
    );
}
