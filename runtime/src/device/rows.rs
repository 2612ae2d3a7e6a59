//! Copies of rows: a block of bytes in which the rows, and the planes of rows, lie some
//! distance apart on either side.

use super::{Device, DeviceError, DevicePtr, StreamId};
use crate::profile::Direction;

/// How far apart rows begin, and planes of rows, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pitch {
    pub row: usize,
    pub plane: usize,
}

/// `planes` times `rows` rows of `width` bytes: row `r` of plane `p` begins
/// `p * plane + r * row` bytes behind the start of its side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rows {
    pub width: usize,
    pub rows: usize,
    pub planes: usize,
    pub dst: Pitch,
    pub src: Pitch,
}

impl Rows {
    /// One row.
    pub fn line(width: usize) -> Rows {
        let pitch = Pitch {
            row: width,
            plane: width,
        };
        Rows {
            width,
            rows: 1,
            planes: 1,
            dst: pitch,
            src: pitch,
        }
    }

    /// The bytes that are copied; `None` where they overflow.
    pub fn bytes(&self) -> Option<usize> {
        self.width.checked_mul(self.rows)?.checked_mul(self.planes)
    }

    /// The bytes from the first of a side to its last; `None` where they overflow.
    pub fn extent(&self, side: Pitch) -> Option<usize> {
        if self.bytes()? == 0 {
            return Some(0);
        }
        let planes = side.plane.checked_mul(self.planes - 1)?;
        let rows = side.row.checked_mul(self.rows - 1)?;
        planes.checked_add(rows)?.checked_add(self.width)
    }

    /// The extents of destination and source.
    ///
    /// # Errors
    /// [`DeviceError::Invalid`] where one is beyond what an address can count.
    pub fn extents(&self) -> Result<(usize, usize), DeviceError> {
        let both = self.extent(self.dst).zip(self.extent(self.src));
        both.ok_or_else(|| DeviceError::Invalid {
            operation: self.operation(),
            problem: "they reach further than an address can count".to_string(),
        })
    }

    /// As an operation of an error.
    pub fn operation(&self) -> String {
        match self.planes {
            1 => format!("copy {} rows of {} bytes", self.rows, self.width),
            n => format!("copy {n} times {} rows of {} bytes", self.rows, self.width),
        }
    }

    /// Calls `f` with where each row begins, in destination and source.
    ///
    /// # Errors
    /// The first of `f`; the rest is left out then.
    pub fn each<E>(&self, mut f: impl FnMut(usize, usize) -> Result<(), E>) -> Result<(), E> {
        for p in 0..self.planes {
            for r in 0..self.rows {
                f(
                    p * self.dst.plane + r * self.dst.row,
                    p * self.src.plane + r * self.src.row,
                )?;
            }
        }
        Ok(())
    }
}

/// Row after row by the plain copies of a device.
///
/// # Errors
/// What these say; rows before the one that failed may have been copied.
///
/// # Safety
/// As for [`Device::copy_rows`].
pub unsafe fn one_by_one<D: Device + ?Sized>(
    device: &D,
    way: Direction,
    dst: u64,
    src: u64,
    rows: &Rows,
    stream: StreamId,
) -> Result<(), DeviceError> {
    rows.extents()?;
    let n = rows.width;
    if n == 0 {
        return Ok(());
    }
    rows.each(|d, s| {
        let (d, s) = (dst.wrapping_add(d as u64), src.wrapping_add(s as u64));
        match way {
            // SAFETY: a row of the host's side, by the contract.
            Direction::HostToDevice => unsafe {
                device.copy_h2d_async(DevicePtr(d), s as *const u8, n, stream)
            },
            // SAFETY: as above.
            Direction::DeviceToHost => unsafe {
                device.copy_d2h_async(d as *mut u8, DevicePtr(s), n, stream)
            },
            Direction::DeviceToDevice => device.copy_d2d(DevicePtr(d), DevicePtr(s), n, stream),
        }
    })
}
