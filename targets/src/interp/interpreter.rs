//! The interface: a module, calls of its functions, and arrays in and out.

use super::code::{Code, OpClass};
use super::decode::{decode, shape_of};
use super::error::{Fault, InterpError, Run};
use super::exec::Thread;
use super::memory::{Memory, Origin, Request, Space};
use super::memref::{BufferId, Dims, MemRef, Shape, row_major};
use super::value::{Elem, Value};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use terrace_dialects::func::FuncOp;
use terrace_dialects::memref::layout::{Strides, row_major_strides};
use terrace_dialects::xfer::is_device;
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Context, Loc, Op, Type, TypeData, symbols};
use terrace_support::c_functions::Libraries;

/// Limits, and what a device is taken to be.
#[derive(Debug, Clone)]
pub struct Config {
    /// The most instructions a run may execute.
    pub max_steps: u64,
    /// The deepest nesting of calls.
    pub max_depth: usize,
    /// The most bytes that may be allocated at one time.
    pub max_memory: usize,
    /// Host and device use each other's memory, as on a machine where they share it.
    /// Off, each access to the other's memory is an error.
    pub unified_memory: bool,
    /// Kernels use memory of the host, which is copied around their launches. Off, each
    /// access of a kernel to it is an error.
    pub host_memory_in_kernels: bool,
    /// Arrays made for arguments lie on the device, also where their type does not say
    /// so.
    pub arguments_on_device: bool,
    /// Threads of a subgroup.
    pub subgroup_size: u32,
    /// The most threads of a block.
    pub max_block_size: u64,
    /// Where functions of C are.
    pub libraries: Libraries,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            max_steps: u64::MAX,
            max_depth: 10_000,
            max_memory: 16 << 30,
            unified_memory: false,
            host_memory_in_kernels: false,
            arguments_on_device: false,
            subgroup_size: 32,
            max_block_size: 1024,
            libraries: Libraries::default(),
        }
    }
}

/// How much was executed, over all calls.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counters {
    by_class: [u64; OpClass::ALL.len()],
    /// Elements read from memory and written to it.
    pub loads: u64,
    pub stores: u64,
    /// Kernel launches.
    pub launches: u64,
    /// What was copied from the host to the device by `xfer.copy`, `xfer.ensure` and
    /// `gpu.memcpy`.
    pub to_device: Copied,
    pub to_host: Copied,
    /// Within the device or from one to another.
    pub between_devices: Copied,
    /// Everything executed, with the jumps and moves that stand for no op.
    pub steps: u64,
}

/// Copies in one direction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Copied {
    pub copies: u64,
    pub bytes: u64,
}

impl Counters {
    /// Counts a copy of `bytes`, from a device and to one.
    pub(super) fn copied(&mut self, (from, to): (bool, bool), bytes: u64) {
        let count = match (from, to) {
            (false, true) => &mut self.to_device,
            (true, false) => &mut self.to_host,
            (true, true) => &mut self.between_devices,
            (false, false) => return,
        };
        count.copies += 1;
        count.bytes += bytes;
    }

    /// Ops executed of a class.
    pub fn ops(&self, class: OpClass) -> u64 {
        self.by_class[class as usize]
    }

    #[inline]
    pub(super) fn count(&mut self, class: OpClass) {
        self.by_class[class as usize] += 1;
        self.steps += 1;
    }
}

/// The content of a memref, row-major and little-endian.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Array {
    pub elem: Elem,
    pub shape: Vec<i64>,
    pub bytes: Vec<u8>,
    /// How many elements were never written; they read as zero.
    pub unwritten: usize,
}

/// A program in execution: its module, memory and counters.
///
/// Memory stays from call to call, so that arrays can be handed from one to the next
/// and read afterwards.
pub struct Interpreter<'c> {
    pub(super) ctx: &'c Context,
    module: Op,
    pub config: Config,
    pub(super) memory: Memory,
    codes: FxHashMap<Op, Rc<Code>>,
    /// Buffers of globals; those in workgroup memory once for each block.
    pub(super) globals: FxHashMap<(Op, Option<u64>), BufferId>,
    pub(super) counters: Counters,
    /// Blocks of threads started so far, over all launches.
    pub(super) blocks: u64,
    pub(super) output: String,
}

impl<'c> Interpreter<'c> {
    /// An interpreter of `module`, an op that holds functions. The module must verify:
    /// what the verifier guarantees is not checked again.
    pub fn new(ctx: &'c Context, module: Op) -> Self {
        Interpreter::with_config(ctx, module, Config::default())
    }

    pub fn with_config(ctx: &'c Context, module: Op, config: Config) -> Self {
        Interpreter {
            ctx,
            module,
            memory: Memory::new(&config),
            config,
            codes: FxHashMap::default(),
            globals: FxHashMap::default(),
            counters: Counters::default(),
            blocks: 0,
            output: String::new(),
        }
    }

    /// Run the function `@func` with these arguments and return its results.
    ///
    /// # Errors
    ///
    /// If there is no such function, the arguments do not fit its type, or the program
    /// does what it must not; see the module's documentation.
    pub fn call(&mut self, func: &str, args: Vec<Value>) -> Result<Vec<Value>, InterpError> {
        let Some(op) = symbols::lookup_in(self.ctx, self.module, func) else {
            let loc = self.module.loc(self.ctx);
            return Err(InterpError::new(
                loc,
                format!("there is no function @{func}"),
            ));
        };
        let code = self
            .check_call(op, func, &args)
            .map_err(|f| f.locate(self.ctx, Some(op)))?;
        self.memory.schedule.reset();
        let mut thread = Thread::host();
        let results = self.run_to_end(&mut thread, code, args)?;
        if let Some((started, name, what)) = self.memory.unfinished() {
            return Err(Fault::new(format!(
                "@{func} returns while '{name}' may still be {what} an array that the caller sees; wait for its token or its queue before"
            ))
            .note(Some(started), &format!("the '{name}' that may still run started here"))
            .locate(self.ctx, Some(op)));
        }
        match self.memory.stale_argument() {
            Some((k, made_by)) if !self.config.unified_memory => Err(Fault::new(format!(
                "@{func} returns while element {k} of an array that it was given is newer on the device"
            ))
            .note(Some(made_by), "the array's mirror was made here")
            .locate(self.ctx, Some(op))),
            _ => Ok(results),
        }
    }

    fn check_call(&mut self, op: Op, func: &str, args: &[Value]) -> Run<Rc<Code>> {
        if op.name(self.ctx) != FuncOp::NAME {
            return Err(Fault::new(format!(
                "@{func} is no function but a '{}'",
                op.name(self.ctx)
            )));
        }
        let ty = op
            .attr(self.ctx, "function_type")
            .and_then(|a| a.as_type(self.ctx));
        let inputs = ty
            .and_then(|t| t.function_parts(self.ctx))
            .map(|p| p.0)
            .unwrap_or(&[]);
        if inputs.len() != args.len() {
            return Err(Fault::new(format!(
                "@{func} takes {} arguments, but got {}",
                inputs.len(),
                args.len()
            )));
        }
        for (k, (ty, v)) in inputs.iter().zip(args).enumerate() {
            self.check_argument(*ty, v).map_err(|why| {
                Fault::new(format!(
                    "argument {k} of @{func} is of type {}: {why}",
                    self.ctx.type_text(*ty)
                ))
            })?;
        }
        self.code(op)
    }

    /// Refuses a value that is not of the type; the reason.
    fn check_argument(&self, ty: Type, v: &Value) -> Result<(), String> {
        let fits = match (ty.data(self.ctx), v) {
            (TypeData::Integer { width, .. }, Value::Int { width: w, .. }) => width == w,
            (TypeData::Integer { width, .. }, Value::Wide(i)) => *width == i.width(),
            (TypeData::Index, Value::Index(_)) => true,
            (TypeData::Float(kind), v) => v.to_float().is_some_and(|f| f.kind() == *kind),
            (TypeData::Vector { shape, .. }, Value::Vector(v)) => {
                *shape == v.shape
                    && Elem::of(self.ctx, ty.element_or_self(self.ctx)) == Some(v.elem)
            }
            (TypeData::MemRef { .. }, Value::MemRef(m)) => {
                let shape = shape_of(self.ctx, ty).map_err(|f| f.locate(self.ctx, None).message)?;
                if shape.elem != m.elem || shape.lanes != m.lanes {
                    return Err("the element type of the memref is another one".into());
                }
                return m
                    .check_type(&shape)
                    .map_err(|f| f.locate(self.ctx, None).message);
            }
            (TypeData::UnrankedMemRef { .. }, Value::MemRef(_)) => true,
            (TypeData::Function { .. }, Value::Func(_)) => true,
            (_, Value::Token(_)) => true,
            _ => false,
        };
        if fits {
            Ok(())
        } else {
            Err(format!("the argument is {}", v.describe()))
        }
    }

    /// The decoded form of a function, decoded at its first call.
    pub(super) fn code(&mut self, op: Op) -> Run<Rc<Code>> {
        if let Some(code) = self.codes.get(&op) {
            return Ok(code.clone());
        }
        let code = Rc::new(decode(self.ctx, op)?);
        self.codes.insert(op, code.clone());
        Ok(code)
    }

    // ---- arrays in and out ----

    /// A memref of type `ty`, in the memory its type says, with this shape and content, given row-major
    /// and little-endian ([`Elem::size`] bytes each).
    ///
    /// # Errors
    ///
    /// If the shape does not fit the type or the content does not fit the shape.
    pub fn array(&mut self, ty: Type, shape: &[i64], bytes: &[u8]) -> Result<Value, InterpError> {
        self.import(ty, shape, Some(bytes))
            .map_err(|f| f.locate(self.ctx, None))
    }

    /// As [`Self::array`], with content that reads as an error until it is written.
    pub fn unwritten_array(&mut self, ty: Type, shape: &[i64]) -> Result<Value, InterpError> {
        self.import(ty, shape, None)
            .map_err(|f| f.locate(self.ctx, None))
    }

    fn import(&mut self, ty: Type, sizes: &[i64], bytes: Option<&[u8]>) -> Run<Value> {
        let shape = shape_of(self.ctx, ty)?;
        let fits = |k: usize| shape.sizes[k] == DYNAMIC || shape.sizes[k] == sizes[k];
        if shape.sizes.len() != sizes.len() || !(0..sizes.len()).all(fits) {
            return Err(Fault::new(format!(
                "shape {sizes:?} does not fit type {}",
                self.ctx.type_text(ty)
            )));
        }
        let on_device = is_device(self.ctx, ty);
        let space = match on_device || self.config.arguments_on_device {
            true => Space::Device,
            false => Space::Host,
        };
        let m = self.build(&shape, sizes, &[], space, Origin::Argument, None)?;
        if let Some(bytes) = bytes {
            let want = m
                .count()
                .and_then(|n| usize::try_from(n).ok())
                .and_then(|n| n.checked_mul(m.elem_size));
            if want != Some(bytes.len()) {
                return Err(Fault::new(format!(
                    "shape {sizes:?} of type {} takes {} bytes, but got {}",
                    self.ctx.type_text(ty),
                    want.map_or("too many".to_string(), |n| n.to_string()),
                    bytes.len()
                )));
            }
            if row_major(sizes).as_ref() == Some(&m.strides) {
                self.memory
                    .fill(m.buffer, m.offset as usize * m.elem_size, bytes);
            } else {
                let mut elements = bytes.chunks(m.elem_size.max(1));
                m.each(|i| {
                    let at = m.position(i)? as usize * m.elem_size;
                    if let Some(e) = elements.next() {
                        self.memory.fill(m.buffer, at, e);
                    }
                    Ok(())
                })?;
            }
        }
        Ok(Value::MemRef(Rc::new(m)))
    }

    /// The content of a memref, wherever its memory is.
    ///
    /// # Errors
    ///
    /// If the value is no memref or its memory was freed.
    pub fn read_array(&self, v: &Value) -> Result<Array, InterpError> {
        self.export(v).map_err(|f| f.locate(self.ctx, None))
    }

    fn export(&self, v: &Value) -> Run<Array> {
        let m = v.memref()?;
        self.memory.check_live(m)?;
        let buffer = self.memory.buffer(m.buffer);
        let mut bytes = Vec::new();
        let mut unwritten = 0;
        m.each(|i| {
            let at =
                usize::try_from(m.position(i)?).map_err(|_| "lies outside of its allocation")?;
            let at = at * m.elem_size + m.base;
            let element = buffer
                .bytes()
                .get(at..at + m.elem_size)
                .ok_or("lies outside of its allocation")?;
            bytes.extend_from_slice(element);
            unwritten += usize::from(!buffer.is_written(at, m.elem_size));
            Ok(())
        })?;
        Ok(Array {
            elem: m.elem,
            shape: m.sizes.to_vec(),
            bytes,
            unwritten,
        })
    }

    /// A new allocation for a memref of this shape and these sizes.
    pub(super) fn build(
        &mut self,
        shape: &Shape,
        sizes: &[i64],
        symbols: &[i64],
        space: Space,
        origin: Origin,
        made_by: Option<Op>,
    ) -> Run<MemRef> {
        if let Some(k) = sizes.iter().position(|s| *s < 0) {
            return Err(Fault::new(format!(
                "the size of dimension {k} is negative: {}",
                sizes[k]
            )));
        }
        let too_large = || Fault::new("the number of elements does not fit 64 bits");
        let (strides, offset) = layout(shape, sizes, symbols).ok_or_else(too_large)?;
        let empty = sizes.contains(&0);
        let last = sizes
            .iter()
            .zip(&strides)
            .try_fold(offset, |at, (size, stride)| {
                if *stride < 0 {
                    None
                } else {
                    at.checked_add((size - 1).checked_mul(*stride)?)
                }
            });
        let elements = match (empty, last) {
            (true, _) => 0,
            (false, Some(last)) if offset >= 0 => last.checked_add(1).ok_or_else(too_large)?,
            _ => {
                return Err(
                    "the layout has a negative offset or stride, or does not fit 64 bits".into(),
                );
            }
        };
        let bytes = usize::try_from(elements)
            .ok()
            .and_then(|n| n.checked_mul(shape.elem_size));
        let bytes = bytes.ok_or_else(too_large)?;
        let granule = shape.elem.size();
        let buffer = self.memory.allocate(Request {
            bytes,
            granule,
            space,
            origin,
            made_by,
            offset,
        })?;
        Ok(MemRef {
            buffer,
            base: 0,
            elem: shape.elem,
            lanes: shape.lanes.clone(),
            elem_size: shape.elem_size,
            offset,
            sizes: sizes.into(),
            strides,
        })
    }

    // ---- what happened ----

    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// Where memory that is still allocated was allocated.
    pub fn leaks(&self) -> Vec<Loc> {
        self.memory
            .leaks()
            .map(|(_, op)| op.map_or(Loc::Unknown, |op| op.loc(self.ctx)))
            .collect()
    }

    /// What the program printed.
    pub fn output(&self) -> &str {
        &self.output
    }
}

/// Strides and offset of a new allocation: those of the type, its unknown ones given by
/// the symbols (offset first); row-major where the type does not say.
fn layout(shape: &Shape, sizes: &[i64], symbols: &[i64]) -> Option<(Dims, i64)> {
    let rows = row_major(sizes);
    let Some(l) = &shape.layout else {
        return Some((rows?, 0));
    };
    let identity = row_major_strides(&shape.sizes) == l.strides && l.offset == 0;
    if identity {
        return Some((rows?, 0));
    }
    let unknown = l
        .strides
        .iter()
        .chain([&l.offset])
        .filter(|s| **s == DYNAMIC)
        .count();
    if unknown != symbols.len() {
        // An array from outside: its layout is whatever its type takes.
        let closed = Strides {
            strides: l.strides.to_vec(),
            offset: l.offset,
        };
        let closed = closed.closed(sizes)?;
        return Some((closed.strides.into_iter().collect(), closed.offset));
    }
    let mut symbols = symbols.iter();
    let mut fill = |s: i64| {
        if s == DYNAMIC {
            symbols.next().copied()
        } else {
            Some(s)
        }
    };
    let offset = fill(l.offset)?;
    let strides = l
        .strides
        .iter()
        .map(|s| fill(*s))
        .collect::<Option<Dims>>()?;
    Some((strides, offset))
}
