//! Data regions on the interpreter and on the emulator: counters, sections, lookups in
//! functions that are called, and what is said where an array is not where it must be.

use super::tools::terrace_with;

const HEAD: &str = "\
func.func @main(%m: memref<?xf64> {terrace.name = \"m\", terrace.dims = [\"N\"], terrace.init = \"iota:8\"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %one = arith.constant 1.0 : f64
  %n = memref.dim %m, %c0 : memref<?xf64>
";
const TAIL: &str = "\
  return
}
func.func private @add(%m: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %m, %c0 : memref<?xf64>
  %one = arith.constant 1.0 : f64
  affine.parallel (%i) = (0) to (symbol(%n)) {
    %x = affine.load %m[%i] : memref<?xf64>
    %y = arith.addf %x, %one : f64
    affine.store %y, %m[%i] : memref<?xf64>
  }
  return
}
func.func private @add_present(%m: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %m, %c0 : memref<?xf64>
  %one = arith.constant 1.0 : f64
  xfer.data present(%m as %d : memref<?xf64> to memref<?xf64, #xfer.device>) {
    affine.parallel (%i) = (0) to (symbol(%n)) {
      %x = affine.load %m[%i] : memref<?xf64>
      %y = arith.addf %x, %one : f64
      affine.store %y, %m[%i] : memref<?xf64>
    }
  }
  return
}
";

fn run(body: &str, args: &[&str]) -> super::tools::Run {
    let mut all = vec!["run", "-"];
    all.extend(args);
    terrace_with(&format!("{HEAD}{body}{TAIL}"), &all)
}

/// Runs on both targets; on the emulator the results are those of the interpreter, and so
/// many copies are made in each direction.
#[track_caller]
fn copies(body: &str, to_device: usize, to_host: usize) {
    run(body, &["--target", "interp"]).exits(0);
    let r = run(body, &["--target", "emulator", "--verify"]).exits(0);
    assert!(r.stdout.contains("verify   passed"), "{}", r.stdout);
    let count = |direction: &str| -> usize {
        let line = r.stdout.lines().find(|l| l.starts_with(direction));
        // The direction is of three words; then bytes and number.
        let number = line.and_then(|l| l.split_whitespace().nth(4));
        number.map_or(0, |n| n.parse().expect("a number of copies"))
    };
    let made = (count("host to device"), count("device to host"));
    assert_eq!(made, (to_device, to_host), "{}", r.stdout);
}

const CALL: &str = "func.call @add(%m) : (memref<?xf64>) -> ()\n";
const CALL_PRESENT: &str = "func.call @add_present(%m) : (memref<?xf64>) -> ()\n";

fn region(clause: &str, body: &str) -> String {
    format!(
        "xfer.data {clause}(%m as %d : memref<?xf64> to memref<?xf64, #xfer.device>) {{\n{body}}}\n"
    )
}

#[test]
fn what_a_caller_holds_is_not_copied() {
    copies(&region("copy", &[CALL, CALL, CALL_PRESENT].concat()), 1, 1);
    let enter = "xfer.enter_data copyin(%m : memref<?xf64>)\n";
    let exit = "xfer.exit_data copyout(%m : memref<?xf64>)\n";
    copies(&[enter, CALL_PRESENT, CALL, exit].concat(), 1, 1);
    // Two enters, one exit, and the rest at once.
    let finalize = "xfer.exit_data copyout(%m : memref<?xf64>) finalize\n";
    let all = [enter, enter, CALL, exit, CALL_PRESENT, finalize, exit, CALL];
    copies(&all.concat(), 2, 2);
}

#[test]
fn updates_and_lookups() {
    let body = [
        CALL,
        "xfer.update host(%m : memref<?xf64>)\n",
        "%x = memref.load %m[%c1] : memref<?xf64>
         memref.store %x, %m[%c0] : memref<?xf64>\n",
        "%is = xfer.is_present %m : memref<?xf64>
         scf.if %is { xfer.update device(%m : memref<?xf64>) }\n",
        CALL,
    ];
    copies(&region("copy", &body.concat()), 2, 2);
    copies("xfer.update host(%m : memref<?xf64>) if_present\n", 0, 0);
}

/// Each run has a table of its own: what one thread holds is not there for another.
#[test]
fn runs_at_the_same_time() {
    use terrace::run::bind::Value;
    use terrace::run::executor::Program;
    use terrace::run::options::{RunOptions, Target};
    let body = region("copy", &[CALL, CALL, CALL_PRESENT].concat());
    let text = format!("{HEAD}{body}{TAIL}");
    let one = |thread: usize| {
        let program = Program::new("t.mlir", &text).expect("parses");
        let options = RunOptions {
            target: Target::Emulator,
            ..RunOptions::default()
        };
        let mut run = terrace::run::compile(program, &options).expect("compiles");
        for k in 0..5 {
            let before: Vec<f64> = (0..50).map(|i| (thread * 1000 + k + i) as f64).collect();
            let mut args = [Value::array(&[50], &before).expect("an array")];
            run.call(&mut args).expect("runs");
            let after: Vec<f64> = before.iter().map(|x| x + 3.0).collect();
            assert_eq!(args[0].elements::<f64>().expect("f64"), after);
        }
    };
    std::thread::scope(|s| {
        for thread in 0..4 {
            let one = &one;
            s.spawn(move || one(thread));
        }
    });
}

/// One memory has nothing to copy.
#[test]
fn on_the_processor() {
    let body = region(
        "copy",
        &[CALL, CALL_PRESENT, "xfer.update host(%m : memref<?xf64>)\n"].concat(),
    );
    let r = run(&body, &["--target", "cpu", "--verify"]).exits(0);
    assert!(r.stdout.contains("verify   passed"), "{}", r.stdout);
}

#[track_caller]
fn refused(body: &str, line: u32, message: &str) {
    for target in ["interp", "emulator"] {
        let r = run(body, &["--target", target]).exits(1);
        assert!(
            r.stderr.contains(message) && r.stderr.contains(&format!(":{line}:")),
            "{target}: expected `{message}` at line {line} in:\n{}",
            r.stderr
        );
    }
}

#[test]
fn what_is_not_where_it_must_be() {
    // The call is of line 7; the region of @add_present stands further down.
    refused(CALL_PRESENT, 25, "%m is not on the device, but must be");
    // Where the part lies only the run knows, so that nothing is said before.
    let part = "%at = arith.shrui %n, %c2 : index
%part = memref.subview %m[%at] [2] [1] : memref<?xf64> to memref<2xf64, strided<[1], offset: ?>>
xfer.enter_data copyin(%part : memref<2xf64, strided<[1], offset: ?>>)
";
    let out = "xfer.exit_data delete(%part : memref<2xf64, strided<[1], offset: ?>>)
xfer.update host(%m : memref<?xf64>)
";
    refused(
        &[part, out].concat(),
        11,
        "host(%m): it is not on the device; `if_present` would leave it alone",
    );
    let all = [part, "xfer.enter_data copyin(%m : memref<?xf64>)\n"].concat();
    refused(&all, 10, "copyin(%m): ");
    refused(&all, 10, "only a part");
}

/// What the text tells is refused before anything runs.
#[test]
fn what_cannot_be_there_is_not_run() {
    let gone = "xfer.enter_data create(%m : memref<?xf64>)
xfer.exit_data delete(%m : memref<?xf64>)
xfer.update host(%m : memref<?xf64>)
";
    let r = run(gone, &["--target", "emulator"]).exits(1);
    let why = "'xfer.update' op needs %m (argument 0) to be on the device, where it may not be";
    assert!(r.stderr.contains(why), "{}", r.stderr);
    assert!(
        r.stderr.contains("it leaves the device here"),
        "{}",
        r.stderr
    );
}
