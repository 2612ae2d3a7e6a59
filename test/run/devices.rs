//! Programs on a device of a number, and on several.

use super::tools::{Run, scratch};
use std::process::{Command, Stdio};

/// a += 1 on device 0, b *= 2 on device 1, then c = a + b on device 1, for which a goes
/// from one device to the other.
const TWO: &str = "\
func.func @main(%a: memref<8xf32> {terrace.name = \"a\", terrace.init = \"iota\"},
                %b: memref<8xf32> {terrace.name = \"b\", terrace.init = \"iota\"},
                %c: memref<8xf32> {terrace.name = \"c\", terrace.init = \"zeros\"}) {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1.0 : f32
  %da = xfer.alloc() : memref<8xf32, #xfer.device>
  %db = xfer.alloc() : memref<8xf32, #xfer.device<1>>
  %ea = xfer.alloc() : memref<8xf32, #xfer.device<1>>
  xfer.copy %a to %da : memref<8xf32> to memref<8xf32, #xfer.device>
  xfer.copy %b to %db : memref<8xf32> to memref<8xf32, #xfer.device<1>>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c8, %sy = %c1, %sz = %c1) {
    %x = memref.load %da[%tx] : memref<8xf32, #xfer.device>
    %y = arith.addf %x, %one : f32
    memref.store %y, %da[%tx] : memref<8xf32, #xfer.device>
    gpu.terminator
  }
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c8, %sy = %c1, %sz = %c1) {
    %x = memref.load %db[%tx] : memref<8xf32, #xfer.device<1>>
    %y = arith.addf %x, %x : f32
    memref.store %y, %db[%tx] : memref<8xf32, #xfer.device<1>>
    gpu.terminator
  }
  xfer.copy %da to %ea : memref<8xf32, #xfer.device> to memref<8xf32, #xfer.device<1>>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c8, %sy = %c1, %sz = %c1) {
    %x = memref.load %ea[%tx] : memref<8xf32, #xfer.device<1>>
    %y = memref.load %MIXED[%tx] : memref<8xf32, #xfer.device<1>>
    %z = arith.addf %x, %y : f32
    memref.store %z, %c[%tx] : memref<8xf32>
    gpu.terminator
  }
  xfer.copy %da to %a : memref<8xf32, #xfer.device> to memref<8xf32>
  xfer.copy %db to %b : memref<8xf32, #xfer.device<1>> to memref<8xf32>
  xfer.free %da : memref<8xf32, #xfer.device>
  xfer.free %db : memref<8xf32, #xfer.device<1>>
  xfer.free %ea : memref<8xf32, #xfer.device<1>>
  return
}
";

/// `terrace run - --target emulator` with so many devices.
fn emulated(program: &str, devices: &str, number: &str, args: &[&str]) -> Run {
    let file = scratch(&format!("devices-{devices}-{number}-{}", program.len())).join("p.mlir");
    std::fs::write(&file, program).unwrap();
    let out = Command::new(env!("CARGO_BIN_EXE_terrace"))
        .arg("run")
        .arg(file)
        .args(["--target", "emulator"])
        .args(args)
        .env("TERRACE_EMULATOR", format!("devices={devices}"))
        .env("TERRACE_DEVICE", number)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    Run::of(out)
}

fn two() -> String {
    TWO.replace("%MIXED", "%db")
}

#[test]
fn memory_spaces_lead_to_devices() {
    let r = emulated(&two(), "2", "", &["--verify"]).exits(0);
    assert!(r.stdout.contains("verify   passed"), "{}", r.stdout);
    assert!(r.stdout.contains("2 x the emulator"), "{}", r.stdout);
    // The chosen device may be one of those that are named.
    let r = emulated(&two(), "2", "", &["--verify", "--device", "1"]).exits(0);
    assert!(r.stdout.contains("verify   passed"), "{}", r.stdout);
    let r = emulated(&two(), "3", "2", &["--verify"]).exits(0);
    assert!(r.stdout.contains("verify   passed"), "{}", r.stdout);
}

#[test]
fn devices_that_are_not_there() {
    let r = emulated(&two(), "1", "", &[]).exits(3);
    let said = "no emulated device 1: there is 1, numbered from 0";
    assert!(r.stderr.contains(said), "{}", r.stderr);
    let plain = TWO.split("  %da").next().unwrap().to_string() + "  return\n}\n";
    let r = emulated(&plain, "2", "", &["--device", "5"]).exits(3);
    let said = "no emulated device 5: there are 2, numbered from 0";
    assert!(r.stderr.contains(said), "{}", r.stderr);
    let r = emulated(&plain, "2", "4", &[]).exits(3);
    assert!(r.stderr.contains("no emulated device 4"), "{}", r.stderr);
    let r = emulated(&plain, "2", "first", &[]).exits(2);
    let said = "found TERRACE_DEVICE=`first`, expected the number of a device, from 0";
    assert!(r.stderr.contains(said), "{}", r.stderr);
    let r = emulated(&plain, "2", "", &["--device", "1", "--target", "cpu"]);
    assert!(!r.stderr.is_empty());
    let file = scratch("devices-cpu").join("p.mlir");
    std::fs::write(&file, &plain).unwrap();
    let r = super::tools::terrace(&["run", file.to_str().unwrap(), "--device", "1"]).exits(2);
    let said = "--device 1 is for --target gpu or emulator; found --target cpu";
    assert!(r.stderr.contains(said), "{}", r.stderr);
}

#[test]
fn arrays_of_two_devices_in_one_launch() {
    // The types say that all is on device 1; a cast may say so of what is not.
    let cast = "  %mixed = memref.memory_space_cast %da : memref<8xf32, #xfer.device> to \
                memref<8xf32, #xfer.device<1>>\n  xfer.copy %da to %ea";
    let mixed = TWO
        .replace("%MIXED", "%mixed")
        .replacen("  xfer.copy %da to %ea", cast, 1);
    let r = emulated(&mixed, "2", "", &[]).exits(1);
    let said = "a kernel runs on one device, so one has to be copied there first";
    assert!(r.stderr.contains(said), "{}", r.stderr);
    assert!(r.stderr.contains("memory of device 0"), "{}", r.stderr);
}

#[test]
fn one_array_on_two_devices() {
    let program = two().replace(
        "memref.store %y, %da[%tx] : memref<8xf32, #xfer.device>",
        "memref.store %y, %c[%tx] : memref<8xf32>",
    );
    let r = emulated(&program, "2", "", &[]).exits(1);
    let said = "uses an array on device 1 that another launch uses on device 0; copy it to each";
    assert!(r.stderr.contains(said), "{}", r.stderr);
}
