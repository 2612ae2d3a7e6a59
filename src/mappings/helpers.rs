//! Kernels that prepare and check arrays on the device.

/// `fill_f32` and `fill_f64` (address, elements, seed) put numbers from 0.5 to 1.5 into an
/// array; `differ` (address, address, words, counter) counts the 32-bit words in which two
/// arrays differ. An element or word a thread.
pub const PTX: &str = "\
.version 7.0
.target sm_70
.address_size 64
.visible .entry fill_f32(.param .u64 p, .param .u32 n, .param .u32 seed)
{
    .reg .pred %q;
    .reg .b32 %r<10>;
    .reg .f32 %f<2>;
    .reg .b64 %d<3>;
    ld.param.u64 %d1, [p];
    ld.param.u32 %r1, [n];
    ld.param.u32 %r2, [seed];
    mov.u32 %r3, %ctaid.x;
    mov.u32 %r4, %ntid.x;
    mov.u32 %r5, %tid.x;
    mad.lo.u32 %r6, %r3, %r4, %r5;
    setp.ge.u32 %q, %r6, %r1;
    @%q ret;
    add.u32 %r7, %r6, %r2;
    mul.lo.u32 %r7, %r7, 0x9E3779B1;
    shr.u32 %r8, %r7, 15;
    xor.b32 %r7, %r7, %r8;
    mul.lo.u32 %r7, %r7, 0x85EBCA6B;
    shr.u32 %r8, %r7, 13;
    xor.b32 %r7, %r7, %r8;
    shr.u32 %r7, %r7, 9;
    cvt.rn.f32.u32 %f1, %r7;
    fma.rn.f32 %f1, %f1, 0f34000000, 0f3F000000;
    mul.wide.u32 %d2, %r6, 4;
    add.u64 %d1, %d1, %d2;
    st.global.f32 [%d1], %f1;
    ret;
}
.visible .entry fill_f64(.param .u64 p, .param .u32 n, .param .u32 seed)
{
    .reg .pred %q;
    .reg .b32 %r<10>;
    .reg .f64 %f<2>;
    .reg .b64 %d<3>;
    ld.param.u64 %d1, [p];
    ld.param.u32 %r1, [n];
    ld.param.u32 %r2, [seed];
    mov.u32 %r3, %ctaid.x;
    mov.u32 %r4, %ntid.x;
    mov.u32 %r5, %tid.x;
    mad.lo.u32 %r6, %r3, %r4, %r5;
    setp.ge.u32 %q, %r6, %r1;
    @%q ret;
    add.u32 %r7, %r6, %r2;
    mul.lo.u32 %r7, %r7, 0x9E3779B1;
    shr.u32 %r8, %r7, 15;
    xor.b32 %r7, %r7, %r8;
    mul.lo.u32 %r7, %r7, 0x85EBCA6B;
    shr.u32 %r8, %r7, 13;
    xor.b32 %r7, %r7, %r8;
    shr.u32 %r7, %r7, 9;
    cvt.rn.f64.u32 %f1, %r7;
    fma.rn.f64 %f1, %f1, 0d3E80000000000000, 0d3FE0000000000000;
    mul.wide.u32 %d2, %r6, 8;
    add.u64 %d1, %d1, %d2;
    st.global.f64 [%d1], %f1;
    ret;
}
.visible .entry differ(.param .u64 a, .param .u64 b, .param .u32 n, .param .u64 counter)
{
    .reg .pred %q;
    .reg .b32 %r<10>;
    .reg .b64 %d<5>;
    ld.param.u64 %d1, [a];
    ld.param.u64 %d2, [b];
    ld.param.u32 %r1, [n];
    ld.param.u64 %d3, [counter];
    mov.u32 %r3, %ctaid.x;
    mov.u32 %r4, %ntid.x;
    mov.u32 %r5, %tid.x;
    mad.lo.u32 %r6, %r3, %r4, %r5;
    setp.ge.u32 %q, %r6, %r1;
    @%q ret;
    mul.wide.u32 %d4, %r6, 4;
    add.u64 %d1, %d1, %d4;
    add.u64 %d2, %d2, %d4;
    ld.global.u32 %r7, [%d1];
    ld.global.u32 %r8, [%d2];
    setp.eq.u32 %q, %r7, %r8;
    @%q ret;
    red.global.add.u32 [%d3], 1;
    ret;
}
";

#[cfg(test)]
mod tests {
    use super::PTX;
    use crate::runtime::device::{Device, DeviceBuffer, LaunchConfig, StreamId};
    use crate::runtime::emulator::{EmulatorDevice, Settings};
    use std::sync::Arc;

    #[test]
    fn arrays_are_filled_and_compared() {
        let device: Arc<dyn Device> = Arc::new(EmulatorDevice::new(Settings::default()));
        let module = device.load_module(PTX).unwrap();
        let config = LaunchConfig {
            grid: [2, 1, 1],
            block: [64, 1, 1],
            shared_bytes: 0,
            stream: StreamId::MAIN,
        };
        let a = DeviceBuffer::new(&device, 400).unwrap();
        let b = DeviceBuffer::new(&device, 400).unwrap();
        let counter = DeviceBuffer::new(&device, 4).unwrap();
        counter.upload(&[0; 4]).unwrap();
        let fill = device.kernel(module, "fill_f32").unwrap();
        for (buffer, seed) in [(&a, 1u32), (&b, 2)] {
            let args = [buffer.ptr().into(), 100u32.into(), seed.into()];
            // SAFETY: the kernel's parameters; the array has 100 elements.
            unsafe { device.launch(fill, &config, &args).unwrap() };
        }
        let mut bytes = [0; 400];
        a.download(&mut bytes).unwrap();
        let numbers = bytes
            .chunks(4)
            .map(|c| f32::from_ne_bytes([c[0], c[1], c[2], c[3]]));
        let numbers: Vec<f32> = numbers.collect();
        assert!(numbers.iter().all(|x| (0.5..=1.5).contains(x)));
        let mean = numbers.iter().sum::<f32>() / 100.0;
        assert!((0.9..1.1).contains(&mean), "{mean}");
        let differ = device.kernel(module, "differ").unwrap();
        let count = |x: &DeviceBuffer, y: &DeviceBuffer| {
            let args = [
                x.ptr().into(),
                y.ptr().into(),
                100u32.into(),
                counter.ptr().into(),
            ];
            // SAFETY: as above.
            unsafe { device.launch(differ, &config, &args).unwrap() };
            let mut n = [0; 4];
            counter.download(&mut n).unwrap();
            u32::from_ne_bytes(n)
        };
        assert_eq!(count(&a, &a), 0);
        assert!(count(&a, &b) > 95);
    }
}
