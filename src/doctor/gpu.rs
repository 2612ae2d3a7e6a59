//! NVIDIA's driver and its GPUs.

use super::Finding;
use crate::runtime::device::{DeviceError, DeviceInfo, Driver};

const NO_GPU: &str = "Programs run on the cores, or on the emulator, which says what a GPU would do and \
                      is slow. terrace tune and terrace calibrate need a GPU.";

/// The GPUs that work.
pub fn devices(all: &mut Vec<Finding>) -> Vec<DeviceInfo> {
    const NAME: &str = "CUDA driver";
    let count = match Driver::Cuda.count() {
        Ok(count) => count,
        Err(DeviceError::NoDriver { detail }) if !detail.starts_with("found no") => {
            all.push(Finding::wrong(NAME, detail, NO_GPU));
            return Vec::new();
        }
        Err(e @ (DeviceError::NoDriver { .. } | DeviceError::LeftOut { .. })) => {
            all.push(Finding::lacking(NAME, e.to_string(), NO_GPU));
            return Vec::new();
        }
        Err(e) => {
            all.push(Finding::wrong(NAME, e.to_string(), NO_GPU));
            return Vec::new();
        }
    };
    if count == 0 {
        all.push(Finding::found(NAME, "it works"));
        all.push(Finding::lacking("GPU", "the driver has none", NO_GPU));
        return Vec::new();
    }
    let opened: Vec<_> = (0..count).map(|n| Driver::Cuda.open(n)).collect();
    let version = opened.iter().flatten().map(|d| d.info().driver_version);
    all.push(Finding::found(
        NAME,
        match version.max() {
            Some(v) => format!("CUDA {}.{}", v / 1000, v % 1000 / 10),
            None => "it works".to_string(),
        },
    ));
    let mut working = Vec::new();
    for (number, device) in opened.into_iter().enumerate() {
        let name = format!("GPU {number}");
        all.push(match device {
            Ok(device) => {
                let info = device.info();
                working.push(info.clone());
                Finding::found(name, said(info))
            }
            Err(e) => Finding::wrong(
                name,
                e.to_string(),
                "Programs that choose this device end with this error; TERRACE_DEVICE chooses another.",
            ),
        });
    }
    working
}

/// `NVIDIA H200, sm_90, 132 multiprocessors, 140.4 GiB`.
fn said(info: &DeviceInfo) -> String {
    format!(
        "{}, {}, {} multiprocessors, {:.1} GiB",
        info.name,
        info.architecture(),
        info.multiprocessors,
        info.total_memory as f64 / f64::from(1 << 30)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gpu_is_one_line() {
        let info = DeviceInfo {
            name: "NVIDIA H200".to_string(),
            compute_capability: (9, 0),
            multiprocessors: 132,
            total_memory: 3 << 29,
            ..DeviceInfo::default()
        };
        assert_eq!(
            said(&info),
            "NVIDIA H200, sm_90, 132 multiprocessors, 1.5 GiB"
        );
    }
}
