use std::sync::Arc;

use super::Several;
use crate::device::{Device, DevicePtr, LaunchConfig, StreamId};
use crate::emulator::{EmulatorDevice, Settings};

fn two() -> Several {
    let device = |n: usize| -> Arc<dyn Device> {
        Arc::new(EmulatorDevice::numbered(n, Settings::default()))
    };
    Several::new(vec![(0, device(0)), (3, device(3))]).unwrap()
}

const PTX: &str = "\
.version 6.4
.target sm_70
.address_size 64
.visible .entry copy(.param .u64 pa, .param .u64 pb)
{
    .reg .b32 %r<2>;
    .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [pa];
    ld.param.u64 %rd2, [pb];
    ld.global.u32 %r1, [%rd1];
    st.global.u32 [%rd2], %r1;
    ret;
}
";

#[test]
fn addresses_say_which_device_is_meant() {
    let several = two();
    assert_eq!(several.info().name, "2 x the emulator (sm_90)");
    let a = several.alloc(64).unwrap();
    let b = several.alloc_on(3, 64).unwrap();
    let c = several.alloc_on(3, 64).unwrap();
    assert_eq!(several.device(1).allocated(), (2, 128));
    several.copy_h2d(a, &[5; 64]).unwrap();
    several.copy_d2d(b, a, 64, StreamId::MAIN).unwrap();
    let module = several.load_module(PTX).unwrap();
    let kernel = several.kernel(module, "copy").unwrap();
    let config = LaunchConfig {
        grid: [1; 3],
        block: [1; 3],
        shared_bytes: 0,
        stream: StreamId::MAIN,
    };
    // SAFETY: the parameters are two words in device memory.
    let launch = |x: DevicePtr, y: DevicePtr| unsafe {
        several.launch(kernel, &config, &[x.into(), y.into()])
    };
    launch(b, c).unwrap();
    let mut got = [0; 4];
    several.copy_d2h(&mut got, c).unwrap();
    assert_eq!(got, [5; 4]);
    let error = launch(a, c).unwrap_err().to_string();
    assert_eq!(
        error,
        "cannot launch kernel `copy`: argument 0 is memory of device 0, argument 1 of device \
         3; a kernel runs on one device, so one has to be copied there first"
    );
    let error = several.alloc_on(1, 8).unwrap_err().to_string();
    assert!(
        error.contains("device 1: the program was not started with it"),
        "{error}"
    );
    for ptr in [a, b, c] {
        several.free(ptr).unwrap();
    }
    assert_eq!(several.allocated(), (0, 0));
    assert!(Several::new(Vec::new()).is_err());
}

#[test]
fn a_device_may_have_two_numbers() {
    let device: Arc<dyn Device> = Arc::new(EmulatorDevice::new(Settings::default()));
    let several = Several::new(vec![(0, Arc::clone(&device)), (1, device)]).unwrap();
    assert_eq!(several.info().name, "the emulator (sm_90)");
    let (a, b) = (several.alloc(64).unwrap(), several.alloc_on(1, 64).unwrap());
    several.copy_h2d(a, &[7; 64]).unwrap();
    several.copy_d2d(b, a, 64, StreamId::MAIN).unwrap();
    assert_eq!(several.place(&[a.into(), b.into()]), Ok(Some(0)));
    several.free(a).unwrap();
    several.free(b).unwrap();
}

#[test]
fn an_event_is_destroyed_on_all_devices_though_one_fails() {
    let several = two();
    let event = several.create_event().unwrap();
    let inner = several.event(event).unwrap().events;
    several.device(0).destroy_event(inner[0]).unwrap();
    several.destroy_event(event).unwrap_err();
    several.device(1).destroy_event(inner[1]).unwrap_err();
}
