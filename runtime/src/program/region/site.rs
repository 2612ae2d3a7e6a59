//! Names and places of regions and their ops, and whether a region is one of ours.

use crate::program::abi::{self, Region, SourcePlace, text};

/// The region's name and place.
///
/// # Safety
/// The region's strings are as in `terrace.h`.
pub unsafe fn describe(region: &Region) -> (String, SourcePlace) {
    // SAFETY: by the contract.
    unsafe {
        let name = text(region.name).unwrap_or_default().into_owned();
        (
            name,
            SourcePlace::new(region.file, region.line, region.column),
        )
    }
}

/// The place of the op that a packed entry's result names; the region's where it names
/// none.
///
/// # Safety
/// The region's sites are as in `terrace.h`.
pub(super) unsafe fn site(region: &Region, code: i32, otherwise: &SourcePlace) -> SourcePlace {
    let index = u64::from(code.unsigned_abs()).wrapping_sub(1);
    if code <= 0 || index >= region.num_sites || region.sites.is_null() {
        return otherwise.clone();
    }
    // SAFETY: below the number of sites.
    let site = unsafe { &*region.sites.add(index as usize) };
    // SAFETY: by the contract.
    let place = unsafe { SourcePlace::new(site.file, site.line, site.column) };
    match place.file.is_empty() {
        true => otherwise.clone(),
        false => place,
    }
}

/// Checks that a region is one of ours.
///
/// # Errors
/// When it was made for another version of this interface.
///
/// # Safety
/// The region is as in `terrace.h`.
pub unsafe fn check(region: &Region) -> Result<(), String> {
    if region.abi == abi::ABI {
        return Ok(());
    }
    // The rest cannot be trusted to be where it is looked for.
    Err(format!(
        "terrace: a region was compiled for version {} of the runtime's interface, this is {}: \
         compile all files again",
        region.abi,
        abi::ABI
    ))
}
