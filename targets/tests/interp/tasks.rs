//! Asynchronous ops: an access that does not come after what it conflicts with is found,
//! and one that does is not.

use crate::common::*;
use terrace_ir::text::parser::parse_type;
use terrace_targets::interp::Interpreter;

const IN: &str = "%i = xfer.copy async %m to %d : memref<?xf64> to memref<?xf64, #xfer.device>";
const OUT: &str =
    "%o = xfer.copy async [%k] %d to %m : memref<?xf64, #xfer.device> to memref<?xf64>";
const LOAD: &str = "%v = memref.load %m[%c1] : memref<?xf64>";
const STORE: &str = "memref.store %one, %m[%c1] : memref<?xf64>";
const FREE: &str = "xfer.free %d : memref<?xf64, #xfer.device>";

/// Doubles each element, after tokens.
fn kernel(name: &str, after: &str) -> String {
    format!(
        "%{name} = gpu.launch async [{after}] blocks(%bx, %by, %bz) in (%gx = %n, %gy = %c1, %gz = %c1)
                 threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {{
        %x = memref.load %d[%bx] : memref<?xf64, #xfer.device>
        %y = arith.addf %x, %x : f64
        memref.store %y, %d[%bx] : memref<?xf64, #xfer.device>
        gpu.terminator
      }}"
    )
}

/// What becomes of `[1, 2, 3]`; or the error, its line, and the lines of its notes.
fn on(steps: &[&str]) -> Result<Vec<f64>, String> {
    let text = format!(
        "func.func @f(%m: memref<?xf64>) {{
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%one = arith.constant 1.0 : f64
%n = memref.dim %m, %c0 : memref<?xf64>
%d = xfer.alloc(%n) : memref<?xf64, #xfer.device>
{}
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
        Ok(_) => Ok(floats(&interp.read_array(&m).unwrap().bytes)),
        Err(e) => {
            let line = |l: terrace_ir::Loc| {
                l.file_pos(&ctx).map_or(String::new(), |(_, line, _)| {
                    text.lines()
                        .nth(line as usize - 1)
                        .unwrap_or_default()
                        .trim()
                        .to_string()
                })
            };
            let note = e.trace.first().map_or(String::new(), |t| line(t.0));
            Err(format!("{} | {} | {note}", e.message, line(e.loc)))
        }
    }
}

#[test]
fn in_order() {
    let k = kernel("k", "%i");
    for wait in [
        "xfer.wait [%o]",
        "xfer.wait all",
        "gpu.wait [%o]",
        "gpu.wait",
    ] {
        assert_eq!(
            on(&[IN, &k, OUT, wait, LOAD, FREE]),
            Ok(vec![2.0, 4.0, 6.0]),
            "{wait}"
        );
    }
    // A copy that is not asynchronous waits for its tokens.
    let out = OUT.replace("%o = xfer.copy async", "xfer.copy");
    assert_eq!(on(&[IN, &k, &out, LOAD, FREE]), Ok(vec![2.0, 4.0, 6.0]));
    // The host may read what is only read.
    assert_eq!(
        on(&[IN, LOAD, &k, OUT, "xfer.wait [%o]", STORE, FREE]),
        Ok(vec![2.0, 1.0, 6.0])
    );
}

#[test]
fn races_are_found() {
    let k = kernel("k", "%i");
    let free_kernel = kernel("k", "");
    let wait = "xfer.wait [%o]";
    assert_eq!(
        on(&[IN, STORE, &k, OUT, wait, FREE]),
        Err(format!(
            "writes an element that 'xfer.copy' may still be reading; wait for its token or its queue before | {STORE} | {IN}"
        ))
    );
    assert_eq!(
        on(&[IN, &free_kernel, OUT, wait, FREE]),
        Err(format!(
            "reads an element that 'xfer.copy' may still be writing; order the two by a token or a queue | %x = memref.load %d[%bx] : memref<?xf64, #xfer.device> | {IN}"
        ))
    );
    assert_eq!(
        on(&[IN, &k, OUT, LOAD, wait, FREE]),
        Err(format!(
            "reads an element that 'xfer.copy' may still be writing; wait for its token or its queue before | {LOAD} | {OUT}"
        ))
    );
    let error = on(&[IN, &k, OUT, FREE]).unwrap_err();
    assert!(
        error.starts_with("frees an element that 'gpu.launch' may still be writing; wait for its token or its queue before | xfer.free"),
        "{error}"
    );
    let early = "%o = xfer.copy async %d to %m : memref<?xf64, #xfer.device> to memref<?xf64>";
    let error = on(&[IN, &k, early, wait, FREE]).unwrap_err();
    assert!(
        error.starts_with("reads an element that 'gpu.launch' may still be writing; order"),
        "{error}"
    );
    // One launch may still run when another begins.
    let second = kernel("k2", "%i");
    let error = on(&[IN, &k, &second]).unwrap_err();
    assert!(
        error.starts_with("reads an element that 'gpu.launch' may still be writing; order"),
        "{error}"
    );
}

#[test]
fn what_the_caller_sees_is_waited_for() {
    let k = kernel("k", "%i");
    let error = on(&[IN, &k, OUT]).unwrap_err();
    assert!(
        error.starts_with("@f returns while 'xfer.copy' may still be writing an array that the caller sees; wait for its token or its queue before | "),
        "{error}"
    );
    assert!(error.ends_with(OUT), "{error}");
    // The caller may write what is still read.
    let error = on(&[IN]).unwrap_err();
    assert!(
        error.starts_with("@f returns while 'xfer.copy' may still be reading an array"),
        "{error}"
    );
}

#[test]
fn queues_run_in_order() {
    let copy_in = "%i = xfer.copy async %m to %d on queue(%c0) : memref<?xf64> to memref<?xf64, #xfer.device>";
    let copy_out = "%o = xfer.copy async %d to %m on queue(%c0) : memref<?xf64, #xfer.device> to memref<?xf64>";
    let before = "%b = xfer.wait async queue(%c0)";
    let after = "%a = xfer.wait async [%k] on queue(%c0)";
    let k = kernel("k", "%b");
    let wait = "xfer.wait queue(%c0)";
    let doubled = Ok(vec![2.0, 4.0, 6.0]);
    assert_eq!(
        on(&[copy_in, before, &k, after, copy_out, wait, FREE]),
        doubled
    );
    assert_eq!(
        on(&[copy_in, before, &k, after, copy_out, "xfer.wait [%o]", FREE]),
        doubled
    );
    // Another queue comes after that one where it waits for it.
    let other = copy_out.replace("queue(%c0)", "queue(%c1)");
    let join = "%j = xfer.wait async queue(%c0) on queue(%c1)";
    let last = "xfer.wait queue(%c1)";
    assert_eq!(
        on(&[copy_in, before, &k, after, join, &other, last, FREE]),
        doubled
    );
    let alone = kernel("k", "");
    for steps in [
        vec![copy_in, &alone, after, copy_out, wait, FREE],
        vec![copy_in, before, &k, copy_out, wait, FREE],
        vec![copy_in, before, &k, after, &other, last, FREE],
        vec![copy_in, before, &k, after, join, &other, wait, FREE],
    ] {
        let error = on(&steps).unwrap_err();
        assert!(error.contains("may still be"), "{error}");
    }
}

#[test]
fn a_prefetch_is_a_copy_that_is_found_done() {
    let prefetch = |mirror: &str| {
        format!(
            "%d2 = xfer.create %m : memref<?xf64> to memref<?xf64, #xfer.device>
%p = xfer.prefetch async %m to %d2 : memref<?xf64> to memref<?xf64, #xfer.device>
{mirror}
xfer.ensure %m, %d2 on device : memref<?xf64>, memref<?xf64, #xfer.device>
xfer.assert_valid %m, %d2 on device : memref<?xf64>, memref<?xf64, #xfer.device>
xfer.wait all
xfer.free %d2 : memref<?xf64, #xfer.device>"
        )
    };
    assert_eq!(on(&[&prefetch("xfer.wait [%p]")]), Ok(vec![1.0, 2.0, 3.0]));
    let early = prefetch("memref.store %one, %m[%c1] : memref<?xf64>");
    let error = on(&[&early]).unwrap_err();
    assert!(
        error.starts_with("writes an element that 'xfer.prefetch' may still be reading"),
        "{error}"
    );
}

#[test]
fn pinned_memory_is_the_hosts() {
    let pinned = "%p = xfer.alloc(%n) : memref<?xf64, #xfer.pinned>
memref.store %one, %p[%c0] : memref<?xf64, #xfer.pinned>
memref.store %one, %p[%c1] : memref<?xf64, #xfer.pinned>
%c2 = arith.constant 2 : index
memref.store %one, %p[%c2] : memref<?xf64, #xfer.pinned>
xfer.copy %p to %d : memref<?xf64, #xfer.pinned> to memref<?xf64, #xfer.device>
xfer.copy %d to %m : memref<?xf64, #xfer.device> to memref<?xf64>";
    let free = "xfer.free %p : memref<?xf64, #xfer.pinned>";
    assert_eq!(on(&[pinned, free, FREE]), Ok(vec![1.0, 1.0, 1.0]));
    let error = on(&[pinned, &free.replace("xfer.free", "memref.dealloc")]).unwrap_err();
    assert!(
        error.starts_with("frees pinned memory; 'xfer.free' does that"),
        "{error}"
    );
}

#[test]
fn tokens_go_around_loops() {
    let looped = |carried: &str| {
        format!(
            "%c3 = arith.constant 3 : index
{IN}
%last = scf.for %t = %c0 to %c3 step %c1 iter_args(%before = %i) -> (!gpu.async.token) {{
{}
scf.yield {carried} : !gpu.async.token
}}
xfer.copy [%last] %d to %m : memref<?xf64, #xfer.device> to memref<?xf64>",
            kernel("k", "%before")
        )
    };
    assert_eq!(on(&[&looped("%k"), FREE]), Ok(vec![8.0, 16.0, 24.0]));
    let error = on(&[&looped("%before"), FREE]).unwrap_err();
    assert!(
        error.contains("'gpu.launch' may still be writing"),
        "{error}"
    );
}
