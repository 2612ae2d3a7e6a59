use super::plan::plan;
use super::{Dim, copy_on_host, copy_strided, dims_of, without_gaps};
use crate::device::{Device, DeviceBuffer, DeviceError, StreamId};
use crate::emulator::{EmulatorDevice, Settings};
use crate::profile::Direction;
use crate::random::draw;
use std::sync::Arc;

/// Random numbers, one after the other.
struct Draws(u64);

impl Draws {
    fn next_u64(&mut self) -> u64 {
        self.0 += 1;
        draw(7, self.0)
    }
}

fn d(count: usize, dst: i64, src: i64) -> Dim {
    Dim { count, dst, src }
}

#[test]
fn dimensions_merge() {
    // A whole row-major array.
    let whole = plan(8, &[d(3, 160, 160), d(4, 40, 40), d(5, 8, 8)]).unwrap();
    let whole = whole.unwrap();
    assert_eq!((whole.width, whole.dims.len()), (480, 0));
    // Columns 1..3 of 4: rows of 2.
    let columns = plan(8, &[d(3, 160, 160), d(5, 32, 32), d(2, 8, 8)]).unwrap();
    let columns = columns.unwrap();
    assert_eq!(columns.width, 16);
    assert_eq!(columns.dims, [d(15, 32, 32)]);
    // Backwards on both sides is forwards.
    let back = plan(4, &[d(6, -4, -4)]).unwrap().unwrap();
    assert_eq!((back.width, back.dims.len()), (24, 0));
    assert_eq!((back.dst_shift, back.src_shift), (-20, -20));
    // Transposed: no two merge.
    let turned = plan(4, &[d(3, 4, 20), d(5, 12, 4)]).unwrap().unwrap();
    assert_eq!(turned.width, 4);
    assert_eq!(turned.dims, [d(5, 12, 4), d(3, 4, 20)]);
    assert_eq!(plan(4, &[d(0, 4, 4)]).unwrap(), None);
}

#[test]
fn what_has_no_gaps_is_one_copy() {
    let bytes = |dims: &[Dim]| without_gaps(8, dims).unwrap();
    // Rows 2..5 of 4 columns.
    assert_eq!(bytes(&[d(3, 32, 32), d(4, 8, 8)]), Some(96));
    assert_eq!(bytes(&[]), Some(8));
    // A gap on one side, another order, from the other end, nothing.
    assert_eq!(bytes(&[d(3, 40, 32), d(4, 8, 8)]), None);
    assert_eq!(bytes(&[d(3, 8, 32), d(4, 24, 8)]), None);
    assert_eq!(bytes(&[d(3, -8, -8)]), None);
    assert_eq!(bytes(&[d(0, 8, 8)]), None);
}

#[test]
fn what_no_address_can_count_is_refused() {
    assert!(plan(4, &[d(usize::MAX, 4, 4)]).is_err());
    assert!(plan(4, &[d(3, i64::MAX, 4)]).is_err());
}

#[test]
fn elements_outside_are_refused() {
    let device: Arc<dyn Device> = Arc::new(EmulatorDevice::new(Settings::default()));
    let buffer = DeviceBuffer::new(&device, 64).unwrap();
    let host = [7u8; 256];
    let copy = |dims: &[Dim]| {
        let ends = (buffer.ptr().0, host.as_ptr() as u64);
        let way = Direction::HostToDevice;
        // SAFETY: the host's side is in bounds in each of the calls.
        unsafe { copy_strided(&*device, way, ends, 4, dims, StreamId::MAIN) }
    };
    assert_eq!(copy(&[d(4, 16, 16), d(2, 4, 4)]), Ok(()));
    let error = copy(&[d(5, 16, 16), d(2, 4, 4)]).unwrap_err();
    assert!(matches!(error, DeviceError::OutOfRange { .. }), "{error}");
    let error = dims_of(8, &[3, -1], &[1, 1], &[1, 1]).unwrap_err();
    assert!(error.to_string().ends_with("found a dimension of size -1"));
    assert!(dims_of(8, &[3], &[i64::MAX], &[1]).is_err());
}

/// Where an array of random strides lies in a buffer of elements: the strides, the
/// place of its first element, and the room that it needs.
fn layout(rng: &mut Draws, sizes: &[usize]) -> (Vec<i64>, usize, usize) {
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    for k in (1..order.len()).rev() {
        order.swap(k, rng.next_u64() as usize % (k + 1));
    }
    if rng.next_u64().is_multiple_of(2) {
        order.sort();
    }
    let mut strides = vec![0i64; sizes.len()];
    let mut room = 1usize;
    let mut first = 0;
    for k in order.into_iter().rev() {
        let gap = match rng.next_u64() % 3 {
            0 => rng.next_u64() as usize % 4,
            _ => 0,
        };
        let step = room + gap;
        strides[k] = step as i64;
        if rng.next_u64().is_multiple_of(8) {
            first += step * sizes[k].saturating_sub(1);
            strides[k] = -strides[k];
        }
        room += step * sizes[k].saturating_sub(1);
    }
    let before = rng.next_u64() as usize % 5;
    (strides, first + before, room + before)
}

/// Copies of arrays of ranks 0 to 5, of random strides, all ways, against a loop
/// over the elements.
#[test]
fn random_copies_are_those_of_a_loop() {
    let device: Arc<dyn Device> = Arc::new(EmulatorDevice::new(Settings::default()));
    let mut rng = Draws(0);
    for round in 0..3000 {
        let rank = rng.next_u64() as usize % 6;
        let most = [200, 200, 20, 8, 5, 4][rank];
        let sizes: Vec<usize> = (0..rank)
            .map(|_| match rng.next_u64() % 24 {
                0 => 0,
                n if n < 4 => 1,
                _ => 1 + rng.next_u64() as usize % most,
            })
            .collect();
        let element = [1, 2, 4, 8, 16][rng.next_u64() as usize % 5];
        let (to, to_first, to_room) = layout(&mut rng, &sizes);
        let (from, from_first, from_room) = layout(&mut rng, &sizes);
        // Two ends in one buffer may overlap.
        let shared = rng.next_u64().is_multiple_of(4);
        let room = to_room.max(from_room);
        let source: Vec<u8> = (0..room * element).map(|_| rng.next_u64() as u8).collect();
        let target: Vec<u8> = match shared {
            true => source.clone(),
            false => (0..room * element).map(|_| rng.next_u64() as u8).collect(),
        };
        let mut expected = target.clone();
        let mut index = vec![0usize; rank];
        'all: while sizes.iter().all(|s| *s > 0) {
            let place = |first: usize, strides: &[i64]| {
                let at = index.iter().zip(strides).map(|(i, s)| *i as i64 * s);
                (first as i64 + at.sum::<i64>()) as usize * element
            };
            let (d, s) = (place(to_first, &to), place(from_first, &from));
            expected[d..d + element].copy_from_slice(&source[s..s + element]);
            for k in (0..rank).rev() {
                index[k] += 1;
                if index[k] < sizes[k] {
                    continue 'all;
                }
                index[k] = 0;
            }
            break;
        }
        let sizes: Vec<i64> = sizes.iter().map(|s| *s as i64).collect();
        let dims = dims_of(element, &sizes, &to, &from).unwrap();
        let upload = |bytes: &[u8]| {
            let b = DeviceBuffer::new(&device, bytes.len()).unwrap();
            b.upload(bytes).unwrap();
            b
        };
        let (d_at, s_at) = ((to_first * element) as u64, (from_first * element) as u64);
        let run = |way, dst: u64, src: u64| {
            let ends = (dst + d_at, src + s_at);
            // SAFETY: both sides have room for all elements.
            unsafe { copy_strided(&*device, way, ends, element, &dims, StreamId::MAIN) }
                .unwrap_or_else(|e| panic!("round {round}: {e}"));
        };
        let mut found = target.clone();
        match rng.next_u64() % 4 {
            _ if shared => {
                let b = upload(&source);
                run(Direction::DeviceToDevice, b.ptr().0, b.ptr().0);
                b.download(&mut found).unwrap();
            }
            0 => {
                let b = upload(&target);
                run(Direction::HostToDevice, b.ptr().0, source.as_ptr() as u64);
                b.download(&mut found).unwrap();
            }
            1 => {
                let b = upload(&source);
                run(
                    Direction::DeviceToHost,
                    found.as_mut_ptr() as u64,
                    b.ptr().0,
                );
            }
            2 => {
                let (a, b) = (upload(&target), upload(&source));
                run(Direction::DeviceToDevice, a.ptr().0, b.ptr().0);
                a.download(&mut found).unwrap();
            }
            _ => {
                let (to, from) = (found.as_mut_ptr(), source.as_ptr());
                // SAFETY: as above.
                unsafe {
                    copy_on_host(
                        to.add(d_at as usize),
                        from.add(s_at as usize),
                        element,
                        &dims,
                    )
                }
                .unwrap();
            }
        }
        assert!(found == expected, "round {round}: {dims:?}");
    }
    assert_eq!(device.allocated(), (0, 0));
}
