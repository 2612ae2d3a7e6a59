//! The dimensions of a copy that cannot be merged, and the rows in them.

use super::dims::{Dim, too_large};
use crate::device::{DeviceError, Rows};

/// An array as dimensions that cannot be merged, the outermost first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StridedCopy {
    pub(super) width: usize,
    pub(super) dims: Vec<Dim>,
    /// Where its first byte lies behind what was said to be the start.
    pub(super) dst_shift: i64,
    pub(super) src_shift: i64,
}

/// `None` of an array without elements.
///
/// # Errors
/// [`DeviceError::Invalid`] where offsets do not fit 64 bits.
pub(super) fn plan(element: usize, dims: &[Dim]) -> Result<Option<StridedCopy>, DeviceError> {
    if element == 0 || dims.iter().any(|d| d.count == 0) {
        return Ok(None);
    }
    let mut plan = StridedCopy {
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

impl StridedCopy {
    /// The inner dimensions as rows, and how many dimensions are left to loop over.
    pub(super) fn rows(&self) -> (Rows, usize) {
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

    pub(super) fn bytes(&self) -> Option<usize> {
        let mut all = self.dims.iter();
        all.try_fold(self.width, |n, d| n.checked_mul(d.count))
    }

    /// The same elements with one side packed, in the order of the dimensions.
    pub(super) fn packed(&self, is_destination: bool) -> StridedCopy {
        let mut next = self.width as i64;
        let mut dims = self.dims.clone();
        for d in dims.iter_mut().rev() {
            match is_destination {
                true => d.dst = next,
                false => d.src = next,
            }
            next = next.saturating_mul(d.count as i64);
        }
        StridedCopy {
            dims,
            dst_shift: if is_destination { 0 } else { self.dst_shift },
            src_shift: if is_destination { self.src_shift } else { 0 },
            ..*self
        }
    }

    /// Calls `f` with the offsets, in destination and source, of each element of the
    /// first `outer` dimensions.
    pub(super) fn each<E>(
        &self,
        outer: usize,
        f: &mut dyn FnMut(i64, i64) -> Result<(), E>,
    ) -> Result<(), E> {
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

/// The address this far from another.
pub(super) fn at(start: u64, offset: i64) -> u64 {
    start.wrapping_add_signed(offset)
}

/// Whether the two sides of a plan, at these addresses, may share bytes.
pub(super) fn overlaps(plan: &StridedCopy, dst: u64, src: u64) -> bool {
    let ends = |(low, high): (i64, i64), start| (at(start, low), at(start, high));
    let (a, b) = ends(plan.span(|d| d.dst, plan.dst_shift), dst);
    let (c, d) = ends(plan.span(|d| d.src, plan.src_shift), src);
    a < d && c < b
}

/// The plan of a plan of which one side was changed.
pub(super) fn replanned(p: &StridedCopy) -> Result<StridedCopy, DeviceError> {
    let new = plan(p.width, &p.dims)?.ok_or_else(too_large)?;
    Ok(StridedCopy {
        dst_shift: new.dst_shift + p.dst_shift,
        src_shift: new.src_shift + p.src_shift,
        ..new
    })
}
