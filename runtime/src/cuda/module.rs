//! Compiling PTX in the driver.
//!
//! The driver's linker makes the code as bytes. With a cache on disk they are kept, and the
//! next time they are loaded as they are. Whatever of that does not work, the driver loads
//! the text itself.
//!
//! The linker's code is not that of loading the text: its assembler compiles for linking and
//! then takes other numbers of registers. So it makes the code where there is no cache too;
//! a program's speed must not depend on that.

use std::ffi::{CStr, CString, c_char, c_uint, c_void};

use cudarc::driver::sys;
use sys::CUjit_option_enum as JitOption;

use super::driver::{Driver, Link};
use crate::cache::{Cache, Key};
use crate::device::{DeviceError, DeviceInfo};

/// Bytes for each of the compiler's logs.
const LOG_BYTES: usize = 1 << 16;
/// Lines of the module quoted below its log.
const MAX_LINES: usize = 8;

/// What the driver is told beside the text, for the keys of the cache.
const OPTIONS: &str = "lineinfo";

/// Loads a module into the current context: its code from the cache, or made of the text and
/// kept in the cache then.
///
/// # Errors
/// As [`load`].
pub(super) fn load_cached(
    driver: &Driver,
    ptx: &str,
    info: &DeviceInfo,
    cache: Option<&Cache>,
) -> Result<sys::CUmodule, DeviceError> {
    let Some(link) = &driver.link else {
        return load(driver, ptx);
    };
    let kept = cache.map(|cache| {
        (
            cache,
            Key::new(ptx, &info.architecture(), &version(info), OPTIONS),
        )
    });
    if let Some((cache, key)) = &kept
        && let Some(code) = cache.load(key)
    {
        if let Some(module) = load_code(driver, &code) {
            return Ok(module);
        }
        // Whole, and still not what the driver wants.
        cache.remove(key);
    }
    let code = compile(link, ptx);
    let loaded = code.and_then(|code| Some((load_code(driver, &code)?, code)));
    match loaded {
        Some((module, code)) => {
            if let Some((cache, key)) = &kept {
                cache.save(key, &entries(ptx), &code);
            }
            Ok(module)
        }
        // The plain way says what is wrong with the text, or works where this does not.
        None => load(driver, ptx),
    }
}

/// The driver's version, as exactly as it can be known: each build may compile
/// differently.
fn version(info: &DeviceInfo) -> String {
    let text = std::fs::read_to_string("/proc/driver/nvidia/version").unwrap_or_default();
    let line = text.lines().next().unwrap_or_default();
    format!("CUDA {} {line}", info.driver_version)
}

/// Loads code that is not text.
fn load_code(driver: &Driver, code: &[u8]) -> Option<sys::CUmodule> {
    // The driver reads as far as the image says, which the checksum of an entry vouches
    // for; it wants it aligned as an ELF file is.
    let mut aligned = vec![0u64; code.len().div_ceil(8)];
    // SAFETY: there is at least as much room, and the two do not overlap.
    unsafe {
        std::ptr::copy_nonoverlapping(code.as_ptr(), aligned.as_mut_ptr().cast(), code.len());
    }
    let mut module: sys::CUmodule = std::ptr::null_mut();
    // SAFETY: code that the driver's linker made; no options.
    let code = unsafe {
        (driver.module_load_data_ex)(
            &mut module,
            aligned.as_ptr().cast(),
            0,
            std::ptr::null_mut(),
            std::ptr::null_mut(),
        )
    };
    (code == 0 && !module.is_null()).then_some(module)
}

/// The code of a text for the current context's device; none if anything goes wrong.
fn compile(link: &Link, ptx: &str) -> Option<Vec<u8>> {
    const NAME: &CStr = c"terrace";
    let text = CString::new(ptx).ok()?;
    let mut options = [JitOption::CU_JIT_GENERATE_LINE_INFO as c_uint];
    let mut values = [std::ptr::without_provenance_mut::<c_void>(1)];
    let mut state: sys::CUlinkState = std::ptr::null_mut();
    // SAFETY: one option with its value, which live until the state is destroyed.
    let created =
        unsafe { (link.create)(1, options.as_mut_ptr(), values.as_mut_ptr(), &mut state) };
    if created != 0 {
        return None;
    }
    let (mut code, mut size): (*mut c_void, usize) = (std::ptr::null_mut(), 0);
    // SAFETY: the text ends in NUL, which is counted as the driver's manual wants; it is
    // only read. The code belongs to the state, and is copied before that goes.
    unsafe {
        let added = (link.add_data)(
            state,
            sys::CUjitInputType_enum::CU_JIT_INPUT_PTX as u32,
            text.as_ptr().cast_mut().cast(),
            text.as_bytes_with_nul().len(),
            NAME.as_ptr().cast::<c_char>(),
            0,
            std::ptr::null_mut(),
            std::ptr::null_mut(),
        );
        let done = added == 0 && (link.complete)(state, &mut code, &mut size) == 0;
        let copied = (done && !code.is_null())
            .then(|| std::slice::from_raw_parts(code.cast::<u8>(), size).to_vec());
        (link.destroy)(state);
        copied
    }
}

/// Compiles and loads a module into the current context.
///
/// # Errors
/// [`DeviceError::Jit`] when the text does not compile, [`DeviceError::Invalid`]
/// when it contains a NUL, else [`DeviceError::Driver`].
pub(super) fn load(driver: &Driver, ptx: &str) -> Result<sys::CUmodule, DeviceError> {
    let text = CString::new(ptx).map_err(|error| DeviceError::Invalid {
        operation: "load a module".to_string(),
        problem: format!(
            "the PTX text has a NUL character at byte {}",
            error.nul_position()
        ),
    })?;
    let mut info_log = vec![0u8; LOG_BYTES];
    let mut error_log = vec![0u8; LOG_BYTES];
    let mut options = [
        JitOption::CU_JIT_INFO_LOG_BUFFER as c_uint,
        JitOption::CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES as c_uint,
        JitOption::CU_JIT_ERROR_LOG_BUFFER as c_uint,
        JitOption::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES as c_uint,
        // The `.loc` lines of the text, for debuggers and profilers; it does
        // not change the code.
        JitOption::CU_JIT_GENERATE_LINE_INFO as c_uint,
    ];
    // Numbers are passed in the pointer itself.
    let mut values = [
        info_log.as_mut_ptr().cast::<c_void>(),
        LOG_BYTES as *mut c_void,
        error_log.as_mut_ptr().cast::<c_void>(),
        LOG_BYTES as *mut c_void,
        std::ptr::without_provenance_mut(1),
    ];
    let mut module: sys::CUmodule = std::ptr::null_mut();
    // SAFETY: the image is NUL-terminated text, there are as many values as
    // options, and the logs have the announced sizes and outlive the call.
    let code = unsafe {
        (driver.module_load_data_ex)(
            &mut module,
            text.as_ptr().cast(),
            options.len() as c_uint,
            options.as_mut_ptr(),
            values.as_mut_ptr(),
        )
    };
    if code == 0 {
        return Ok(module);
    }
    let (name, text) = driver.describe(code);
    let log = [text_of(&error_log), text_of(&info_log)]
        .join("\n")
        .trim()
        .to_string();
    let about_the_text = [
        sys::CUresult::CUDA_ERROR_INVALID_IMAGE,
        sys::CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU,
        sys::CUresult::CUDA_ERROR_INVALID_PTX,
        sys::CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
        sys::CUresult::CUDA_ERROR_INVALID_SOURCE,
    ]
    .iter()
    .any(|known| *known as u32 == code);
    if log.is_empty() && !about_the_text {
        return Err(DeviceError::Driver {
            operation: "load a module".to_string(),
            code,
            name,
            text,
        });
    }
    let lines = quoted_lines(&log, ptx);
    Err(DeviceError::Jit {
        name,
        text,
        log,
        lines,
    })
}

/// The text of a log up to its NUL.
fn text_of(log: &[u8]) -> String {
    let end = log.iter().position(|b| *b == 0).unwrap_or(log.len());
    String::from_utf8_lossy(&log[..end]).trim().to_string()
}

/// The lines of the module that a log refers to as `line N`.
fn quoted_lines(log: &str, ptx: &str) -> Vec<(usize, String)> {
    let mut lines: Vec<(usize, String)> = Vec::new();
    for part in log.split("line ").skip(1) {
        let digits: String = part.chars().take_while(char::is_ascii_digit).collect();
        let Ok(number) = digits.parse::<usize>() else {
            continue;
        };
        let known = lines.iter().any(|(n, _)| *n == number);
        if number == 0 || known || lines.len() == MAX_LINES {
            continue;
        }
        if let Some(line) = ptx.lines().nth(number - 1) {
            lines.push((number, line.to_string()));
        }
    }
    lines
}

/// The names of the kernels in a module's text, for error messages.
pub(super) fn entries(ptx: &str) -> Vec<String> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%');
    ptx.lines()
        .map(|line| line.split("//").next().unwrap_or_default())
        .flat_map(|line| line.split(".entry").skip(1))
        .map(|rest| {
            rest.trim_start()
                .chars()
                .take_while(|c| is_name(*c))
                .collect()
        })
        .filter(|name: &String| !name.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_are_found_in_the_text() {
        let ptx = "// .entry no\n.visible .entry first(\n.param .u64 p)\n{ret;}\n.entry second (){ret;}\n.func helper(){ret;}";
        assert_eq!(entries(ptx), ["first", "second"]);
        assert!(entries("").is_empty());
    }

    #[test]
    fn the_log_is_quoted_from_the_text() {
        let log = "ptxas application ptx input, line 2; error : x\nptxas ..., line 2; y\n line 99; line x";
        assert_eq!(
            quoted_lines(log, "a\nbad line\nc"),
            [(2, "bad line".to_string())]
        );
        assert_eq!(text_of(b"  hello\n\0rest"), "hello");
        assert_eq!(text_of(b"full"), "full");
    }
}
