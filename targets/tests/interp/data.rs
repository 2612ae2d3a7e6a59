//! Data regions and the table of present arrays: counters, copies at the beginning and
//! the end, updates, sections, and what is refused.

use crate::common;
use crate::common::*;
use terrace_ir::text::parser;
use terrace_ir::text::parser::{Source, parse_type};
use terrace_ir::verify;
use terrace_targets::interp::{Config, Interpreter};

/// Adds 1 to each element of the buffer `%d` of three.
fn kernel(d: &str) -> String {
    format!(
        "gpu.launch blocks(%bx, %by, %bz) in (%gx = %c3, %gy = %c1, %gz = %c1)
                    threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {{
          %x = memref.load {d}[%bx] : {DEVICE}
          %y = arith.addf %x, %one : f64
          memref.store %y, {d}[%bx] : {DEVICE}
          gpu.terminator
        }}"
    )
}

const HOST: &str = "memref<3xf64>";
const DEVICE: &str = "memref<3xf64, #xfer.device>";
const LOAD: &str = "%v = memref.load %m[%c1] : memref<3xf64>";
const STORE: &str = "memref.store %one, %m[%c1] : memref<3xf64>";

fn region(clause: &str, buffer: &str, body: &[&str]) -> String {
    let body = body.join("\n");
    format!("xfer.data {clause}(%m as {buffer} : {HOST} to {DEVICE}) {{\n{body}\n}}")
}

fn enter(clause: &str) -> String {
    format!("xfer.enter_data {clause}(%m : {HOST})")
}

fn exit(clause: &str) -> String {
    format!("xfer.exit_data {clause}(%m : {HOST})")
}

fn update(side: &str) -> String {
    format!("xfer.update {side}(%m : {HOST})")
}

fn lookup(name: &str) -> String {
    format!("{name} = xfer.present %m : {HOST} to {DEVICE}")
}

/// What becomes of `[1, 2, 3]`, with the copies to the device and back, and the arrays
/// left on the device; or the error.
fn on(steps: &[&str]) -> Result<(Vec<f64>, [u64; 2], usize), String> {
    let text = format!(
        "func.func @f(%m: {HOST}) {{
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %c3 = arith.constant 3 : index
          %one = arith.constant 1.0 : f64
          {}
          return
        }}
        func.func private @inner(%m: {HOST}) {{
          %c1 = arith.constant 1 : index
          %c3 = arith.constant 3 : index
          %one = arith.constant 1.0 : f64
          {}
          return
        }}",
        steps.join("\n"),
        region("copy", "%d", &[&kernel("%d")])
    );
    let mut ctx = terrace_dialects::context();
    ctx.config.keep_names = true;
    let source = Source::new("t.mlir", &text);
    let module = parser::parse(&mut ctx, &source)
        .unwrap_or_else(|| panic!("{text}\n{:#?}", ctx.take_diagnostics()));
    assert!(
        verify::verify(&ctx, module),
        "{text}\n{:#?}",
        ctx.take_diagnostics()
    );
    let ty = parse_type(&mut ctx, HOST).unwrap();
    let mut interp = Interpreter::new(&ctx, module);
    let m = interp
        .array(ty, &[3], &bytes_f64(&[1.0, 2.0, 3.0]))
        .unwrap();
    match interp.call("f", vec![m.clone()]) {
        Ok(_) => {
            let out = floats(&interp.read_array(&m).unwrap().bytes);
            let c = interp.counters();
            let copies = [c.to_device.copies, c.to_host.copies];
            Ok((out, copies, interp.leaks().len()))
        }
        Err(e) => Err(e.message),
    }
}

fn fails(steps: &[&str]) -> String {
    on(steps).expect_err("must be refused")
}

#[test]
fn a_region_copies_in_and_out() {
    let body = [kernel("%d"), kernel("%d")];
    let body: Vec<&str> = body.iter().map(|s| s.as_str()).collect();
    assert_eq!(
        on(&[&region("copy", "%d", &body)]),
        Ok((vec![3.0, 4.0, 5.0], [1, 1], 0))
    );
    // In, and an update by hand.
    let with_update = [body[0], &update("host")];
    assert_eq!(
        on(&[&region("copyin", "%d", &with_update)]),
        Ok((vec![2.0, 3.0, 4.0], [1, 1], 0))
    );
    // Nothing is copied in that is created.
    assert_eq!(
        on(&[&region("create", "%d", body.as_slice())]),
        Err("reads memory that was never written".into())
    );
    assert_eq!(
        on(&[&region("create", "%d", &[])]),
        Ok((vec![1.0, 2.0, 3.0], [0, 0], 0))
    );
    assert_eq!(
        on(&[&region(
            "create",
            "%d",
            &[&update("device"), body[0], &update("host")]
        )]),
        Ok((vec![2.0, 3.0, 4.0], [1, 1], 0))
    );
}

#[test]
fn what_is_present_is_counted() {
    let inner = region("copy", "%e", &[&kernel("%e")]);
    let outer = region("copy", "%d", &[&inner, &inner]);
    assert_eq!(on(&[&outer]), Ok((vec![3.0, 4.0, 5.0], [1, 1], 0)));
    // Through a call, too.
    let call = "func.call @inner(%m) : (memref<3xf64>) -> ()";
    let outer = region("copy", "%d", &[call, call]);
    assert_eq!(on(&[&outer]), Ok((vec![3.0, 4.0, 5.0], [1, 1], 0)));
    assert_eq!(on(&[call, call]), Ok((vec![3.0, 4.0, 5.0], [2, 2], 0)));
    // `present` and `no_create` hold what is there.
    let held = region("present", "%e", &[&exit("delete"), &kernel("%e")]);
    assert_eq!(
        on(&[&region("copy", "%d", &[&held])]),
        Ok((vec![2.0, 3.0, 4.0], [1, 1], 0))
    );
    let maybe = region("no_create", "%e", &[&kernel("%e")]);
    assert_eq!(
        on(&[&region("copy", "%d", &[&maybe])]),
        Ok((vec![2.0, 3.0, 4.0], [1, 1], 0))
    );
    assert_eq!(
        fails(&[&maybe]),
        "device code accesses memory of the host",
        "absent, it is the host's array"
    );
    assert_eq!(
        fails(&[&region("present", "%e", &[])]),
        "%m is not on the device, but must be; 'xfer.enter_data', or an 'xfer.data' with copy, copyin, copyout or create around this, brings it there"
    );
}

#[test]
fn enter_and_exit() {
    let work = [lookup("%d"), kernel("%d")];
    let (find, run) = (work[0].as_str(), work[1].as_str());
    let (copyin, create) = (enter("copyin"), enter("create"));
    let (copyout, delete) = (exit("copyout"), exit("delete"));
    assert_eq!(
        on(&[&copyin, find, run, &copyout]),
        Ok((vec![2.0, 3.0, 4.0], [1, 1], 0))
    );
    // The second exit is the last; one more does nothing.
    assert_eq!(
        on(&[
            &copyin, &create, find, run, &delete, run, &copyout, &copyout, &delete
        ]),
        Ok((vec![3.0, 4.0, 5.0], [1, 1], 0))
    );
    let finalize = format!("{copyout} finalize");
    assert_eq!(
        on(&[&copyin, &copyin, &copyin, find, run, &finalize, LOAD]),
        Ok((vec![2.0, 3.0, 4.0], [1, 1], 0))
    );
    // A region holds what was entered inside of it, and the other way round.
    assert_eq!(
        on(&[
            &copyin,
            &region("copy", "%e", &[&delete, &kernel("%e"), &update("host")]),
            &delete
        ]),
        Ok((vec![2.0, 3.0, 4.0], [1, 2], 0))
    );
    assert_eq!(
        on(&[
            &region("copyin", "%e", &[&copyin, &kernel("%e")]),
            find,
            run,
            &copyout
        ]),
        Ok((vec![3.0, 4.0, 5.0], [1, 1], 0))
    );
    // Left on the device.
    assert_eq!(on(&[&copyin]), Ok((vec![1.0, 2.0, 3.0], [1, 0], 1)));
    // The end of a region does not take back an enter, nor finalize a region.
    let taken = region("copy", "%e", &[&finalize, &kernel("%e")]);
    assert_eq!(
        on(&[&copyin, &copyin, &taken]),
        Ok((vec![2.0, 3.0, 4.0], [1, 1], 0))
    );
}

#[test]
fn updates() {
    let (to_host, to_device) = (update("host"), update("device"));
    assert_eq!(
        on(&[&region(
            "copy",
            "%d",
            &[&kernel("%d"), &to_host, STORE, &to_device, &kernel("%d")]
        )]),
        Ok((vec![3.0, 2.0, 5.0], [2, 2], 0))
    );
    assert_eq!(
        fails(&[&to_host]),
        "host(%m): it is not on the device; `if_present` would leave it alone"
    );
    let lenient = format!("{to_device} if_present");
    assert_eq!(on(&[&lenient]), Ok((vec![1.0, 2.0, 3.0], [0, 0], 0)));
    assert_eq!(
        on(&[&region("copy", "%d", &[STORE, &lenient, &kernel("%d")])]),
        Ok((vec![2.0, 2.0, 4.0], [2, 1], 0))
    );
}

#[test]
fn what_is_stale_is_found() {
    let run = kernel("%d");
    assert_eq!(
        fails(&[&region("copy", "%d", &[&run, LOAD])]),
        "reads a stale element: it was written on the device and not copied to the host since"
    );
    assert_eq!(
        fails(&[&region("copy", "%d", &[STORE, &run])]),
        "reads a stale element: it was written on the host and not copied to the device since"
    );
    assert_eq!(
        fails(&[&region("copyin", "%d", &[&run])]),
        "@f returns while element 0 of an array that it was given is newer on the device"
    );
    assert_eq!(
        fails(&[&region("copy", "%d", &[STORE])]),
        "copies a stale element over a newer one: what was written there last is lost"
    );
    // It is present, so nothing is copied in again.
    assert_eq!(
        fails(&[&region(
            "copy",
            "%d",
            &[STORE, &region("copyin", "%e", &[&kernel("%e")])]
        )]),
        "reads a stale element: it was written on the host and not copied to the device since"
    );
}

#[test]
fn lookups() {
    let is = format!("%is = xfer.is_present %m : {HOST}");
    let guarded = format!("{is}\nscf.if %is {{ {STORE} }}");
    assert_eq!(on(&[&guarded]), Ok((vec![1.0, 2.0, 3.0], [0, 0], 0)));
    assert_eq!(
        on(&[&region("create", "%d", &[&guarded])]),
        Ok((vec![1.0, 1.0, 3.0], [0, 0], 0))
    );
    let lenient = format!("%d = xfer.present %m if_present : {HOST} to {DEVICE}");
    assert_eq!(on(&[&lenient]), Ok((vec![1.0, 2.0, 3.0], [0, 0], 0)));
    assert_eq!(
        fails(&[&lookup("%d")]),
        "%m is not on the device, but must be; 'xfer.enter_data', or an 'xfer.data' with copy, copyin, copyout or create around this, brings it there"
    );
}

/// Elements 1 and 2 as an array.
const PART: &str = "%part = memref.subview %m[1] [2] [1] : memref<3xf64> to memref<2xf64, strided<[1], offset: 1>>";

#[test]
fn sections() {
    let part = "memref<2xf64, strided<[1], offset: 1>>";
    let run = "gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
                 threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
          memref.store %one, %e[%c1] : memref<2xf64, #xfer.device>
          gpu.terminator
        }";
    let of_part = format!(
        "{PART}\nxfer.data copy(%part as %e : {part} to memref<2xf64, #xfer.device>) {{ {run} }}"
    );
    assert_eq!(on(&[&of_part]), Ok((vec![1.0, 2.0, 1.0], [1, 1], 0)));
    // Inside of the whole it is a part of that buffer.
    assert_eq!(
        on(&[&region("copy", "%d", &[&of_part])]),
        Ok((vec![1.0, 2.0, 1.0], [1, 1], 0))
    );
    let update = format!("{PART}\nxfer.update host(%part : {part})");
    assert_eq!(
        on(&[&region("copyin", "%d", &[&kernel("%d"), &update])]),
        Err(
            "@f returns while element 0 of an array that it was given is newer on the device"
                .into()
        )
    );
    let partly = "only a part of it is on the device: bytes 8..24 of the allocation are, and these are 0..24; use the same section there and here, or one that contains this one";
    let entered = format!("{PART}\nxfer.enter_data copyin(%part : {part})");
    for (clause, step) in [
        ("copyin", enter("copyin")),
        ("copyout", exit("copyout")),
        ("host", update_of("host")),
        ("present", lookup("%d")),
    ] {
        assert_eq!(fails(&[&entered, &step]), format!("{clause}(%m): {partly}"));
    }
    let is = format!("%is = xfer.is_present %m : {HOST}\nscf.if %is {{ {STORE} }}");
    assert_eq!(on(&[&entered, &is]), Ok((vec![1.0, 2.0, 3.0], [1, 0], 1)));
}

fn update_of(side: &str) -> String {
    update(side)
}

#[test]
fn memory_that_is_held_is_not_freed() {
    let alloc = "%a = memref.alloc() : memref<3xf64>
        xfer.enter_data create(%a : memref<3xf64>)";
    assert_eq!(
        fails(&[alloc, "memref.dealloc %a : memref<3xf64>"]),
        "frees memory of %a, which is on the device until a data region or an 'xfer.exit_data' ends that"
    );
    let free = format!("{}\nxfer.free %d : {DEVICE}", lookup("%d"));
    assert_eq!(
        fails(&[&enter("create"), &free]),
        "frees the buffer of %m, which is on the device until a data region or an 'xfer.exit_data' ends that"
    );
}

/// Where kernels use the memory of the host, nothing moves and nothing is stale; what
/// must be present must be so all the same.
#[test]
fn one_memory() {
    let text = |steps: &str| {
        format!(
            "func.func @f(%m: {HOST}) {{
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %c3 = arith.constant 3 : index
          %one = arith.constant 1.0 : f64
          {steps}
          return
        }}"
        )
    };
    let config = Config {
        host_memory_in_kernels: true,
        ..Default::default()
    };
    let body = [STORE, &kernel("%d"), &update("host"), &kernel("%m")];
    let body: Vec<String> = body.iter().map(|s| s.replace(DEVICE, HOST)).collect();
    let text_of = region(
        "copyin",
        "%there",
        &[
            &format!("%d = memref.memory_space_cast %there : {DEVICE} to {HOST}"),
            &body.join("\n"),
        ],
    );
    let (mut ctx, module) = module(&text(&text_of));
    let ty = parse_type(&mut ctx, HOST).unwrap();
    let mut interp = Interpreter::with_config(&ctx, module, config.clone());
    let m = interp
        .array(ty, &[3], &bytes_f64(&[1.0, 2.0, 3.0]))
        .unwrap();
    interp.call("f", vec![m.clone()]).unwrap();
    assert_eq!(
        floats(&interp.read_array(&m).unwrap().bytes),
        [3.0, 3.0, 5.0]
    );
    let counters = interp.counters();
    assert_eq!((counters.to_device.copies, counters.to_host.copies), (0, 0));

    let (mut ctx, module) = common::module(&text(&lookup("%d")));
    let ty = parse_type(&mut ctx, HOST).unwrap();
    let mut interp = Interpreter::with_config(&ctx, module, config);
    let m = interp
        .array(ty, &[3], &bytes_f64(&[1.0, 2.0, 3.0]))
        .unwrap();
    let e = interp.call("f", vec![m]).unwrap_err();
    assert!(e.message.contains("is not on the device"), "{e}");
}

#[test]
fn a_buffer_of_ones_own() {
    let own = format!(
        "%b = xfer.alloc() : {DEVICE}
         xfer.copy %m to %b : {HOST} to {DEVICE}
         xfer.data deviceptr(%b as %d : {DEVICE} to {DEVICE}) {{ {} }}
         xfer.copy %b to %m : {DEVICE} to {HOST}
         xfer.free %b : {DEVICE}",
        kernel("%d")
    );
    assert_eq!(on(&[&own]), Ok((vec![2.0, 3.0, 4.0], [1, 1], 0)));
}
