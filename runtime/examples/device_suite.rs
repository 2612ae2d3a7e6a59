//! Runs the suite that every device has to pass on one: `device_suite cuda [NUMBER]`,
//! `all` (GPUs as one device), `emulator`, `several` (emulators as one device) or `cpu`.
//!
//! Exits with 0 when all pass, 1 when one fails, 77 (the customary code of a skipped test)
//! where there is no such device, 2 for arguments that are none.

#[path = "../tests/device_suite/mod.rs"]
mod device_suite;

use std::process::ExitCode;

use terrace_runtime::device::DeviceError;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let which = arguments.next().unwrap_or_else(|| "cuda".to_string());
    let number = arguments.next().map_or(Ok(0), |n| n.parse());
    let device = match (which.as_str(), number) {
        ("cuda" | "all", Ok(number)) => match match which.as_str() {
            "all" => device_suite::all_cuda(),
            _ => device_suite::cuda(number),
        } {
            Ok(device) => device,
            Err(e @ (DeviceError::NoDriver { .. } | DeviceError::NoDevice { .. })) => {
                println!("SKIP: {e}");
                return ExitCode::from(77);
            }
            Err(e) => {
                println!("FAIL: {e}");
                return ExitCode::FAILURE;
            }
        },
        ("emulator", _) => device_suite::emulator(),
        ("several", _) => device_suite::several(),
        ("cpu", _) => device_suite::cpu(),
        _ => {
            eprintln!(
                "expected `cuda`, `cuda NUMBER`, `all` (GPUs as one), `emulator`, `several` or `cpu`"
            );
            return ExitCode::from(2);
        }
    };
    println!("{}", device.info().name);
    let failed = device_suite::run(&device, |line| println!("{line}"));
    println!("{failed} failed");
    ExitCode::from(u8::from(failed > 0))
}
