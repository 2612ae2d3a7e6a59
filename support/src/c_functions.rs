//! Functions of C libraries that programs call by name.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::Path;

unsafe extern "C" {
    fn dlopen(name: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
    fn dlerror() -> *const c_char;
}

/// Resolve all symbols of a library when it is opened.
const RTLD_NOW: c_int = 2;

/// The most arguments of a function.
pub const MOST: usize = 8;

/// Libraries that were opened. They stay until the process ends.
#[derive(Debug, Clone, Default)]
pub struct Libraries(Vec<usize>);

impl Libraries {
    /// Opens a library beside those there are.
    ///
    /// # Errors
    ///
    /// What the system says of it.
    ///
    /// # Safety
    ///
    /// What the library does when it is opened is sound, and so is each call of its functions, and of
    /// those of libraries that it uses, that a program with these libraries makes.
    pub unsafe fn open(&mut self, path: &Path) -> Result<(), String> {
        let name = CString::new(path.as_os_str().as_encoded_bytes());
        let name = name.map_err(|_| format!("'{}' is no name of a file", path.display()))?;
        // SAFETY: the name is a C string, and the caller answers for the library.
        let library = unsafe { dlopen(name.as_ptr(), RTLD_NOW) };
        if library.is_null() {
            // SAFETY: the call gives null or a C string, which is copied at once.
            let said = unsafe {
                let text = dlerror();
                (!text.is_null()).then(|| CStr::from_ptr(text).to_string_lossy().into_owned())
            };
            return Err(said.unwrap_or_else(|| format!("cannot open '{}'", path.display())));
        }
        self.0.push(library as usize);
        Ok(())
    }

    /// The address of a function, in the first library that has it.
    pub fn address(&self, name: &str) -> Option<usize> {
        let name = CString::new(name).ok()?;
        let found = self.0.iter().map(|library| {
            // SAFETY: the library is open, and the name is a C string.
            unsafe { dlsym(*library as *mut c_void, name.as_ptr()) as usize }
        });
        found.into_iter().find(|address| *address != 0)
    }
}

macro_rules! callers {
    ($($(#[$doc:meta])* $name:ident: $ty:ty;)*) => { $(
        $(#[$doc])*
        ///
        /// `None` with more than [`MOST`] arguments.
        ///
        /// # Safety
        ///
        /// The address is that of a C function with so many arguments of this type and a result of it,
        /// which is sound to call with any numbers.
        pub unsafe fn $name(address: usize, args: &[$ty]) -> Option<$ty> {
            type T = $ty;
            macro_rules! as_type {
                ($f:ty) => {
                    // SAFETY: by the contract.
                    unsafe { std::mem::transmute::<usize, $f>(address) }
                };
            }
            Some(match *args {
                [] => as_type!(extern "C" fn() -> T)(),
                [a] => as_type!(extern "C" fn(T) -> T)(a),
                [a, b] => as_type!(extern "C" fn(T, T) -> T)(a, b),
                [a, b, c] => as_type!(extern "C" fn(T, T, T) -> T)(a, b, c),
                [a, b, c, d] => as_type!(extern "C" fn(T, T, T, T) -> T)(a, b, c, d),
                [a, b, c, d, e] => as_type!(extern "C" fn(T, T, T, T, T) -> T)(a, b, c, d, e),
                [a, b, c, d, e, f] => {
                    as_type!(extern "C" fn(T, T, T, T, T, T) -> T)(a, b, c, d, e, f)
                }
                [a, b, c, d, e, f, g] => {
                    as_type!(extern "C" fn(T, T, T, T, T, T, T) -> T)(a, b, c, d, e, f, g)
                }
                [a, b, c, d, e, f, g, h] => {
                    as_type!(extern "C" fn(T, T, T, T, T, T, T, T) -> T)(a, b, c, d, e, f, g, h)
                }
                _ => return None,
            })
        }
    )* };
}

callers! {
    /// Calls a function of `double`.
    call_f64: f64;
    /// Calls a function of `float`.
    call_f32: f32;
}
