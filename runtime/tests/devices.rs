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

/// Which GPUs [`a_gpu`] takes: the first, or with `all` all as one device.
const WHICH: &str = "TERRACE_TEST_GPUS";

#[test]
fn a_gpu() {
    let device = match std::env::var_os(WHICH) {
        Some(all) if all == "all" => device_suite::all_cuda(),
        _ => device_suite::cuda(0),
    };
    match device {
        Ok(device) => on("a GPU", &device),
        Err(e @ (DeviceError::NoDriver { .. } | DeviceError::NoDevice { .. })) => {
            eprintln!("SKIPPED a_gpu: {e}");
        }
        Err(e) => panic!("{e}"),
    }
}

/// Runs `a_gpu` in a process of its own, since it leaves the device unusable; how many
/// cases passed, and what was skipped.
fn in_a_process(variables: &[(&str, &str)]) -> (usize, String) {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "a_gpu", "--nocapture"])
        .env("TERRACE_CACHE", "0")
        .envs(variables.iter().copied())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}{said}");
    let passed = text.lines().filter(|l| l.starts_with("PASS")).count();
    let skipped = said.lines().filter(|l| l.starts_with("SKIPPED"));
    (passed, skipped.collect::<Vec<_>>().join("\n"))
}

#[test]
fn all_gpus_as_one_device() {
    let (passed, skipped) = in_a_process(&[(WHICH, "all")]);
    match skipped.is_empty() {
        true => assert_eq!(passed, device_suite::cases().len()),
        false => eprintln!("{skipped}"),
    }
}

/// The code for GPUs, with a driver that only does as if: all but the kernels is tested
/// where there is no GPU, too.
#[test]
fn a_stand_in_for_gpus() {
    let library = programs::stand_in();
    let path = ("LD_LIBRARY_PATH", library.to_str().unwrap());
    let all = (device_suite::cases().len(), String::new());
    assert_eq!(in_a_process(&[path]), all);
    let two = [path, ("FAKE_CUDA_DEVICES", "2"), (WHICH, "all")];
    assert_eq!(in_a_process(&two), all);
}
