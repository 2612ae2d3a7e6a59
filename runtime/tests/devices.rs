//! The suite that every device has to pass, on each.

mod device_suite;

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
