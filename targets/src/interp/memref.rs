//! Memrefs: views of a buffer, and the ops that make one from another.

use super::error::{Fault, Run};
use super::value::Elem;
use smallvec::{SmallVec, smallvec};
use std::rc::Rc;
use terrace_ir::types::DYNAMIC;

pub type Dims = SmallVec<[i64; 4]>;

/// The number of a buffer in the interpreter's memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BufferId(pub(super) u32);

/// A strided view of a buffer: element `i` lies `offset + sum(strides[k] * i[k])`
/// elements after byte `base`.
#[derive(Debug, Clone, PartialEq)]
pub struct MemRef {
    pub buffer: BufferId,
    /// Bytes before element 0 of offset 0; not 0 only behind `memref.view`.
    pub base: usize,
    /// The scalar type of an element, or of the lanes of one.
    pub elem: Elem,
    /// The shape of an element that is a vector.
    pub lanes: Option<Rc<[i64]>>,
    /// Bytes of an element.
    pub elem_size: usize,
    pub offset: i64,
    pub sizes: Dims,
    pub strides: Dims,
}

/// The strides of a row-major array; `None` where they do not fit.
pub(super) fn row_major(sizes: &[i64]) -> Option<Dims> {
    let mut strides: Dims = smallvec![1; sizes.len()];
    let mut running = 1i64;
    for (s, size) in strides.iter_mut().zip(sizes).rev() {
        *s = running;
        running = running.checked_mul(*size)?;
    }
    Some(strides)
}

/// A memref type's sizes, strides or offset against those of a value; `None` where
/// they agree.
fn mismatch(what: &str, want: &[i64], have: &[i64]) -> Option<String> {
    let k = (0..want.len()).find(|&k| want[k] != DYNAMIC && want[k] != have[k])?;
    Some(format!(
        "{what} {k} is {}, but the type says {}",
        have[k], want[k]
    ))
}

impl MemRef {
    pub fn rank(&self) -> usize {
        self.sizes.len()
    }

    /// The number of elements; `None` where that does not fit.
    pub fn count(&self) -> Option<i64> {
        self.sizes.iter().try_fold(1i64, |n, s| n.checked_mul(*s))
    }

    /// The position of an element, in elements behind `base`, with every index checked.
    #[inline]
    pub(super) fn position(&self, indices: &[i64]) -> Run<i64> {
        let mut at = self.offset;
        for (k, &i) in indices.iter().enumerate() {
            let size = self.sizes[k];
            if (i as u64) >= (size as u64) {
                return Err(out_of_bounds(i, k, size));
            }
            let step = i.checked_mul(self.strides[k]);
            at = step
                .and_then(|s| at.checked_add(s))
                .ok_or("address overflow")?;
        }
        Ok(at)
    }

    /// As [`Self::position`] without the check of sizes, for slices that have been
    /// checked as a whole.
    pub(super) fn position_unchecked(&self, indices: &[i64]) -> Run<i64> {
        let mut at = self.offset;
        for (i, stride) in indices.iter().zip(&self.strides) {
            at = i
                .checked_mul(*stride)
                .and_then(|x| at.checked_add(x))
                .ok_or("address overflow")?;
        }
        Ok(at)
    }

    /// Calls `f` with every index, the last dimension fastest.
    pub(super) fn each(&self, mut f: impl FnMut(&[i64]) -> Run<()>) -> Run<()> {
        each_index(&self.sizes, |i| f(i))
    }

    /// Refuses a type that says other sizes or strides than the value has.
    pub(super) fn check_type(&self, t: &Shape) -> Run<()> {
        if t.sizes.len() != self.rank() {
            return Err(Fault::new(format!(
                "the memref has rank {}, but the type has rank {}",
                self.rank(),
                t.sizes.len()
            )));
        }
        let bad = mismatch("the size of dimension", &t.sizes, &self.sizes).or_else(|| {
            let l = t.layout.as_ref()?;
            // The stride of a dimension of at most one element is never used.
            let want: Vec<i64> = (0..self.rank())
                .map(|k| {
                    if self.sizes[k] <= 1 {
                        DYNAMIC
                    } else {
                        l.strides[k]
                    }
                })
                .collect();
            mismatch("the stride of dimension", &want, &self.strides)
                .or_else(|| mismatch("offset", &[l.offset], &[self.offset]))
        });
        match bad {
            Some(m) => Err(Fault::new(m)),
            None => Ok(()),
        }
    }

    /// `memref.subview`: the part that starts at `offsets`, of these sizes and strides,
    /// without the dimensions of `dropped`.
    pub(super) fn subview(
        &self,
        offsets: &[i64],
        sizes: &[i64],
        strides: &[i64],
        dropped: &[bool],
    ) -> Run<MemRef> {
        let mut view = self.clone();
        view.sizes.clear();
        view.strides.clear();
        for k in 0..self.rank() {
            let (offset, size, stride) = (offsets[k], sizes[k], strides[k]);
            if size < 0 {
                return Err(Fault::new(format!(
                    "the size of dimension {k} is negative: {size}"
                )));
            }
            let last = size
                .max(1)
                .checked_sub(1)
                .and_then(|n| n.checked_mul(stride));
            let last = last.and_then(|n| n.checked_add(offset));
            let inside = |i: i64| 0 <= i && (i < self.sizes[k] || size == 0 && i <= self.sizes[k]);
            if !inside(offset) || !last.is_some_and(inside) {
                return Err(Fault::new(format!(
                    "the subview reaches out of dimension {k} of size {}: offset {offset}, size {size}, stride {stride}",
                    self.sizes[k]
                )));
            }
            let step = |n: i64| n.checked_mul(self.strides[k]).ok_or("address overflow");
            view.offset = view
                .offset
                .checked_add(step(offset)?)
                .ok_or("address overflow")?;
            if !dropped[k] {
                view.sizes.push(size);
                view.strides.push(step(stride)?);
            }
        }
        Ok(view)
    }

    /// `memref.collapse_shape`: each group of adjacent dimensions becomes one.
    pub(super) fn collapse(&self, groups: &[Vec<usize>]) -> Run<MemRef> {
        let mut view = self.clone();
        view.sizes.clear();
        view.strides.clear();
        for group in groups {
            let size = group
                .iter()
                .try_fold(1i64, |n, &k| n.checked_mul(self.sizes[k]));
            let size = size.ok_or("the number of elements does not fit 64 bits")?;
            // Dimensions of one element do not matter for where elements lie.
            let real: Vec<usize> = group
                .iter()
                .copied()
                .filter(|&k| self.sizes[k] != 1)
                .collect();
            for pair in real.windows(2) {
                let (outer, inner) = (pair[0], pair[1]);
                let adjacent = self.strides[inner].checked_mul(self.sizes[inner]);
                if size != 0 && adjacent != Some(self.strides[outer]) {
                    return Err(Fault::new(format!(
                        "dimensions {outer} and {inner} cannot be collapsed: their elements are not contiguous"
                    )));
                }
            }
            view.sizes.push(size);
            let last = real.last().or(group.last());
            view.strides.push(last.map_or(1, |&k| self.strides[k]));
        }
        Ok(view)
    }

    /// `memref.expand_shape`: each dimension becomes the group of dimensions of these
    /// sizes.
    pub(super) fn expand(&self, groups: &[Vec<usize>], sizes: &[i64]) -> Run<MemRef> {
        let mut view = self.clone();
        view.sizes = sizes.into();
        view.strides = smallvec![1; sizes.len()];
        for (k, group) in groups.iter().enumerate() {
            let product = group.iter().try_fold(1i64, |n, &d| n.checked_mul(sizes[d]));
            if product != Some(self.sizes[k]) {
                let list: Vec<String> = group.iter().map(|&d| sizes[d].to_string()).collect();
                return Err(Fault::new(format!(
                    "dimension {k} of size {} cannot be expanded to {}",
                    self.sizes[k],
                    list.join("x")
                )));
            }
            let mut stride = self.strides[k];
            for &d in group.iter().rev() {
                view.strides[d] = stride;
                stride = stride.checked_mul(sizes[d]).ok_or("address overflow")?;
            }
        }
        Ok(view)
    }
}

/// Where the elements of a strided type lie; [`DYNAMIC`] where it does not say.
#[derive(Debug, Clone)]
pub(super) struct Layout {
    pub strides: Vec<i64>,
    pub offset: i64,
}

/// What a memref type says of its values.
#[derive(Debug, Clone)]
pub(super) struct Shape {
    pub elem: Elem,
    pub lanes: Option<Rc<[i64]>>,
    pub elem_size: usize,
    pub sizes: Vec<i64>,
    /// `None` for a layout that is not strided: elements are then kept row-major, which
    /// no access can tell from any other order.
    pub layout: Option<Layout>,
}

pub(super) fn out_of_bounds(index: i64, dimension: usize, size: i64) -> Fault {
    Fault::new(format!(
        "index {index} is out of bounds for dimension {dimension} of size {size}"
    ))
}

/// Calls `f` with every index below `sizes`, the last fastest.
pub(super) fn each_index(sizes: &[i64], mut f: impl FnMut(&[i64]) -> Run<()>) -> Run<()> {
    if sizes.iter().any(|s| *s <= 0) {
        return Ok(());
    }
    let mut index: Dims = smallvec![0; sizes.len()];
    loop {
        f(&index)?;
        let mut k = sizes.len();
        loop {
            if k == 0 {
                return Ok(());
            }
            k -= 1;
            index[k] += 1;
            if index[k] < sizes[k] {
                break;
            }
            index[k] = 0;
        }
    }
}
