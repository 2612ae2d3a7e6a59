//! What an object file tells the runtime of its regions, as C data.
//!
//! The layouts are those of a 64-bit little-endian C ABI:
//!
//! ```c
//! struct terrace_param  { const char *name; unsigned bytes, align, fallback_align, pad; };
//! struct terrace_kernel { const char *name; const struct terrace_param *params;
//!                         unsigned num_params, flags; const char *fallback;
//!                         const long long *indices; unsigned long long num_indices; };
//! struct terrace_image  { const char *ptx; unsigned long long ptx_bytes;
//!                         const struct terrace_kernel *kernels;
//!                         unsigned num_kernels, pad; void *loaded; };
//! struct terrace_site   { const char *file; unsigned line, column; };
//! struct terrace_version { unsigned sm, flags; int (*gpu)(unsigned long long *);
//!                          struct terrace_image *image; };
//! struct terrace_region { unsigned abi, flags; const char *name, *file;
//!                         unsigned line, column;
//!                         int (*cpu)(unsigned long long *);
//!                         int (*cpu_v3)(unsigned long long *);
//!                         int (*gpu)(unsigned long long *);
//!                         struct terrace_image *image;
//!                         const struct terrace_site *sites;
//!                         unsigned long long num_sites;
//!                         const struct terrace_version *versions;
//!                         unsigned long long num_versions; };
//! ```
//!
//! Regions have an image each; all of a file share its sites.

use super::code::Code;
use super::object::SiteData;
use cranelift_module::{DataDescription, DataId, FuncId, FuncOrDataId, Linkage};
use rustc_hash::FxHashMap;

/// The version of these layouts and of the calls between programs and the runtime.
pub const ABI: u32 = 5;

/// A region of a C program.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RegionData {
    /// Of the `struct terrace_region`.
    pub symbol: String,
    /// For people: `main.region0`.
    pub name: String,
    pub file: String,
    pub line: u32,
    pub column: u32,
    pub flags: u32,
    /// Symbols of its packed entries; null pointers where there are none.
    pub cpu: Option<String>,
    /// What `cpu` is on machines that have the instructions of x86-64-v3.
    pub cpu_v3: Option<String>,
    pub gpu: Option<String>,
    pub image: Option<GpuImage>,
    /// What `gpu` and `image` are on newer devices, oldest first.
    pub versions: Vec<RegionVersion>,
}

/// A region's code for devices from some compute capability on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RegionVersion {
    /// 10 times its major number plus the minor one.
    pub sm: u32,
    /// [`SPECIFIC`], [`FAMILY`] or 0.
    pub flags: u32,
    /// The symbol of the packed entry.
    pub gpu: String,
    pub image: Option<GpuImage>,
}

/// In [`RegionVersion::flags`]: for devices of exactly this capability.
pub const SPECIFIC: u32 = 1;
/// For those of the same major number.
pub const FAMILY: u32 = 2;

/// Kernels as the driver loads them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GpuImage {
    pub ptx: String,
    /// By the number that the launch callback gets.
    pub kernels: Vec<ImageKernel>,
}

/// An entry of the PTX text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ImageKernel {
    pub name: String,
    pub params: Vec<ImageParam>,
    /// The entry that runs in its place where addresses are not aligned as it takes them
    /// to be.
    pub fallback: Option<String>,
    /// What launches must keep to, where indices have 32 bits, as words.
    pub indices: Vec<i64>,
    /// Its blocks wait for each other.
    pub cooperative: bool,
}

/// In a kernel's flags: its blocks wait for each other.
pub const COOPERATIVE: u32 = 1;

/// A parameter of an entry.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ImageParam {
    /// What the program calls it.
    pub name: Option<String>,
    pub bytes: u32,
    /// The alignment in bytes that the entry takes an address to have; 1 for what is none.
    pub align: u32,
    /// The one that its fallback does.
    pub fallback_align: u32,
}

type R<T = ()> = Result<T, String>;

/// A C structure in the making.
#[derive(Default)]
struct Record {
    bytes: Vec<u8>,
    data: Vec<(u32, DataId)>,
    functions: Vec<(u32, FuncId)>,
}

impl Record {
    fn u32(&mut self, v: u32) {
        self.bytes.extend(v.to_le_bytes());
    }

    fn u64(&mut self, v: u64) {
        self.bytes.extend(v.to_le_bytes());
    }

    /// A pointer; null for `None`.
    fn pointer(&mut self, to: Option<DataId>) {
        if let Some(id) = to {
            self.data.push((self.bytes.len() as u32, id));
        }
        self.u64(0);
    }

    fn function(&mut self, to: Option<FuncId>) {
        if let Some(id) = to {
            self.functions.push((self.bytes.len() as u32, id));
        }
        self.u64(0);
    }

    fn description(self, code: &Code) -> DataDescription {
        let mut d = DataDescription::new();
        d.set_align(8);
        d.define(self.bytes.into_boxed_slice());
        for (at, id) in self.data {
            let value = code.declare_data_in_data(id, &mut d);
            d.write_data_addr(at, value, 0);
        }
        for (at, id) in self.functions {
            let f = code.declare_func_in_data(id, &mut d);
            d.write_function_addr(at, f);
        }
        d
    }
}

struct Writer<'c> {
    code: &'c mut Code,
    strings: FxHashMap<String, DataId>,
}

/// Define the data of all regions.
pub(super) fn define(code: &mut Code, regions: &[RegionData], sites: &[SiteData]) -> R {
    if regions.is_empty() {
        return Ok(());
    }
    let mut w = Writer {
        code,
        strings: FxHashMap::default(),
    };
    let table = w.sites(sites)?;
    for r in regions {
        w.region(r, (table, sites.len() as u64))?;
    }
    Ok(())
}

/// Define a table of C strings, `const char *const table[]`.
pub(super) fn texts(code: &mut Code, texts: &[String]) -> R<DataId> {
    let mut w = Writer {
        code,
        strings: FxHashMap::default(),
    };
    let mut r = Record::default();
    for t in texts {
        r.pointer(Some(w.string(t)?));
    }
    w.local(r, false)
}

fn failed(e: cranelift_module::ModuleError) -> String {
    format!("cannot place the description of a region in the object file: {e}")
}

impl Writer<'_> {
    /// Data without a symbol.
    fn local(&mut self, record: Record, writable: bool) -> R<DataId> {
        let id = self
            .code
            .declare_anonymous_data(writable, false)
            .map_err(failed)?;
        let d = record.description(self.code);
        self.code.define_data(id, &d).map_err(failed)?;
        Ok(id)
    }

    /// A C string; one for equal texts.
    fn string(&mut self, text: &str) -> R<DataId> {
        if let Some(id) = self.strings.get(text) {
            return Ok(*id);
        }
        let mut r = Record::default();
        // What follows a zero would not be read.
        r.bytes.extend(text.bytes().take_while(|b| *b != 0));
        r.bytes.push(0);
        let id = self.local(r, false)?;
        self.strings.insert(text.to_string(), id);
        Ok(id)
    }

    fn optional(&mut self, text: Option<&str>) -> R<Option<DataId>> {
        text.map(|t| self.string(t)).transpose()
    }

    /// Data without a symbol; null where there is none.
    fn table(&mut self, record: Record) -> R<Option<DataId>> {
        match record.bytes.is_empty() {
            true => Ok(None),
            false => self.local(record, false).map(Some),
        }
    }

    fn sites(&mut self, sites: &[SiteData]) -> R<Option<DataId>> {
        if sites.is_empty() {
            return Ok(None);
        }
        let mut r = Record::default();
        for s in sites {
            r.pointer(Some(self.string(&s.file)?));
            r.u32(s.line);
            r.u32(s.column);
        }
        self.local(r, false).map(Some)
    }

    fn image(&mut self, image: &GpuImage) -> R<DataId> {
        let mut kernels = Record::default();
        for k in &image.kernels {
            let mut params = Record::default();
            for p in &k.params {
                params.pointer(self.optional(p.name.as_deref())?);
                params.u32(p.bytes);
                params.u32(p.align);
                params.u32(p.fallback_align);
                params.u32(0);
            }
            let mut indices = Record::default();
            k.indices.iter().for_each(|n| indices.u64(*n as u64));
            kernels.pointer(Some(self.string(&k.name)?));
            kernels.pointer(self.table(params)?);
            kernels.u32(k.params.len() as u32);
            kernels.u32(if k.cooperative { COOPERATIVE } else { 0 });
            kernels.pointer(self.optional(k.fallback.as_deref())?);
            kernels.pointer(self.table(indices)?);
            kernels.u64(k.indices.len() as u64);
        }
        let kernels = match image.kernels.is_empty() {
            true => None,
            false => Some(self.local(kernels, false)?),
        };
        let mut r = Record::default();
        r.pointer(Some(self.string(&image.ptx)?));
        r.u64(image.ptx.len() as u64);
        r.pointer(kernels);
        r.u32(image.kernels.len() as u32);
        r.u32(0);
        // What the runtime makes of it.
        r.pointer(None);
        self.local(r, true)
    }

    fn entry(&mut self, symbol: Option<&String>) -> R<Option<FuncId>> {
        let Some(symbol) = symbol else {
            return Ok(None);
        };
        match self.code.get_name(symbol) {
            Some(FuncOrDataId::Func(id)) => Ok(Some(id)),
            _ => Err(format!("there is no entry '{symbol}'")),
        }
    }

    fn region(&mut self, region: &RegionData, (sites, count): (Option<DataId>, u64)) -> R {
        let (cpu, cpu_v3, gpu) = (
            self.entry(region.cpu.as_ref())?,
            self.entry(region.cpu_v3.as_ref())?,
            self.entry(region.gpu.as_ref())?,
        );
        let image = (region.image.as_ref().map(|i| self.image(i))).transpose()?;
        let mut versions = Record::default();
        for v in &region.versions {
            versions.u32(v.sm);
            versions.u32(v.flags);
            versions.function(self.entry(Some(&v.gpu))?);
            versions.pointer(v.image.as_ref().map(|i| self.image(i)).transpose()?);
        }
        let versions = self.table(versions)?;
        let mut r = Record::default();
        r.u32(ABI);
        r.u32(region.flags);
        r.pointer(Some(self.string(&region.name)?));
        r.pointer(Some(self.string(&region.file)?));
        r.u32(region.line);
        r.u32(region.column);
        r.function(cpu);
        r.function(cpu_v3);
        r.function(gpu);
        r.pointer(image);
        r.pointer(sites);
        r.u64(count);
        r.pointer(versions);
        r.u64(region.versions.len() as u64);
        let id = self
            .code
            .declare_data(&region.symbol, Linkage::Hidden, false, false)
            .map_err(failed)?;
        let d = r.description(self.code);
        self.code.define_data(id, &d).map_err(failed)
    }
}
