//! Errors while compiled code runs: how they travel and what they say.
//!
//! A function returns a status, 0 or what went wrong: the kind in the low 8 bits and
//! above them one more than the number of the op in [`Sites`]. A status is all there
//! is, so threads need no place in common to report to, and the caller of a function
//! that failed hands it on.

use super::shared::Shared;
use terrace_dialects::attributes::TERRACE_NAME;
use terrace_dialects::func::FuncOp;
use terrace_dialects::function::arg_attr;
use terrace_dialects::{cf, memref};
use terrace_ir::{Context, Loc, Op, OpKind};

/// What went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Trap {
    DivisionByZero = 1,
    OutOfBounds = 2,
    Assert = 3,
    BadSize = 4,
    OutOfMemory = 5,
    BadStep = 6,
    Device = 7,
    Mismatch = 8,
    External = 9,
    NegativePower = 10,
    View = 11,
    NoDimension = 12,
    CopySizes = 13,
    Free = 14,
    Stack = 15,
}

impl Trap {
    fn from_code(code: i32) -> Option<Trap> {
        use Trap::*;
        [
            DivisionByZero,
            OutOfBounds,
            Assert,
            BadSize,
            OutOfMemory,
            BadStep,
            Device,
            Mismatch,
            External,
            NegativePower,
            View,
            NoDimension,
            CopySizes,
            Free,
            Stack,
        ]
        .into_iter()
        .find(|t| *t as i32 == code)
    }

    fn text(self) -> &'static str {
        match self {
            Trap::DivisionByZero => "division by zero",
            Trap::OutOfBounds => "index out of bounds",
            Trap::Assert => "assertion failed",
            Trap::BadSize => "size is negative or too large to allocate",
            Trap::OutOfMemory => "out of memory",
            Trap::BadStep => "loop step is not positive",
            Trap::Device => "the device reported an error",
            Trap::Mismatch => "memref has not the sizes or strides that its type says",
            Trap::External => "the external function returned an error",
            Trap::NegativePower => "zero to a negative power",
            Trap::View => "is a view of elements that its source does not have",
            Trap::NoDimension => "asks for a dimension that the memref does not have",
            Trap::CopySizes => "copies between arrays of different sizes",
            Trap::Free => {
                "frees memory that is not allocated: it is freed already, or no memref.alloc made it"
            }
            Trap::Stack => "stack overflow: too many calls are running inside one another",
        }
    }
}

/// An op that can fail while it runs.
#[derive(Debug, Clone)]
pub(super) struct Site {
    pub loc: Loc,
    pub name: String,
    /// What an assertion says.
    pub message: Option<String>,
    /// What the program calls the array that the op uses.
    pub array: Option<String>,
}

/// The ops of a module that can fail, by number.
#[derive(Debug, Default)]
pub(super) struct Sites {
    pub list: Vec<Site>,
    ids: rustc_hash::FxHashMap<Op, u32>,
}

/// More ops than this cannot be told apart in a status.
const MAX_SITES: usize = (1 << 23) - 2;

impl Sites {
    /// From here on ops of another module are numbered, whose handles may be the same.
    pub fn next_module(&mut self) {
        self.ids.clear();
    }

    /// The number of `op`.
    pub fn id(&mut self, ctx: &Context, op: Op) -> Result<u32, String> {
        if let Some(id) = self.ids.get(&op) {
            return Ok(*id);
        }
        if self.list.len() >= MAX_SITES {
            return Err(format!(
                "is one of more than {MAX_SITES} ops that can fail; split the module"
            ));
        }
        let id = self.list.len() as u32;
        let message = match op.name(ctx) {
            cf::AssertOp::NAME => op
                .attr(ctx, "msg")
                .and_then(|a| a.as_str_lossy(ctx))
                .map(|m| m.into_owned()),
            _ => None,
        };
        self.list.push(Site {
            loc: op.loc(ctx),
            name: op.name(ctx).to_string(),
            message,
            array: array_name(ctx, op),
        });
        self.ids.insert(op, id);
        Ok(id)
    }
}

/// What the program calls the array that an op uses.
fn array_name(ctx: &Context, op: Op) -> Option<String> {
    let mut operands = op.operands(ctx).into_iter();
    let v = operands.find(|v| v.ty(ctx).is_memref(ctx))?;
    if let Some(block) = v.arg_block()
        && let Some(f) = block.parent_op(ctx).and_then(|o| o.cast::<FuncOp>(ctx))
        && let Some(name) = arg_attr(ctx, f.op(), v.index(ctx), TERRACE_NAME)
        && let Some(name) = name.as_str(ctx)
    {
        return Some(name.to_string());
    }
    if let Some(made) = v
        .def_op()
        .filter(|o| o.name(ctx) == memref::GetGlobalOp::NAME)
    {
        let name = made.attr(ctx, "name")?.as_flat_symbol(ctx)?;
        return Some(format!("@{name}"));
    }
    Some(format!("%{}", v.loc(ctx).name(ctx)?))
}

/// The status of `trap` at op number `site`.
pub(super) fn status(trap: Trap, site: u32) -> i32 {
    ((site as i32 + 1) << 8) | trap as i32
}

/// Where and what a status other than 0 says.
pub(super) fn describe(sites: &[Site], shared: &Shared, status: i32) -> (Loc, String) {
    let number = u32::try_from((status >> 8) - 1).unwrap_or(u32::MAX);
    let site = sites.get(number as usize);
    if let (Some(s), Some(Trap::OutOfBounds)) = (site, Trap::from_code(status & 0xff))
        && let Some(note) = shared.note(number)
    {
        let array = s.array.as_deref().unwrap_or("its array");
        let text = format!(
            "'{}' op index {} of {array} is out of bounds for dimension {} of size {}",
            s.name, note.index, note.dimension, note.size
        );
        return (s.loc, text);
    }
    match (site, Trap::from_code(status & 0xff)) {
        (Some(s), Some(t)) => {
            let text = s.message.as_deref().unwrap_or_else(|| t.text());
            (s.loc, format!("'{}' op {text}", s.name))
        }
        _ => (
            Loc::Unknown,
            format!("a callback returned the unknown status {status}"),
        ),
    }
}
