//! Copies of strided arrays of any rank, made of copies of rows.
//!
//! Dimensions that follow each other without a gap on both sides become one, and the
//! innermost become the width of a row. What is left are up to two dimensions that
//! [`Device::copy_rows`] takes, and outer ones to loop over. Where rows are so short or
//! loops so long that the device would be told of little pieces one by one, the host
//! packs: its side goes through a buffer without gaps.

use super::rows::Rows;
use super::{Device, DeviceError, StreamId};
use crate::profile::Direction;

/// One dimension: how many, and how far apart in bytes on either side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dim {
    pub count: usize,
    pub dst: i64,
    pub src: i64,
}

/// More pieces than this are packed on the host, if it has one of the sides.
const MOST_PIECES: usize = 64;

/// An array as dimensions that cannot be merged, the outermost first.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Plan {
    width: usize,
    dims: Vec<Dim>,
    /// Where its first byte lies behind what was said to be the start.
    dst_shift: i64,
    src_shift: i64,
}

fn too_large() -> DeviceError {
    DeviceError::Invalid {
        operation: "copy a strided array".to_string(),
        problem: "its sizes and strides reach further than an address can count".to_string(),
    }
}

/// `None` of an array without elements.
///
/// # Errors
/// [`DeviceError::Invalid`] where offsets do not fit 64 bits.
fn plan(element: usize, dims: &[Dim]) -> Result<Option<Plan>, DeviceError> {
    if element == 0 || dims.iter().any(|d| d.count == 0) {
        return Ok(None);
    }
    let mut plan = Plan {
        width: element,
        dims: Vec::with_capacity(dims.len()),
        dst_shift: 0,
        src_shift: 0,
    };
    let mut reach = [element as i64; 2];
    for d in dims.iter().filter(|d| d.count > 1) {
        let last = i64::try_from(d.count - 1).map_err(|_| too_large())?;
        let ends = [d.dst, d.src].map(|s| s.checked_mul(last));
        let [Some(dst), Some(src)] = ends else {
            return Err(too_large());
        };
        for (reach, end) in reach.iter_mut().zip([dst, src]) {
            let end = end.checked_abs().and_then(|e| reach.checked_add(e));
            *reach = end.ok_or_else(too_large)?;
        }
        let mut d = *d;
        if d.dst < 0 {
            // From the other end.
            plan.dst_shift += dst;
            plan.src_shift += src;
            (d.dst, d.src) = (-d.dst, -d.src);
        }
        plan.dims.push(d);
    }
    plan.dims.sort_by_key(|d| std::cmp::Reverse((d.dst, d.src)));
    let mut merged: Vec<Dim> = Vec::with_capacity(plan.dims.len());
    for d in std::mem::take(&mut plan.dims) {
        let inside = |s: i64| s.checked_mul(d.count as i64);
        match merged.last_mut() {
            Some(o) if inside(d.dst) == Some(o.dst) && inside(d.src) == Some(o.src) => {
                *o = Dim {
                    count: o.count.checked_mul(d.count).ok_or_else(too_large)?,
                    ..d
                };
            }
            _ => merged.push(d),
        }
    }
    if let Some(d) = merged.last()
        && d.dst == plan.width as i64
        && d.src == plan.width as i64
    {
        plan.width = plan.width.checked_mul(d.count).ok_or_else(too_large)?;
        merged.pop();
    }
    plan.dims = merged;
    Ok(Some(plan))
}

impl Plan {
    /// The inner dimensions as rows, and how many dimensions are left to loop over.
    fn rows(&self) -> (Rows, usize) {
        let mut rows = Rows::line(self.width);
        let mut left = self.dims.len();
        let pitch = |d: &Dim, least: usize| {
            let fits = |s: i64| usize::try_from(s).ok().filter(|s| *s >= least);
            fits(d.dst).zip(fits(d.src))
        };
        if let Some(d) = self.dims.last()
            && let Some((dst, src)) = pitch(d, self.width)
        {
            rows.rows = d.count;
            rows.dst.row = dst;
            rows.src.row = src;
            left -= 1;
            let plane = self.dims.get(left.wrapping_sub(1));
            if let Some(d) = plane
                && let Some((dst, src)) = pitch(d, 1)
            {
                rows.planes = d.count;
                rows.dst.plane = dst;
                rows.src.plane = src;
                left -= 1;
            }
        }
        (rows, left)
    }

    fn bytes(&self) -> Option<usize> {
        let mut all = self.dims.iter();
        all.try_fold(self.width, |n, d| n.checked_mul(d.count))
    }

    /// The same elements with one side packed, in the order of the dimensions.
    fn packed(&self, is_destination: bool) -> Plan {
        let mut next = self.width as i64;
        let mut dims = self.dims.clone();
        for d in dims.iter_mut().rev() {
            match is_destination {
                true => d.dst = next,
                false => d.src = next,
            }
            next = next.saturating_mul(d.count as i64);
        }
        Plan {
            dims,
            dst_shift: if is_destination { 0 } else { self.dst_shift },
            src_shift: if is_destination { self.src_shift } else { 0 },
            ..*self
        }
    }

    /// Calls `f` with the offsets, in destination and source, of each element of the
    /// first `outer` dimensions.
    fn each<E>(&self, outer: usize, f: &mut dyn FnMut(i64, i64) -> Result<(), E>) -> Result<(), E> {
        fn go<E>(
            dims: &[Dim],
            at: (i64, i64),
            f: &mut dyn FnMut(i64, i64) -> Result<(), E>,
        ) -> Result<(), E> {
            let Some((d, inner)) = dims.split_first() else {
                return f(at.0, at.1);
            };
            for k in 0..d.count as i64 {
                go(inner, (at.0 + k * d.dst, at.1 + k * d.src), f)?;
            }
            Ok(())
        }
        go(&self.dims[..outer], (self.dst_shift, self.src_shift), f)
    }

    /// The first byte of each side and the one behind the last, as offsets.
    fn span(&self, stride: impl Fn(&Dim) -> i64, shift: i64) -> (i64, i64) {
        let (mut low, mut high) = (shift, shift + self.width as i64);
        for d in &self.dims {
            let end = stride(d) * (d.count as i64 - 1);
            low += end.min(0);
            high += end.max(0);
        }
        (low, high)
    }
}

fn at(start: u64, offset: i64) -> u64 {
    start.wrapping_add_signed(offset)
}

/// Copies a strided array, element by element the same indices, and waits for it where
/// one side is the host's. `dst` and `src` are the addresses of the first elements;
/// sides of one device that overlap are copied as if through a third place.
///
/// # Errors
/// [`DeviceError::OutOfRange`] where an element of the device is not in a live
/// allocation; what the device says.
///
/// # Safety
/// All elements of the host's side are memory of the program that it may read, or write
/// where they are the destination, and that nobody else uses meanwhile.
pub unsafe fn copy_strided(
    device: &dyn Device,
    way: Direction,
    ends: (u64, u64),
    element: usize,
    dims: &[Dim],
    stream: StreamId,
) -> Result<(), DeviceError> {
    // SAFETY: by the contract; waited for.
    unsafe { queue_strided(device, way, ends, element, dims, stream)? };
    match way {
        Direction::DeviceToDevice => Ok(()),
        _ => device.synchronize(stream),
    }
}

/// As [`copy_strided`], but the host goes on at once where the device, or the driver, takes
/// rows as they are. What the host packs is done when this returns.
///
/// # Errors
/// As [`copy_strided`]; nothing uses the host's side then.
///
/// # Safety
/// As [`copy_strided`], until the stream was waited for.
pub unsafe fn queue_strided(
    device: &dyn Device,
    way: Direction,
    (dst, src): (u64, u64),
    element: usize,
    dims: &[Dim],
    stream: StreamId,
) -> Result<(), DeviceError> {
    let Some(plan) = plan(element, dims)? else {
        return Ok(());
    };
    let outer = plan.rows().1;
    let pieces = plan.dims[..outer]
        .iter()
        .fold(1usize, |n, d| n.saturating_mul(d.count));
    // SAFETY: by the contract, here and below.
    unsafe {
        match way {
            Direction::DeviceToDevice if overlaps(&plan, dst, src) => {
                through_the_device(device, &plan, dst, src, stream)
            }
            Direction::DeviceToDevice => pieces_of(device, way, &plan, dst, src, stream),
            _ if pieces > MOST_PIECES => through_the_host(device, way, &plan, dst, src, stream),
            _ => pieces_of(device, way, &plan, dst, src, stream),
        }
    }
}

/// How many bytes one plain copy moves instead, from the given addresses on; `None` where
/// either side has gaps or another order.
///
/// # Errors
/// [`DeviceError::Invalid`] where offsets do not fit 64 bits.
pub fn without_gaps(element: usize, dims: &[Dim]) -> Result<Option<usize>, DeviceError> {
    let plan = plan(element, dims)?;
    let dense = |p: &Plan| p.dims.is_empty() && (p.dst_shift, p.src_shift) == (0, 0);
    Ok(plan.filter(dense).map(|p| p.width))
}

/// Copies a strided array of the host to another.
///
/// # Errors
/// [`DeviceError::Invalid`] where offsets do not fit 64 bits.
///
/// # Safety
/// All elements of both are memory of the program, that of `dst` to be written, which
/// nobody else uses meanwhile.
pub unsafe fn copy_on_host(
    dst: *mut u8,
    src: *const u8,
    element: usize,
    dims: &[Dim],
) -> Result<(), DeviceError> {
    if let Some(plan) = plan(element, dims)? {
        // SAFETY: by the contract.
        unsafe { move_on_host(&plan, dst as u64, src as u64) };
    }
    Ok(())
}

/// # Safety
/// All elements of both sides are memory that may be used so.
unsafe fn move_on_host(plan: &Plan, dst: u64, src: u64) {
    let result: Result<(), std::convert::Infallible> = plan.each(plan.dims.len(), &mut |d, s| {
        let (to, from) = (at(dst, d) as *mut u8, at(src, s) as *const u8);
        // SAFETY: an element or a row of them, by the contract.
        unsafe { std::ptr::copy(from, to, plan.width) };
        Ok(())
    });
    let Ok(()) = result;
}

fn overlaps(plan: &Plan, dst: u64, src: u64) -> bool {
    let ends = |(low, high): (i64, i64), start| (at(start, low), at(start, high));
    let (a, b) = ends(plan.span(|d| d.dst, plan.dst_shift), dst);
    let (c, d) = ends(plan.span(|d| d.src, plan.src_shift), src);
    a < d && c < b
}

/// Each piece as rows.
///
/// # Safety
/// As for [`copy_strided`], until the stream was waited for.
unsafe fn pieces_of(
    device: &dyn Device,
    way: Direction,
    plan: &Plan,
    dst: u64,
    src: u64,
    stream: StreamId,
) -> Result<(), DeviceError> {
    let (rows, outer) = plan.rows();
    let result = plan.each(outer, &mut |d, s| {
        // SAFETY: by the contract.
        unsafe { device.copy_rows(way, at(dst, d), at(src, s), &rows, stream) }
    });
    if result.is_err() && way != Direction::DeviceToDevice {
        // What was queued before still uses the host's memory.
        let _ = device.synchronize(stream);
    }
    result
}

/// # Safety
/// As for [`copy_strided`].
unsafe fn through_the_host(
    device: &dyn Device,
    way: Direction,
    plan: &Plan,
    dst: u64,
    src: u64,
    stream: StreamId,
) -> Result<(), DeviceError> {
    let bytes = plan.bytes().ok_or_else(too_large)?;
    let mut buffer: Vec<u8> = Vec::new();
    buffer
        .try_reserve_exact(bytes)
        .map_err(|_| DeviceError::Invalid {
            operation: format!("pack {bytes} bytes on the host"),
            problem: "there is no memory left".to_string(),
        })?;
    buffer.resize(bytes, 0);
    let place = buffer.as_mut_ptr() as u64;
    // SAFETY: the buffer has room for all, and lives until the stream was waited for.
    unsafe {
        if way == Direction::HostToDevice {
            move_on_host(&plan.packed(true), place, src);
            let queued = pieces_of(
                device,
                way,
                &replanned(&plan.packed(false))?,
                dst,
                place,
                stream,
            );
            let waited = device.synchronize(stream);
            return queued.and(waited);
        }
        let queued = pieces_of(
            device,
            way,
            &replanned(&plan.packed(true))?,
            place,
            src,
            stream,
        );
        let waited = device.synchronize(stream);
        queued.and(waited)?;
        move_on_host(&plan.packed(false), dst, place);
    }
    Ok(())
}

/// The plan of a plan of which one side was changed.
fn replanned(p: &Plan) -> Result<Plan, DeviceError> {
    let new = plan(p.width, &p.dims)?.ok_or_else(too_large)?;
    Ok(Plan {
        dst_shift: new.dst_shift + p.dst_shift,
        src_shift: new.src_shift + p.src_shift,
        ..new
    })
}

/// # Safety
/// As for [`copy_strided`].
unsafe fn through_the_device(
    device: &dyn Device,
    plan: &Plan,
    dst: u64,
    src: u64,
    stream: StreamId,
) -> Result<(), DeviceError> {
    let way = Direction::DeviceToDevice;
    let bytes = plan.bytes().ok_or_else(too_large)?;
    let place = device.alloc(bytes)?;
    // SAFETY: both sides are on the device.
    let copied = unsafe {
        replanned(&plan.packed(true))
            .and_then(|p| pieces_of(device, way, &p, place.0, src, stream))
            .and_then(|()| replanned(&plan.packed(false)))
            .and_then(|p| pieces_of(device, way, &p, dst, place.0, stream))
    };
    let freed = device.free(place);
    copied.and(freed)
}

/// The bytes of an array of these dimensions.
///
/// # Errors
/// [`DeviceError::Invalid`] where they overflow.
pub fn bytes_of(element: usize, dims: &[Dim]) -> Result<usize, DeviceError> {
    let mut all = dims.iter();
    let bytes = match all.clone().any(|d| d.count == 0) {
        true => Some(0),
        false => all.try_fold(element, |n, d| n.checked_mul(d.count)),
    };
    bytes.ok_or_else(too_large)
}

/// The dimensions of a copy as compiled code hands them over: sizes, and strides in
/// elements.
///
/// # Errors
/// [`DeviceError::Invalid`] for a negative size, and for strides beyond 64 bits in bytes.
pub fn dims_of(
    element: usize,
    sizes: &[i64],
    dst: &[i64],
    src: &[i64],
) -> Result<Vec<Dim>, DeviceError> {
    let bytes = i64::try_from(element).map_err(|_| too_large())?;
    let all = sizes.iter().zip(dst.iter().zip(src));
    all.map(|(count, (dst, src))| {
        let count = usize::try_from(*count).map_err(|_| DeviceError::Invalid {
            operation: "copy a strided array".to_string(),
            problem: format!("found a dimension of size {count}"),
        })?;
        // Strides of what has one element are never used.
        let stride = |s: i64| match count > 1 {
            true => s.checked_mul(bytes).ok_or_else(too_large),
            false => Ok(0),
        };
        Ok(Dim {
            count,
            dst: stride(*dst)?,
            src: stride(*src)?,
        })
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::DeviceBuffer;
    use crate::emulator::{EmulatorDevice, Settings};
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
}
