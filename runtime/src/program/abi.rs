//! The structures that compiled programs pass, as `include/terrace.h` declares them.

use std::borrow::Cow;
use std::ffi::{CStr, c_char, c_int, c_longlong, c_uint, c_ulonglong, c_void};
use std::fmt;

/// The number in [`Region::abi`] that this runtime understands.
pub const ABI: u32 = 5;

/// A parameter of a kernel.
#[repr(C)]
#[derive(Debug)]
pub struct Param {
    /// What the program calls it; may be null.
    pub name: *const c_char,
    pub bytes: c_uint,
    /// The alignment in bytes that the kernel takes an address to have; 1 for what is none.
    pub align: c_uint,
    /// The one that its fallback does.
    pub fallback_align: c_uint,
    pub pad: c_uint,
}

/// A kernel of an image.
#[repr(C)]
#[derive(Debug)]
pub struct Kernel {
    pub name: *const c_char,
    pub params: *const Param,
    pub num_params: c_uint,
    /// [`COOPERATIVE`] or 0.
    pub flags: c_uint,
    /// A kernel that does the same and takes less of addresses; may be null.
    pub fallback: *const c_char,
    /// What launches must keep to, as
    /// [`terrace_ptx::launch::Indices::from_words`] reads it; none where indices have 64
    /// bits.
    pub indices: *const c_longlong,
    pub num_indices: c_ulonglong,
}

/// In [`Kernel::flags`]: blocks wait for each other. A launch has no more of them along x than
/// the device has room for at a time.
pub const COOPERATIVE: u32 = 1;

/// The device code of one object file.
#[repr(C)]
#[derive(Debug)]
pub struct Image {
    /// PTX text.
    pub ptx: *const c_char,
    /// Its length; a NUL at the end may be counted or not.
    pub ptx_bytes: c_ulonglong,
    pub kernels: *const Kernel,
    pub num_kernels: c_uint,
    pub pad: c_uint,
    /// The runtime's own.
    pub loaded: *mut c_void,
}

/// A place in the source.
#[repr(C)]
#[derive(Debug)]
pub struct Site {
    pub file: *const c_char,
    pub line: c_uint,
    pub column: c_uint,
}

/// The packed entry of a region: 0, or 1 more than the index of the site that failed.
pub type Entry = unsafe extern "C" fn(*mut c_ulonglong) -> c_int;

/// What a region is on newer devices.
#[repr(C)]
#[derive(Debug)]
pub struct Version {
    /// The least compute capability, 10 * major + minor.
    pub sm: c_uint,
    /// [`SPECIFIC`], [`FAMILY`] or 0.
    pub flags: c_uint,
    pub gpu: Option<Entry>,
    pub image: *mut Image,
}

/// In [`Version::flags`]: for devices of exactly this capability (`sm_90a`).
pub const SPECIFIC: u32 = 1;
/// For those of the same major one, from it on (`sm_100f`).
pub const FAMILY: u32 = 2;

impl Version {
    /// Whether devices of compute capability `major.minor` run it.
    pub fn fits(&self, (major, minor): (u32, u32)) -> bool {
        let capability = major * 10 + minor;
        let there = match self.flags {
            0 => true,
            SPECIFIC => capability == self.sm,
            FAMILY => self.sm / 10 == major,
            // Of a later terrace.
            _ => false,
        };
        there && self.sm <= capability && self.gpu.is_some()
    }
}

/// A region that can run somewhere else than in the program's own C code.
#[repr(C)]
#[derive(Debug)]
pub struct Region {
    pub abi: c_uint,
    pub flags: c_uint,
    pub name: *const c_char,
    pub file: *const c_char,
    pub line: c_uint,
    pub column: c_uint,
    pub cpu: Option<Entry>,
    /// What `cpu` is on machines that have the instructions of x86-64-v3.
    pub cpu_v3: Option<Entry>,
    pub gpu: Option<Entry>,
    pub image: *mut Image,
    pub sites: *const Site,
    pub num_sites: c_ulonglong,
    /// Oldest first; `gpu` and `image` are for devices that none of them is for.
    pub versions: *const Version,
    pub num_versions: c_ulonglong,
}

/// In [`Region::flags`]: the region runs on the cores where nothing else is said.
pub const ON_CPU: u32 = 1;
/// In [`Region::flags`]: on the cores subnormal numbers are zero in it.
pub const FLUSH: u32 = 2;

/// One section of memory in a data clause.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Map {
    /// The first byte of the section; for attach and detach, the pointer.
    pub host: *mut c_void,
    pub bytes: c_ulonglong,
    /// A [`Kind`].
    pub kind: c_uint,
    /// Of [`WRITTEN`], [`IMPLICIT`], [`FINALIZE`], [`DYNAMIC`], [`ZERO`], [`ROWS`],
    /// [`ALWAYS_IN`], [`ALWAYS_OUT`], [`LOOSE`], [`DEFER`], [`RESIDENT`].
    pub flags: c_uint,
    pub name: *const c_char,
    /// Filled when the data is entered: where the section is on the device.
    pub device: *mut c_void,
}

/// The region writes the section.
pub const WRITTEN: u32 = 1;
/// The clause comes from the analysis, not from the user.
pub const IMPLICIT: u32 = 2;
/// `exit data finalize`.
pub const FINALIZE: u32 = 4;
/// Of `enter data`, `exit data` or a function of the interface, not of a construct.
pub const DYNAMIC: u32 = 8;
/// `copyout(zero: a)`, `create(zero: a)`: new data begins as zeros.
pub const ZERO: u32 = 16;
/// Not memory by itself, but the same part of each row that the pointers in the map
/// before point to: `host` is the distance of its first byte from where they point.
pub const ROWS: u32 = 32;
/// `always` and `alwaysin`: the host's values are copied even where it is present.
pub const ALWAYS_IN: u32 = 64;
/// `always` and `alwaysout`: they are copied back even where it stays present.
pub const ALWAYS_OUT: u32 = 128;
/// The section may reach beyond the program's arrays: only what can be read of it is copied,
/// and only what changed is copied back. Before it is entered `device` is an address in it
/// that is in the array, if the region uses any of it, or null.
pub const LOOSE: u32 = 256;
/// What the region leaves of the section may stay on the device: the program says what its own
/// code uses from then on. Before it is entered `device` is the number of the class of pointers
/// that lead to the array.
pub const DEFER: u32 = 512;
/// The runtime's own: it stays there.
pub const RESIDENT: u32 = 1024;
/// From this bit on, a number: sections of one that is not 0 may be the same memory from
/// the first byte to the last.
pub const GROUP: u32 = 16;
/// From this bit on, a number: sections of one that is not 0 are parts of one object by their
/// names.
pub const OBJECT: u32 = 24;

/// What a clause does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Copy,
    CopyIn,
    CopyOut,
    Create,
    Present,
    NoCreate,
    Delete,
    DevicePtr,
    UpdateHost,
    UpdateDevice,
    Attach,
    Detach,
    FirstPrivate,
}

impl Kind {
    /// All, at the index that C code gives.
    pub const ALL: [Kind; 13] = [
        Kind::Copy,
        Kind::CopyIn,
        Kind::CopyOut,
        Kind::Create,
        Kind::Present,
        Kind::NoCreate,
        Kind::Delete,
        Kind::DevicePtr,
        Kind::UpdateHost,
        Kind::UpdateDevice,
        Kind::Attach,
        Kind::Detach,
        Kind::FirstPrivate,
    ];

    /// The clause as it is written.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Copy => "copy",
            Kind::CopyIn => "copyin",
            Kind::CopyOut => "copyout",
            Kind::Create => "create",
            Kind::Present => "present",
            Kind::NoCreate => "no_create",
            Kind::Delete => "delete",
            Kind::DevicePtr => "deviceptr",
            Kind::UpdateHost => "update host",
            Kind::UpdateDevice => "update device",
            Kind::Attach => "attach",
            Kind::Detach => "detach",
            Kind::FirstPrivate => "firstprivate",
        }
    }

    /// Whether new data begins with the host's values.
    pub fn copies_in(self) -> bool {
        matches!(self, Kind::Copy | Kind::CopyIn)
    }

    /// Whether the host gets the values when the data ends.
    pub fn copies_out(self) -> bool {
        matches!(self, Kind::Copy | Kind::CopyOut)
    }
}

/// A number of bytes or elements: addresses and sizes are words of 64 bits, in the
/// interface and on every machine that this is built for.
pub fn size(n: u64) -> usize {
    const { assert!(usize::BITS == 64) };
    n as usize
}

impl Map {
    /// The clause.
    ///
    /// # Errors
    /// For a number that is none.
    pub fn kind(&self) -> Result<Kind, String> {
        let kind = usize::try_from(self.kind)
            .ok()
            .and_then(|k| Kind::ALL.get(k));
        kind.copied()
            .ok_or_else(|| format!("found {} as the kind of a data clause", self.kind))
    }

    /// Whether a flag is set.
    pub fn is(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }

    /// The number of the sections that may be the same memory as this one, whole; 0 for none.
    pub fn group(&self) -> u32 {
        (self.flags >> GROUP) & 255
    }

    /// The number of the object that the section is part of; 0 where its name tells none.
    pub fn object(&self) -> u32 {
        self.flags >> OBJECT
    }

    /// The address of the first byte, and of the byte behind the last.
    pub fn range(&self) -> (u64, u64) {
        let start = self.host as u64;
        (start, start.saturating_add(self.bytes))
    }

    /// The variable as the program writes it.
    pub fn name(&self) -> Cow<'_, str> {
        // SAFETY: by the interface null or text that lives as long as the map.
        match unsafe { text(self.name) } {
            Some(name) if !name.is_empty() => name,
            _ => Cow::Borrowed("an array"),
        }
    }
}

/// A C string as text; `None` of a null pointer.
///
/// # Safety
/// Null, or ends in a NUL and lives for `'a`.
pub unsafe fn text<'a>(pointer: *const c_char) -> Option<Cow<'a, str>> {
    if pointer.is_null() {
        return None;
    }
    // SAFETY: by the contract.
    Some(unsafe { CStr::from_ptr(pointer) }.to_string_lossy())
}

/// A place in the source, for messages. Line and column 0 are not known.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SourcePlace {
    pub file: String,
    pub line: u32,
    pub column: u32,
}

impl SourcePlace {
    /// A place from what C code passes.
    ///
    /// # Safety
    /// `file` is null or a C string.
    pub unsafe fn new(file: *const c_char, line: u32, column: u32) -> SourcePlace {
        SourcePlace {
            // SAFETY: by the contract.
            file: unsafe { text(file) }.unwrap_or_default().into_owned(),
            line,
            column,
        }
    }

    /// The place of a call of the interface, which has none but its name.
    pub fn call(name: &str) -> SourcePlace {
        SourcePlace {
            file: name.to_string(),
            line: 0,
            column: 0,
        }
    }
}

impl fmt::Display for SourcePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.file.is_empty() {
            true => f.write_str("terrace")?,
            false => f.write_str(&self.file)?,
        }
        if self.line != 0 {
            write!(f, ":{}", self.line)?;
            if self.column != 0 {
                write!(f, ":{}", self.column)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_for_their_devices() {
        unsafe extern "C" fn nothing(_: *mut c_ulonglong) -> c_int {
            0
        }
        let fits = |sm, flags, capability| {
            let gpu: Option<Entry> = Some(nothing);
            let image = std::ptr::null_mut();
            let v = Version {
                sm,
                flags,
                gpu,
                image,
            };
            v.fits(capability)
        };
        assert!(fits(80, 0, (8, 0)) && fits(80, 0, (8, 9)) && fits(80, 0, (12, 0)));
        assert!(!fits(80, 0, (7, 5)));
        assert!(fits(90, SPECIFIC, (9, 0)) && !fits(90, SPECIFIC, (10, 0)));
        assert!(fits(100, FAMILY, (10, 3)) && !fits(103, FAMILY, (10, 0)));
        assert!(!fits(100, FAMILY, (12, 0)) && !fits(75, 4, (9, 0)));
    }
}
