//! The suite that every device has to pass, on each.

mod device_suite;
mod programs;

use std::process::Command;
use std::sync::Arc;

use terrace_runtime::device::{Device, DeviceError};

fn on(name: &str, device: &Arc<dyn Device>) {
    let mut lines = Vec::new();
    let failed = device_suite::run(device, |line| lines.push(line));
    println!("{name}\n{}", lines.join("\n"));
    assert_eq!(failed, 0, "{name}:\n{}", lines.join("\n"));
}

#[test]
fn the_emulator() {
    on("the emulator", &device_suite::emulator());
}

#[test]
fn two_emulators_as_one_device() {
    on("two emulators", &device_suite::several());
}

#[test]
fn the_hosts_cores() {
    on("the host's cores", &device_suite::cpu());
}

#[test]
fn a_gpu() {
    match device_suite::cuda(0) {
        Ok(device) => on("a GPU", &device),
        Err(e @ (DeviceError::NoDriver { .. } | DeviceError::NoDevice { .. })) => {
            eprintln!("SKIPPED a_gpu: {e}");
        }
        Err(e) => panic!("{e}"),
    }
}

/// The code for GPUs, with a driver that only does as if: all but the kernels is tested
/// where there is no GPU, too.
#[test]
fn a_stand_in_for_a_gpu() {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "a_gpu", "--nocapture"])
        .env("LD_LIBRARY_PATH", programs::stand_in())
        .env("TERRACE_CACHE", "0")
        .env_remove("CUDA_VISIBLE_DEVICES")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}{said}");
    let passed = text.lines().filter(|l| l.starts_with("PASS")).count();
    assert_eq!(passed, device_suite::cases().len(), "{text}{said}");
}
