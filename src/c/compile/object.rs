//! The object file of a file's regions.

use super::forms::Forms;
use super::{CompileOptions, RegionInput, gpu, located};
use crate::ir::Context;
use crate::ir::diag::{DiagLoc, Diagnostic};
use crate::targets::native::{
    Listing, NativeOptions, ObjectCode, ObjectOptions, OptLevel, PackedEntry, RegionData,
};
use terrace_c::directive::Target;

/// The flag of a `struct terrace_region` that runs terrace's code for the CPU, unless the
/// environment says otherwise.
const ON_CPU: u32 = 1;
/// The one that takes subnormal numbers for zero in that code.
const FLUSH: u32 = 2;

/// Which form did not become machine code, of which region.
pub(super) enum Rejected {
    File(String),
    Cpu(usize, Vec<Diagnostic>),
    Gpu(usize, Vec<Diagnostic>),
    /// Of the region's versions for newer devices, this one.
    Version(usize, usize),
    Extents(usize, Vec<Diagnostic>),
    Estimate(usize),
}

/// The object file, and of each region the host's code as text: with
/// [`CompileOptions::listing`], of the form for the CPU and of the one that launches kernels.
///
/// # Errors
///
/// The first form that does not become machine code.
pub(super) fn write(
    ctx: &Context,
    regions: &[RegionInput],
    forms: &[Forms],
    options: &CompileOptions,
) -> Result<(Vec<u8>, Vec<[Listing; 2]>), Rejected> {
    let mut object = ObjectCode::new(&ObjectOptions {
        native: NativeOptions {
            opt_level: OptLevel::Speed,
            listing: options.listing,
            ..NativeOptions::default()
        },
        this_cpu: options.this_cpu,
        triple: None,
        source: options.source.clone(),
        entries: Vec::new(),
    })
    .map_err(Rejected::File)?;
    let mut listings = Vec::new();
    for (i, (region, form)) in regions.iter().zip(forms).enumerate() {
        let (data, listing) = add_region(&mut object, ctx, i, region, form, options)?;
        object.region(data);
        listings.push(listing);
    }
    let bytes = object.finish().map_err(Rejected::File)?;
    Ok((bytes, listings))
}

/// Adds the code of region `i` in all its forms; what the table of regions says of it, and the
/// code of its forms for the CPU and the GPU as text.
fn add_region(
    object: &mut ObjectCode,
    ctx: &Context,
    i: usize,
    region: &RegionInput,
    form: &Forms,
    options: &CompileOptions,
) -> Result<(RegionData, [Listing; 2]), Rejected> {
    let mut listing = [Listing::default(), Listing::default()];
    let entry = |of: &str| PackedEntry {
        function: region.function.clone(),
        symbol: format!("terrace_{}_{of}", region.symbol),
        behind: 0,
    };
    let on_cores = |of: &str| PackedEntry {
        behind: match form.made.slices {
            Some(_) => 2,
            None => 0,
        },
        ..entry(of)
    };
    let (file, line, column) = place(&region.place);
    let mut data = RegionData {
        symbol: format!("terrace_{}", region.symbol),
        name: region.function.clone(),
        file,
        line,
        column,
        flags: match region.target {
            Some(Target::Cpu) => ON_CPU,
            _ => 0,
        } | match options.flush_subnormals {
            true => FLUSH,
            false => 0,
        },
        ..RegionData::default()
    };
    if let Some(part) = form.cpu {
        let e = on_cores("cpu");
        object
            .add(ctx, part, std::slice::from_ref(&e))
            .map_err(|why| Rejected::Cpu(i, located(ctx, why)))?;
        data.cpu = Some(e.symbol);
        listing[0] = object.take_listing();
        if !options.this_cpu {
            let e = on_cores("cpu_v3");
            let made = object
                .add_v3(ctx, part, std::slice::from_ref(&e))
                .map_err(|why| Rejected::Cpu(i, located(ctx, why)))?;
            data.cpu_v3 = made.then_some(e.symbol);
            object.take_listing();
        }
    }
    if let Some((part, image)) = &form.gpu {
        let e = entry("gpu");
        let kernels = object
            .add(ctx, *part, std::slice::from_ref(&e))
            .map_err(|why| Rejected::Gpu(i, located(ctx, why)))?;
        let image = gpu::in_order(image, &kernels)
            .map_err(|m| Rejected::Gpu(i, vec![Diagnostic::error(region.place.clone(), m)]))?;
        data.gpu = Some(e.symbol);
        listing[1] = object.take_listing();
        data.image = (!image.kernels.is_empty()).then_some(image);
    }
    for (j, version) in form.versions.iter().enumerate() {
        let e = PackedEntry {
            function: region.function.clone(),
            symbol: version.symbol(&region.symbol),
            behind: 0,
        };
        let kernels = object
            .add(ctx, version.part, std::slice::from_ref(&e))
            .map_err(|_| Rejected::Version(i, j))?;
        let image = gpu::in_order(&version.image, &kernels);
        let image = image.map_err(|_| Rejected::Version(i, j))?;
        data.versions.push(version.data(e.symbol, image));
    }
    if let Some((part, name)) = &form.extents {
        let e = PackedEntry {
            function: name.clone(),
            ..entry("extents")
        };
        object
            .add(ctx, *part, std::slice::from_ref(&e))
            .map_err(|why| Rejected::Extents(i, located(ctx, why)))?;
    }
    if let Some((part, name)) = &form.estimate {
        let e = PackedEntry {
            function: name.clone(),
            ..entry("estimate")
        };
        object
            .add(ctx, *part, std::slice::from_ref(&e))
            .map_err(|_| Rejected::Estimate(i))?;
    }
    // What is beside the forms is not asked for.
    object.take_listing();
    Ok((data, listing))
}

fn place(loc: &DiagLoc) -> (String, u32, u32) {
    match loc {
        DiagLoc::Pos { file, line, column } => (file.to_string(), *line, *column),
        _ => (String::new(), 0, 0),
    }
}
