//! Programs' data and regions on a device in host memory.

mod copies;
mod data;
mod fault;
mod host;
mod json;
mod loose;
mod messages;
mod profile;
mod region;
mod resident;
mod rows;
mod threads;
mod trace;

use std::ffi::{CStr, c_void};
use std::sync::Arc;

use super::Runtime;
use super::abi::{Kind, Map, SourcePlace};
use super::fake::Fake;
use super::report::Report;
use super::settings::Settings;

/// A runtime with this much memory, that keeps a record.
fn runtime(limit: usize) -> &'static Runtime {
    let settings = Settings {
        profile: true,
        ..Settings::default()
    };
    let device = Arc::new(Fake::new(limit));
    Box::leak(Box::new(Runtime::new(device, 0, Report::new(&settings))))
}

fn place(line: u32) -> SourcePlace {
    SourcePlace {
        file: "t.c".to_string(),
        line,
        column: 0,
    }
}

/// A map of a part of an array.
fn map(array: &[f64], kind: Kind, flags: u32, name: &'static CStr) -> Map {
    Map {
        host: array.as_ptr().cast_mut().cast(),
        bytes: size_of_val(array) as u64,
        kind: kind as u32,
        flags,
        name: name.as_ptr(),
        device: std::ptr::null_mut(),
    }
}

/// What is at a device address.
fn peek(device: *mut c_void, n: usize) -> Vec<f64> {
    // SAFETY: the tests ask for what is there.
    unsafe { std::slice::from_raw_parts(device.cast::<f64>(), n) }.to_vec()
}

/// Writes to a device address.
fn poke(device: *mut c_void, values: &[f64]) {
    // SAFETY: as above.
    unsafe { std::ptr::copy(values.as_ptr(), device.cast::<f64>(), values.len()) };
}
