//! Object files from modules of the IR.

use super::code::Code;
use super::module::{State, define_all};
use super::plain::{self, PlainFunction};
use super::region_data::{self, RegionData};
use super::{Level, NativeOptions, check, packed, support};
use cranelift_module::FuncId;
use rustc_hash::FxHashMap;
use terrace_dialects::func::FuncOp;
use terrace_ir::{Context, Loc, Op, OpKind};

/// How to make an object file.
#[derive(Debug, Clone, Default)]
pub struct ObjectOptions {
    pub native: NativeOptions,
    /// Use all instructions that this machine has. Otherwise the code runs on every
    /// machine of its kind.
    pub this_cpu: bool,
    /// The kind of machine that the code is for, where it is not this one: a triple of names, such
    /// as `aarch64-unknown-linux-gnu`. Goes before `this_cpu`.
    pub triple: Option<String>,
    /// The file's name for its source, which debuggers show.
    pub source: String,
    /// Of [`compile_object`]: the functions that get entries.
    pub entries: Vec<PackedEntry>,
}

/// A function of a module that C can call as `int symbol(unsigned long long *words)`.
///
/// A number takes one word, its bits at the low end and zeros above; a memref takes its
/// pointer and one word for each size its type leaves open; behind the arguments each
/// result gets a word. The entry returns 0, or one more than the number of the op that
/// failed, an index into the sites of the object file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackedEntry {
    pub function: String,
    pub symbol: String,
    /// How many arguments, the last ones, have their words behind those of the results.
    pub behind: usize,
}

/// An op of an object file that can fail: a line of the table that C code has.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct SiteData {
    pub file: String,
    pub line: u32,
    pub column: u32,
}

/// Code as text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listing {
    /// Cranelift's IR.
    pub clif: String,
    /// Machine code.
    pub asm: String,
}

/// An object file in the making. Modules are compiled one after the other and do not
/// see each other's functions.
pub struct ObjectCode {
    state: State,
    sites: Vec<SiteData>,
    regions: Vec<RegionData>,
    /// A module did not compile, so that functions are missing.
    broken: bool,
}

impl ObjectCode {
    /// An empty object file.
    ///
    /// # Errors
    ///
    /// Where there is no code generator for this machine, or for the one that is named.
    pub fn new(options: &ObjectOptions) -> Result<ObjectCode, String> {
        // What is checked calls functions of this process.
        let native = NativeOptions {
            bounds_checks: false,
            ..options.native.clone()
        };
        let code = match &options.triple {
            Some(triple) => Code::object_for(&options.source, &native, triple)?,
            None => Code::object(&options.source, &native, options.this_cpu)?,
        };
        let known = support::symbols().into_iter().map(|(name, _)| name);
        let symbols = known
            .chain(support::DEVICE_CALLBACKS)
            .map(str::to_string)
            .collect();
        let mut state = State::new(code, &native, symbols);
        if options.this_cpu && options.triple.is_none() {
            state.level = super::level_here();
        }
        Ok(ObjectCode {
            state,
            sites: Vec::new(),
            regions: Vec::new(),
            broken: false,
        })
    }

    /// Compile the functions and globals of `module`, a verified `builtin.module`, and
    /// give some of them entries. Returns the kernels that the module launches,
    /// `(module, kernel)`, by the number that the launch callback gets; they count from
    /// 0 in each module.
    ///
    /// # Errors
    ///
    /// As [`super::compile`]; the object file cannot be finished after one.
    pub fn add(
        &mut self,
        ctx: &Context,
        module: Op,
        entries: &[PackedEntry],
    ) -> Result<Vec<(String, String)>, Vec<(Loc, String)>> {
        let mut errors = check::module(ctx, module);
        if errors.is_empty() {
            let s = &mut self.state;
            s.funcs.clear();
            s.globals = Default::default();
            s.kernels.clear();
            s.sites.next_module();
            let made = define_all(ctx, module, s, |_| None);
            match made {
                Ok(bodies) => define_entries(ctx, module, s, &bodies, entries),
                Err(m) => s.errors.push((module.loc(ctx), m)),
            }
            errors = std::mem::take(&mut s.errors);
        }
        if !errors.is_empty() {
            self.broken = true;
            return Err(errors);
        }
        let new = &self.state.sites.list[self.sites.len()..];
        self.sites.extend(new.iter().map(|s| site(ctx, s.loc)));
        Ok(std::mem::take(&mut self.state.kernels))
    }

    /// As [`Self::add`], with code for machines that have the instructions of x86-64-v3. `false`,
    /// and nothing added, on machines of another kind.
    ///
    /// # Errors
    ///
    /// As [`Self::add`].
    pub fn add_v3(
        &mut self,
        ctx: &Context,
        module: Op,
        entries: &[PackedEntry],
    ) -> Result<bool, Vec<(Loc, String)>> {
        let isa = match self.state.code.is_x86_64() {
            true => super::code::x86_64_v3(&self.state.options).map(Some),
            false => Ok(None),
        };
        self.state.other_isa = isa.map_err(|m| vec![(module.loc(ctx), m)])?;
        if self.state.other_isa.is_none() {
            return Ok(false);
        }
        self.state.level = Some(Level::V3);
        let made = self.add(ctx, module, entries);
        (self.state.other_isa, self.state.level) = (None, None);
        made.map(|_| true)
    }

    /// What was added since this was last asked, as text: Cranelift's IR and machine code.
    /// Both are empty unless [`NativeOptions::listing`] is on.
    pub fn take_listing(&mut self) -> Listing {
        Listing {
            clif: std::mem::take(&mut self.state.clif),
            asm: std::mem::take(&mut self.state.asm),
        }
    }

    /// Describe a region to the runtime: a `struct terrace_region` with the symbol that
    /// `region` names. Its entries are those of modules added before or after.
    pub fn region(&mut self, region: RegionData) {
        self.regions.push(region);
    }

    /// A C function over entries of modules that were added, and the one that tells what its
    /// results mean, with places in the source. `module` is what errors are about.
    ///
    /// # Errors
    ///
    /// Where an entry is missing or a symbol is taken.
    pub fn plain(
        &mut self,
        ctx: &Context,
        module: Op,
        f: &PlainFunction,
    ) -> Result<(), Vec<(Loc, String)>> {
        let at = |m: String| vec![(module.loc(ctx), m)];
        let mut texts = vec![String::new()];
        for (place, said) in self.sites.iter().zip(&self.state.sites.list) {
            let m = plain::message(said);
            texts.push(match place.file.is_empty() {
                true => m,
                false => format!("{}:{}:{}: {m}", place.file, place.line, place.column),
            });
        }
        let s = &mut self.state;
        let table = region_data::texts(&mut s.code, &texts).map_err(at)?;
        plain::function(ctx, s, module, f).map_err(at)?;
        plain::messages(ctx, s, module, &f.message, (table, texts.len())).map_err(at)?;
        let errors = std::mem::take(&mut s.errors);
        self.broken |= !errors.is_empty();
        match errors.is_empty() {
            true => Ok(()),
            false => Err(errors),
        }
    }

    /// The bytes of the file.
    ///
    /// # Errors
    ///
    /// After a module that did not compile, for a region whose entries were not made,
    /// and where the file would be too large.
    pub fn finish(mut self) -> Result<Vec<u8>, String> {
        if self.broken {
            return Err("the object file lacks functions that did not compile".into());
        }
        region_data::define(&mut self.state.code, &self.regions, &self.sites)?;
        let Code::Object(module) = self.state.code else {
            return Err("the code was not made for an object file".into());
        };
        module
            .finish()
            .emit()
            .map_err(|e| format!("cannot write the object file: {e}"))
    }
}

fn site(ctx: &Context, loc: Loc) -> SiteData {
    match loc.file_pos(ctx) {
        Some((file, line, column)) => SiteData {
            file: ctx.file_name(file).to_string(),
            line,
            column,
        },
        None => SiteData::default(),
    }
}

fn define_entries(
    ctx: &Context,
    module: Op,
    s: &mut State,
    bodies: &[(Op, FuncId)],
    entries: &[PackedEntry],
) {
    if !s.errors.is_empty() {
        return;
    }
    let by_name: FxHashMap<&str, (Op, FuncId)> = bodies
        .iter()
        .map(|(op, id)| (FuncOp::wrap(*op).name(ctx), (*op, *id)))
        .collect();
    for e in entries {
        let Some((op, id)) = by_name.get(e.function.as_str()) else {
            let m = format!("there is no function '@{}' with a body", e.function);
            s.errors.push((module.loc(ctx), m));
            continue;
        };
        if let Err(m) = packed::entry(ctx, s, (*op, *id), &e.symbol, e.behind) {
            let m = format!("'{}' op {m}", op.name(ctx));
            s.errors.push((op.loc(ctx), m));
        }
    }
}

/// Compile `module`, a verified `builtin.module`, to an object file whose symbols are
/// the entries of `options`.
///
/// # Errors
///
/// All of them, each `'NAME' op ...` with the location of the op.
pub fn compile_object(
    ctx: &Context,
    module: Op,
    options: &ObjectOptions,
) -> Result<Vec<u8>, Vec<(Loc, String)>> {
    let at = |m| vec![(module.loc(ctx), m)];
    let mut object = ObjectCode::new(options).map_err(at)?;
    object.add(ctx, module, &options.entries)?;
    object.finish().map_err(at)
}
