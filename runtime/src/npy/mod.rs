//! Arrays in files: NumPy's `.npy` format, versions 1, 2 and 3
//! (<https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html>).
//!
//! Either byte order and either memory order is read; arrays arrive in this
//! machine's byte order and row-major. `bfloat16` has no code in the format: it
//! is stored as its bits, `<u2`, and a reader who wants it says so
//! ([`read_as`]). `index` is stored as `<i8`, `i1` as NumPy's `|b1`.
//!
//! A file is written beside its destination and renamed over it, so that no one
//! ever sees half of it.

mod header;

use std::fmt;
use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use terrace_support::unfinished::Unfinished;

use crate::buffer::{BufferError, HostBuffer, element_count};
use crate::dtype::DType;
use header::Header;

/// Why a file could not be read or written as an array.
#[derive(Debug)]
pub enum NpyError {
    /// The system refused; what was being done, and to which file.
    Io {
        doing: &'static str,
        path: Option<PathBuf>,
        error: io::Error,
    },
    /// The content is not what the format asks for: what was found, what is right.
    Format(String),
    /// A valid array of a kind that buffers do not have.
    Unsupported(String),
    /// An array that is not the one asked for.
    Mismatch(String),
    /// The array does not fit in memory.
    Buffer(BufferError),
    /// One of the above, in this file.
    InFile { path: PathBuf, error: Box<NpyError> },
}

impl fmt::Display for NpyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NpyError::Io {
                doing,
                path: Some(path),
                error,
            } => {
                write!(f, "cannot {doing} {}: {error}", path.display())
            }
            NpyError::Io {
                doing,
                path: None,
                error,
            } => write!(f, "cannot {doing}: {error}"),
            NpyError::Format(text) => write!(f, "not a valid .npy array: {text}"),
            NpyError::Unsupported(text) | NpyError::Mismatch(text) => f.write_str(text),
            NpyError::Buffer(error) => write!(f, "{error}"),
            NpyError::InFile { path, error } => write!(f, "{}: {error}", path.display()),
        }
    }
}

impl std::error::Error for NpyError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            NpyError::Io { error, .. } => Some(error),
            NpyError::Buffer(error) => Some(error),
            NpyError::InFile { error, .. } => Some(error),
            _ => None,
        }
    }
}

impl From<BufferError> for NpyError {
    fn from(error: BufferError) -> NpyError {
        NpyError::Buffer(error)
    }
}

/// Reads the array in a file.
///
/// # Errors
/// Each names the file. See [`NpyError`].
pub fn read(path: &Path) -> Result<HostBuffer, NpyError> {
    let io_error = |doing| {
        move |error| NpyError::Io {
            doing,
            path: Some(path.to_path_buf()),
            error,
        }
    };
    let mut file = File::open(path).map_err(io_error("open"))?;
    let metadata = file.metadata().map_err(io_error("read"))?;
    if metadata.is_dir() {
        return Err(NpyError::Mismatch(format!(
            "{} is a directory, expected a .npy file",
            path.display()
        )));
    }
    let result = if metadata.is_file() {
        read_from(&mut file, metadata.len())
    } else {
        // A pipe does not say how much is coming.
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(io_error("read"))?;
        parse(&bytes)
    };
    result.map_err(|error| NpyError::InFile {
        path: path.to_path_buf(),
        error: Box::new(error),
    })
}

/// Reads the array in a file as elements of `dtype`.
///
/// Beside the stored type itself this allows what is the same memory: integers
/// of the same width with another sign, `u2` for `bf16`, `i8` for `index`.
/// Numbers are never converted.
///
/// # Errors
/// As [`read`], and when the file holds something else than `dtype`.
pub fn read_as(path: &Path, dtype: DType) -> Result<HostBuffer, NpyError> {
    let buffer = read(path)?;
    let found = buffer.dtype();
    let same_memory = match (found, dtype) {
        (found, wanted) if found == wanted => true,
        (DType::U16, DType::BF16) => true,
        (DType::I1, _) | (_, DType::I1) => false,
        (found, wanted) => !found.is_float() && !wanted.is_float() && found.size() == wanted.size(),
    };
    if !same_memory {
        return Err(NpyError::Mismatch(format!(
            "{} holds {} (numpy {}), expected {dtype} (numpy {}); convert it with `a.astype('{}')`",
            path.display(),
            found,
            header::descr(found),
            header::descr(dtype),
            header::descr(dtype).trim_start_matches(['<', '|']),
        )));
    }
    Ok(buffer.reinterpret(dtype)?)
}

/// Reads an array from the bytes of a `.npy` file.
///
/// # Errors
/// See [`NpyError`].
pub fn parse(bytes: &[u8]) -> Result<HostBuffer, NpyError> {
    read_from(&mut &bytes[..], bytes.len() as u64)
}

/// Reads an array from a source that holds `length` bytes in all. Nothing is
/// allocated for the elements before the header's claims agree with `length`.
fn read_from(source: &mut impl Read, length: u64) -> Result<HostBuffer, NpyError> {
    let mut source = source.take(length);
    let header = Header::read(&mut source)?;
    let too_large = || {
        NpyError::Buffer(BufferError::TooLarge {
            shape: header.shape.clone(),
            dtype: header.dtype,
        })
    };
    let elements = element_count(&header.shape).ok_or_else(too_large)?;
    let size = header.dtype.size();
    let expected = elements.checked_mul(size).ok_or_else(too_large)? as u64;
    if source.limit() != expected {
        return Err(NpyError::Format(format!(
            "the header announces {elements} elements of {size} bytes, {expected} bytes, \
             and {} bytes follow it",
            source.limit()
        )));
    }
    let mut buffer = HostBuffer::zeros(header.dtype, &header.shape)?;
    source
        .read_exact(buffer.bytes_mut())
        .map_err(|error| NpyError::Io {
            doing: "read the elements",
            path: None,
            error,
        })?;
    if header.big_endian != cfg!(target_endian = "big") && size > 1 {
        for element in buffer.bytes_mut().chunks_exact_mut(size) {
            element.reverse();
        }
    }
    if header.dtype == DType::I1 {
        // Code that loads an i1 may rely on 0 or 1.
        for byte in buffer.bytes_mut() {
            *byte = u8::from(*byte != 0);
        }
    }
    if header.fortran_order && header.shape.len() > 1 {
        buffer = to_row_major(&buffer)?;
    }
    Ok(buffer)
}

/// Reorders elements stored first-dimension-fastest; the shape stays.
fn to_row_major(buffer: &HostBuffer) -> Result<HostBuffer, NpyError> {
    let shape = buffer.shape().to_vec();
    let size = buffer.dtype().size();
    let mut result = HostBuffer::zeros(buffer.dtype(), &shape)?;
    if buffer.is_empty() {
        return Ok(result);
    }
    let mut stride = size;
    let strides: Vec<usize> = shape
        .iter()
        .map(|&d| {
            let this = stride;
            stride *= d;
            this
        })
        .collect();
    let source = buffer.bytes();
    let mut subscripts = vec![0usize; shape.len()];
    let mut from = 0;
    for element in result.bytes_mut().chunks_exact_mut(size) {
        element.copy_from_slice(&source[from..from + size]);
        // The next subscripts in row-major order: count up from the last one.
        for d in (0..shape.len()).rev() {
            subscripts[d] += 1;
            from += strides[d];
            if subscripts[d] < shape[d] {
                break;
            }
            from -= strides[d] * shape[d];
            subscripts[d] = 0;
        }
    }
    Ok(result)
}

/// The bytes of a `.npy` file before the elements, for this array.
pub fn header_bytes(buffer: &HostBuffer) -> Vec<u8> {
    header::encode(buffer.dtype(), buffer.shape())
}

/// Writes an array to a file: version 1 of the format (2 if the header needs
/// it), little endian, row-major. The file appears complete or not at all; one
/// that was there before stays until then. A destination that is not a regular
/// file, such as `/dev/stdout`, is written to directly.
///
/// # Errors
/// [`NpyError::Io`].
pub fn write(path: &Path, buffer: &HostBuffer) -> Result<(), NpyError> {
    let io_error = |doing| {
        move |error| NpyError::Io {
            doing,
            path: Some(path.to_path_buf()),
            error,
        }
    };
    let existing = fs::metadata(path).ok();
    if let Some(metadata) = &existing
        && !metadata.is_file()
    {
        let file = fs::OpenOptions::new()
            .write(true)
            .open(path)
            .map_err(io_error("open"))?;
        return write_to(file, buffer).map(drop).map_err(io_error("write"));
    }
    // Through a symbolic link, so that the link stays one.
    let target = match &existing {
        Some(_) => fs::canonicalize(path).map_err(io_error("open"))?,
        None => path.to_path_buf(),
    };
    let Some(name) = target.file_name() else {
        return Err(NpyError::Mismatch(format!(
            "`{}` is not a file name",
            path.display()
        )));
    };
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let mut temporary_name = std::ffi::OsString::from(".");
    temporary_name.push(name);
    temporary_name.push(format!(
        ".{}.{}.tmp",
        std::process::id(),
        COUNTER.fetch_add(1, Ordering::Relaxed)
    ));
    let temporary = target.with_file_name(temporary_name);
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    let made = Unfinished::file(&temporary, &options);
    let (file, _unfinished) = made.map_err(io_error("write"))?;
    let written = write_to(file, buffer)
        .and_then(|file| file.sync_all())
        .and_then(|()| match &existing {
            Some(metadata) => fs::set_permissions(&temporary, metadata.permissions()),
            None => Ok(()),
        })
        .and_then(|()| fs::rename(&temporary, &target));
    if written.is_err() {
        // The error that matters is the first one.
        let _ = fs::remove_file(&temporary);
    }
    written.map_err(io_error("write"))
}

fn write_to(file: File, buffer: &HostBuffer) -> io::Result<File> {
    let mut out = BufWriter::with_capacity(1 << 16, file);
    out.write_all(&header_bytes(buffer))?;
    let size = buffer.dtype().size();
    if cfg!(target_endian = "little") || size == 1 {
        out.write_all(buffer.bytes())?;
    } else {
        for element in buffer.bytes().chunks_exact(size) {
            let mut swapped = [0u8; 8];
            swapped[..size].copy_from_slice(element);
            swapped[..size].reverse();
            out.write_all(&swapped[..size])?;
        }
    }
    out.into_inner().map_err(|error| error.into_error())
}

#[cfg(test)]
mod tests;
