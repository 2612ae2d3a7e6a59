//! Copies of boxes, with gaps and without, on a device that does things when it is waited
//! for.

use super::super::abi::Region;
use super::super::copies::terrace_gpu_copy_strided;
use super::super::queue::SYNC;
use super::super::region::{terrace_gpu_alloc, terrace_gpu_free};
use super::region::with_region;
use super::*;
use crate::device::strided::{Dim, copy_strided, queue_strided};
use crate::device::{Device, DeviceBuffer, StreamId};
use crate::profile::Direction;

/// A box of 3 x 2 doubles in rows of `pitch`, on both sides.
fn rows(pitch: i64) -> [Dim; 2] {
    let dim = |count, stride: i64| Dim {
        count,
        dst: 8 * stride,
        src: 8 * stride,
    };
    [dim(3, pitch), dim(2, 1)]
}

#[test]
fn the_host_does_not_wait_for_boxes_that_are_queued() {
    let device: Arc<dyn Device> = Arc::new(Fake::new(1 << 20));
    let buffer = DeviceBuffer::new(&device, 160).unwrap();
    let source: Vec<f64> = (0..20).map(f64::from).collect();
    let mut back = vec![-1.0; 20];
    let (out, from) = (back.as_mut_ptr(), source.as_ptr());
    let ends = |way| match way {
        Direction::DeviceToHost => (out as u64, buffer.ptr().0),
        _ => (buffer.ptr().0, from as u64),
    };
    for way in [Direction::HostToDevice, Direction::DeviceToHost] {
        // SAFETY: both sides have 20 doubles, which live until the stream was waited for.
        unsafe { queue_strided(&*device, way, ends(way), 8, &rows(6), StreamId::MAIN) }.unwrap();
    }
    // SAFETY: an element of the vector.
    assert_eq!(unsafe { out.add(6).read_volatile() }, -1.0);
    device.synchronize(StreamId::MAIN).unwrap();
    let found = |at: usize| {
        // SAFETY: as above.
        unsafe { out.add(at).read_volatile() }
    };
    assert_eq!(found(7), 7.0);
    assert_eq!((found(2), found(13), found(14)), (-1.0, 13.0, -1.0));
    // SAFETY: as above.
    unsafe {
        out.add(7).write_volatile(-2.0);
        let way = Direction::DeviceToHost;
        copy_strided(&*device, way, ends(way), 8, &rows(6), StreamId::MAIN).unwrap();
    }
    assert_eq!(found(7), 7.0);
}

/// A region over two arrays of 20 doubles and a pitch: a box of the first goes to the
/// device and from there to the second.
unsafe extern "C" fn there_and_back(args: *mut u64) -> i32 {
    // SAFETY: the test passes three words.
    let words = unsafe { std::slice::from_raw_parts(args, 3) };
    let pitch = words[2] as i64;
    let shape = [3, 2, pitch, 1, pitch, 1];
    let own = terrace_gpu_alloc(160, 0);
    let copy = |dst, src, kind| {
        // SAFETY: 20 doubles on both sides; two sizes and strides of either side.
        unsafe { terrace_gpu_copy_strided(dst, src, 8, 2, shape.as_ptr(), kind, 0) }
    };
    if own == 0 || copy(own, words[0], 0) != 0 || copy(words[1], own, 3) != 0 {
        return 1;
    }
    terrace_gpu_free(own, 0)
}

#[test]
fn regions_copy_boxes_with_gaps_and_without() {
    let go = |region: &Region, pitch: u64| {
        let r = runtime(1 << 20);
        let source: Vec<f64> = (0..20).map(f64::from).collect();
        let mut back = vec![-1.0; 20];
        let mut words = [source.as_ptr() as u64, back.as_mut_ptr() as u64, pitch];
        // SAFETY: these are its arguments.
        unsafe { r.run(region, there_and_back, words.as_mut_ptr(), SYNC) }.unwrap();
        let text = r.report.finish(Some(&*r.device));

        assert!(text.contains("(of the region)"), "{text}");
        std::hint::black_box(back)
    };
    with_region("increment\0", c"increment", |region| {
        let mut dense = vec![-1.0; 20];
        (0..6).for_each(|i| dense[i] = i as f64);
        assert_eq!(go(region, 2), dense);
        let mut gaps = vec![-1.0; 20];
        for i in [0, 1, 6, 7, 12, 13] {
            gaps[i] = i as f64;
        }
        assert_eq!(go(region, 6), gaps);
    });
}
