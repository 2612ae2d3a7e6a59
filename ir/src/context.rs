//! The context: owner of all IR objects, uniqued data, dialects and diagnostics.

use crate::attr::{Attr, AttrData};
use crate::diag::{DiagLoc, Diagnostic, Severity};
use crate::loc::Loc;
use crate::opdef::{DialectDef, OpAttrDef, OpDef};
use crate::types::{Type, TypeData};
use pliron::uniqued_any::{self, UniquedKey};
use rustc_hash::FxHashMap;
use std::any::{Any, TypeId};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::hash::Hash;
use std::path::PathBuf;

/// An interned string, such as an attribute name. Resolve with [`Context::str`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Str(pub(crate) UniquedKey<Box<str>>);

/// An interned file name. Resolve with [`Context::file_name`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileName(pub(crate) UniquedKey<PathBuf>);

/// A dialect of others, known by its name.
#[derive(Debug, Clone, Copy)]
pub struct ForeignDialect {
    /// In front of the dot.
    pub name: &'static str,
    /// What brings its ops down to others, as a sentence without its end; `None` where nothing does.
    pub lowered_by: Option<&'static str>,
}

/// Settings that change what is accepted, not what it means.
#[derive(Debug, Clone)]
pub struct Config {
    /// Accept ops of dialects that are not registered.
    pub allow_unregistered: bool,
    /// Accept attributes of dialects that are not registered, which are kept as text.
    pub allow_unregistered_attrs: bool,
    /// Report only the first error of each parse and of each isolated op's
    /// verification, as upstream does; off, every error is reported.
    pub first_error_only: bool,
    /// How deeply regions, attributes and types may nest before the parser refuses.
    pub max_nesting: usize,
    /// Keep the `%names` of the text as names in the locations of the values, for
    /// messages and schedules. Names that are numbers are not kept.
    pub keep_names: bool,
    /// Keep the name of several results too, as `%name:2`: in the location of their op.
    pub keep_group_names: bool,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            allow_unregistered: false,
            allow_unregistered_attrs: false,
            first_error_only: false,
            max_nesting: 512,
            keep_names: false,
            keep_group_names: false,
        }
    }
}

/// Owner of everything. Handles such as [`crate::Op`] are indices into one context
/// and must not be used with another.
pub struct Context {
    pub(crate) ir: pliron::context::Context,
    /// What is accepted and kept, and how much is reported.
    pub config: Config,
    ops_by_name: FxHashMap<&'static str, &'static OpDef>,
    ops_by_type: FxHashMap<TypeId, &'static OpDef>,
    dialects: Vec<&'static DialectDef>,
    op_attrs: FxHashMap<&'static str, &'static OpAttrDef>,
    foreign: &'static [ForeignDialect],
    common: Common,
    diagnostics: RefCell<Vec<Diagnostic>>,
    /// While a rewriter is at work: the ops put in by builders.
    pub(crate) created: Option<Vec<crate::op::Op>>,
    /// While symbols do not change: those of the tables looked into so far.
    pub(crate) symbol_cache: RefCell<Option<crate::symbols::SymbolCache>>,
    pub(crate) formats: RefCell<crate::text::format::Formats>,
    /// Whether any affine map or set exists, which the printer may give aliases.
    pub(crate) has_maps: Cell<bool>,
    /// Blobs of `{-# dialect_resources #-}`, by key, as they were written.
    resources: BTreeMap<String, String>,
    /// Files that a tool has read for its passes: see [`Context::set_input_file`].
    input_files: BTreeMap<String, std::sync::Arc<str>>,
    /// See [`Context::remember`].
    remembered: FxHashMap<TypeId, Box<dyn Any>>,
}

/// Types and attributes that are asked for all the time.
struct Common {
    index: Type,
    none: Type,
    int: [Type; 5],
    f32: Type,
    f64: Type,
    unit: Attr,
}

impl Default for Context {
    fn default() -> Self {
        Self::new()
    }
}

impl Context {
    /// A context with no dialects.
    pub fn new() -> Self {
        let ir = pliron::context::Context::new();
        let ty = |data| Type::unique(&ir, data);
        let common = Common {
            index: ty(TypeData::Index),
            none: ty(TypeData::None),
            int: [1, 8, 16, 32, 64].map(|w| ty(TypeData::int(w))),
            f32: ty(TypeData::Float(crate::num::FloatKind::F32)),
            f64: ty(TypeData::Float(crate::num::FloatKind::F64)),
            unit: Attr(uniqued_any::save(&ir, AttrData::Unit)),
        };
        Context {
            ir,
            config: Config::default(),
            ops_by_name: FxHashMap::default(),
            ops_by_type: FxHashMap::default(),
            dialects: Vec::new(),
            op_attrs: FxHashMap::default(),
            foreign: &[],
            common,
            diagnostics: RefCell::default(),
            created: None,
            symbol_cache: RefCell::default(),
            formats: RefCell::default(),
            has_maps: Cell::new(false),
            resources: BTreeMap::new(),
            input_files: BTreeMap::new(),
            remembered: FxHashMap::default(),
        }
    }

    /// Make the ops, types and attributes of `dialect` known.
    pub fn register(&mut self, dialect: &'static DialectDef) {
        if self.dialects.iter().any(|d| d.name == dialect.name) {
            return;
        }
        self.dialects.push(dialect);
        for op in dialect.ops {
            debug_assert!(op.name.starts_with(dialect.name), "{}", op.name);
            self.ops_by_name.insert(op.name, op);
            self.ops_by_type.insert((op.type_info)().1, op);
        }
    }

    /// Tell which dialects others have, for attributes and messages.
    pub fn register_foreign(&mut self, all: &'static [ForeignDialect]) {
        self.foreign = all;
    }

    /// The dialect of this name that others have, registered here or not.
    pub fn foreign(&self, dialect: &str) -> Option<&'static ForeignDialect> {
        self.foreign.iter().find(|d| d.name == dialect)
    }

    /// What brings an op down that is not registered, for the end of a message about it.
    pub fn foreign_advice(&self, op: &str) -> String {
        let dialect = op.split('.').next().unwrap_or("");
        let lowered = self.foreign(dialect).and_then(|d| d.lowered_by);
        lowered.map_or(String::new(), |l| format!("; {l}"))
    }

    /// Make attributes known that any op or argument may have.
    pub fn register_op_attrs(&mut self, all: &[&'static OpAttrDef]) {
        self.op_attrs.extend(all.iter().map(|d| (d.name, *d)));
    }

    /// The declaration of an attribute that any op or argument may have.
    pub fn op_attr(&self, name: &str) -> Option<&'static OpAttrDef> {
        self.op_attrs.get(name).copied()
    }

    /// The registered dialects, in the order of registration.
    pub fn dialects(&self) -> &[&'static DialectDef] {
        &self.dialects
    }

    /// The registered dialect of this name.
    pub fn dialect(&self, name: &str) -> Option<&'static DialectDef> {
        self.dialects.iter().find(|d| d.name == name).copied()
    }

    /// The declaration of a registered op, by full name (`"arith.addi"`).
    pub fn op_def(&self, name: &str) -> Option<&'static OpDef> {
        self.ops_by_name.get(name).copied()
    }

    pub(crate) fn op_def_by_type(&self, id: TypeId) -> Option<&'static OpDef> {
        self.ops_by_type.get(&id).copied()
    }

    /// Whether the op that `op` was made as still exists.
    pub fn is_alive(&self, op: crate::op::Op) -> bool {
        op.0.try_deref(&self.ir).is_ok()
    }

    // ---- interning ----

    /// The handle of a string; equal strings have equal handles.
    pub fn intern(&self, s: &str) -> Str {
        Str(uniqued_any::save(&self.ir, Box::<str>::from(s)))
    }

    /// The text of an interned string.
    pub fn str(&self, s: Str) -> &str {
        uniqued_any::get::<Box<str>>(&self.ir, s.0)
    }

    pub(crate) fn intern_file(&self, name: &str) -> FileName {
        FileName(uniqued_any::save(&self.ir, PathBuf::from(name)))
    }

    /// The text of a file name, with `U+FFFD` for what is not UTF-8.
    pub fn file_name(&self, f: FileName) -> std::borrow::Cow<'_, str> {
        uniqued_any::get(&self.ir, f.0).to_string_lossy()
    }

    /// The uniqued attribute with this content.
    pub fn attr(&self, data: AttrData) -> Attr {
        if matches!(data, AttrData::AffineMap(_) | AttrData::IntegerSet(_)) {
            self.has_maps.set(true);
        }
        Attr(uniqued_any::save(&self.ir, data))
    }

    pub(crate) fn attr_data(&self, a: Attr) -> &AttrData {
        uniqued_any::get(&self.ir, a.0)
    }

    /// The uniqued type with this content.
    pub fn ty(&self, data: TypeData) -> Type {
        Type::unique(&self.ir, data)
    }

    // ---- common types and attributes ----

    /// `index`.
    pub fn index(&self) -> Type {
        self.common.index
    }
    /// `none`.
    pub fn none_type(&self) -> Type {
        self.common.none
    }
    /// `f32`.
    pub fn f32(&self) -> Type {
        self.common.f32
    }
    /// `f64`.
    pub fn f64(&self) -> Type {
        self.common.f64
    }
    /// `i1`.
    pub fn i1(&self) -> Type {
        self.common.int[0]
    }
    /// `i32`.
    pub fn i32(&self) -> Type {
        self.common.int[3]
    }
    /// `i64`.
    pub fn i64(&self) -> Type {
        self.common.int[4]
    }
    /// The signless integer type of `width` bits.
    pub fn int(&self, width: u32) -> Type {
        match width {
            1 => self.common.int[0],
            8 => self.common.int[1],
            16 => self.common.int[2],
            32 => self.common.int[3],
            64 => self.common.int[4],
            _ => self.ty(TypeData::int(width)),
        }
    }
    /// `unit`, the value of flags.
    pub fn unit(&self) -> Attr {
        self.common.unit
    }

    pub(crate) fn set_resource(&mut self, key: &str, text: &str) {
        self.resources.insert(key.to_string(), text.to_string());
    }

    /// The blob of a `dense_resource`, quoted hexadecimal text.
    pub fn resource(&self, key: &str) -> Option<&str> {
        self.resources.get(key).map(String::as_str)
    }

    /// Hand over the text of a file that an option of a pass names, since passes do
    /// no input themselves.
    pub fn set_input_file(&mut self, path: &str, text: impl Into<std::sync::Arc<str>>) {
        self.input_files.insert(path.to_string(), text.into());
    }

    /// The text of a file handed over by [`Self::set_input_file`].
    pub fn input_file(&self, path: &str) -> Option<std::sync::Arc<str>> {
        self.input_files.get(path).cloned()
    }

    /// Keep an answer for the next time that a pass is asked the same: all that it depends on
    /// is in the key.
    pub fn remember<K: Hash + Eq + 'static, V: 'static>(&mut self, key: K, answer: V) {
        let kept = self.remembered.entry(TypeId::of::<FxHashMap<K, V>>());
        let kept = kept.or_insert_with(|| Box::new(FxHashMap::<K, V>::default()));
        if let Some(all) = kept.downcast_mut::<FxHashMap<K, V>>() {
            all.insert(key, answer);
        }
    }

    /// The answer to a question that was asked before.
    pub fn recalled<K: Hash + Eq + 'static, V: 'static>(&self, key: &K) -> Option<&V> {
        let kept = self.remembered.get(&TypeId::of::<FxHashMap<K, V>>())?;
        kept.downcast_ref::<FxHashMap<K, V>>()?.get(key)
    }

    // ---- diagnostics ----

    /// Record a diagnostic; [`Self::take_diagnostics`] returns them in order.
    pub fn emit(&self, d: Diagnostic) {
        self.diagnostics.borrow_mut().push(d);
    }

    /// Record a diagnostic at a location of the IR.
    pub fn emit_at(&self, severity: Severity, loc: Loc, message: impl Into<String>) {
        self.emit(Diagnostic::new(
            severity,
            self.diag_loc(loc),
            message.into(),
        ));
    }

    /// Record an error at a location of the IR.
    pub fn error(&self, loc: Loc, message: impl Into<String>) {
        self.emit_at(Severity::Error, loc, message);
    }

    /// Attach a note to the diagnostic recorded last.
    pub fn note(&self, loc: Loc, message: impl Into<String>) {
        let loc = self.diag_loc(loc);
        self.note_at(loc, message);
    }

    pub(crate) fn note_at(&self, loc: DiagLoc, message: impl Into<String>) {
        if let Some(d) = self.diagnostics.borrow_mut().last_mut() {
            d.notes.push((loc, message.into()));
        }
    }

    /// All diagnostics recorded so far, in order; the list is empty afterwards.
    pub fn take_diagnostics(&self) -> Vec<Diagnostic> {
        std::mem::take(&mut self.diagnostics.borrow_mut())
    }

    /// Put diagnostics back in front of those recorded since they were taken.
    pub fn restore_diagnostics(&self, mut earlier: Vec<Diagnostic>) {
        let mut now = self.diagnostics.borrow_mut();
        earlier.append(&mut now);
        *now = earlier;
    }

    /// How many of the recorded diagnostics are errors.
    pub fn num_errors(&self) -> usize {
        let d = self.diagnostics.borrow();
        d.iter().filter(|d| d.severity == Severity::Error).count()
    }
}
