//! The memory that a variable of a data clause means: its first byte and how many.

use terrace_c::directive::{DataKind, Dim, Section};
use terrace_c::hir::{Expr, ExprKind, Unit};
use terrace_c::types::{Extent, Type};

use super::lvalue::Path;

/// A stretch of memory, as C expressions that mean the same wherever the clause may
/// stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Memory {
    /// A pointer that the rest counts from.
    pub base: String,
    /// Bytes from the base to the first, signed.
    pub first: String,
    /// How many; nothing if negative.
    pub bytes: String,
    /// Parts of it belong to no element of the section: of inner dimensions not all is
    /// asked for, or it is not known here.
    pub gaps: bool,
    /// For a section with gaps, how to go through it without.
    pub rows: Option<Rows>,
    /// The elements are pointers, and this much of what each points to is meant, counted
    /// from it.
    pub pointed: Option<Box<Memory>>,
    /// It is what pointers point to: the first byte is counted from each.
    pub is_row: bool,
}

impl Memory {
    /// Bytes without gaps behind a pointer.
    pub fn plain(base: String, first: String, bytes: String) -> Memory {
        Memory {
            base,
            first,
            bytes,
            gaps: false,
            rows: None,
            pointed: None,
            is_row: false,
        }
    }

    /// It, what its pointers point to, and so on.
    pub fn levels(self) -> Vec<Memory> {
        let mut all = vec![self];
        while let Some(next) = all.last_mut().and_then(|m| m.pointed.take()) {
            if let Some(m) = all.last_mut() {
                // That there is more is told by a flag.
                m.pointed = Some(Box::new(Memory::plain(
                    String::new(),
                    String::new(),
                    String::new(),
                )));
            }
            all.push(*next);
        }
        all
    }
}

/// A section as contiguous rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rows {
    /// Of each dimension to go through, how many there are, and bytes from one to the
    /// next.
    pub loops: Vec<(String, String)>,
    /// Bytes of a row.
    pub bytes: String,
}

/// Why a section is no memory that can be described, and what would be right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    /// A pointer without a section: nothing says how much.
    Shapeless,
    /// The length of this dimension, from 0, is left out and the type does not say it.
    Length(usize),
    /// More brackets than dimensions.
    TooMany,
    /// An array declared without its size.
    Incomplete,
    /// The front end did not understand the variable.
    Unknown,
}

/// What a clause's variable is.
pub fn object(section: &Section) -> Option<&Expr> {
    section.base.expr.as_ref().map(plain)
}

/// Without the conversion of an array to a pointer.
pub fn plain(mut e: &Expr) -> &Expr {
    while let ExprKind::Decay(array) = &e.kind {
        e = array;
    }
    e
}

/// Which object a clause's variable is.
pub fn path(section: &Section) -> Option<Path> {
    Path::of(object(section)?)
}

/// Whether the clause is about what the variable points to.
pub fn points(section: &Section) -> bool {
    object(section).is_some_and(|e| e.ty.is_pointer())
}

/// Whether the variable has an arithmetic type, and is the whole of it.
pub fn is_scalar(section: &Section) -> bool {
    section.dims.is_empty() && object(section).is_some_and(|e| e.ty.is_arithmetic())
}

/// The memory of a section in a clause of this kind.
pub fn memory(unit: &Unit, section: &Section, kind: DataKind) -> Result<Memory, Problem> {
    let e = object(section).ok_or(Problem::Unknown)?;
    let text = section.base.text.trim();
    let whole = |base: String, bytes: String| Memory::plain(base, "0".to_string(), bytes);
    if matches!(kind, DataKind::Attach | DataKind::Detach) {
        return Ok(whole(format!("&({text})"), format!("(long)sizeof({text})")));
    }
    if !section.dims.is_empty() {
        let mut memory = sub_array(unit, &section.dims, &e.ty, text)?;
        memory.gaps = memory.gaps && memory.pointed.is_none();
        return Ok(memory);
    }
    match &e.ty {
        Type::Pointer(_) if kind == DataKind::Deviceptr => {
            Ok(whole(format!("({text})"), "0".to_string()))
        }
        Type::Pointer(p) => match &p.declared {
            Some(extent @ (Extent::Const(_) | Extent::Expr(_))) => {
                let n = length(unit, extent).unwrap_or_default();
                let bytes = format!("(long)({n}) * (long)sizeof(({text})[0])");
                Ok(whole(format!("({text})"), bytes))
            }
            // One byte finds the array that is there.
            _ if finds(kind) => Ok(whole(format!("({text})"), "1".to_string())),
            _ => Err(Problem::Shapeless),
        },
        // A later declaration may say the size.
        Type::Array(a) if a.len == Extent::Unknown => match &e.kind {
            ExprKind::Var(v) => size_of(unit, &unit.var(*v).ty)
                .map(|n| whole(format!("&({text})"), n.to_string()))
                .ok_or(Problem::Incomplete),
            _ => Err(Problem::Incomplete),
        },
        Type::Function(_) | Type::Void | Type::Other(_) => Err(Problem::Unknown),
        _ => Ok(whole(format!("&({text})"), format!("(long)sizeof({text})"))),
    }
}

/// The pointer to the memory of a clause's variable, if it is itself in memory that may be
/// on the device: `list[i].data`, and not a variable.
pub fn attached(section: &Section, kind: DataKind) -> Option<Memory> {
    let e = object(section)?;
    let moved = matches!(
        kind,
        DataKind::Copy | DataKind::Copyin | DataKind::Copyout | DataKind::Create | DataKind::Delete
    );
    if !moved || !e.ty.is_pointer() || matches!(e.kind, ExprKind::Var(_)) {
        return None;
    }
    let text = section.base.text.trim();
    Some(Memory::plain(
        format!("&({text})"),
        "0".to_string(),
        format!("(long)sizeof({text})"),
    ))
}

/// A clause that only looks for what is there.
fn finds(kind: DataKind) -> bool {
    matches!(
        kind,
        DataKind::Present | DataKind::NoCreate | DataKind::Delete
    )
}

/// A section of what has type `ty`, and of what its pointers point to. `text` is C for
/// it.
fn sub_array(unit: &Unit, all: &[Dim], ty: &Type, text: &str) -> Result<Memory, Problem> {
    let whole_ty = ty;
    let mut ty = ty;
    let mut element = format!("({text})");
    let (mut first, mut bytes) = (Vec::new(), Vec::new());
    let mut dims: Vec<Span1> = Vec::new();
    let mut pointed = None;
    // The dimensions up to the next pointer.
    let count_here = dims_before_pointer(all, ty);
    let here = &all[..count_here];
    for (depth, dim) in here.iter().enumerate() {
        let (of, extent) = match ty {
            Type::Array(a) => (&a.of, Some(&a.len)),
            Type::Pointer(p) => (&p.to, p.declared.as_ref()),
            _ => return Err(Problem::TooMany),
        };
        let size = extent.and_then(|x| match x {
            // The expression of a variable-length array may have another value by now.
            Extent::Expr(_) if depth > 0 || !whole_ty.is_pointer() => {
                Some(format!("(long)(sizeof({element}) / sizeof({element}[0]))"))
            }
            x => length(unit, x),
        });
        let start = dim.start.as_ref().map(|s| s.text.trim().to_string());
        let count = match (&dim.length, dim.single) {
            (_, true) => "1".to_string(),
            (Some(n), _) => format!("(long)({})", n.text.trim()),
            (None, _) => match (&size, &start) {
                (None, _) => return Err(Problem::Length(depth)),
                (Some(n), None) => n.clone(),
                (Some(n), Some(s)) => format!("({n} - (long)({s}))"),
            },
        };
        element.push_str("[0]");
        let each = format!("(long)sizeof({element})");
        if let Some(s) = start.filter(|s| s != "0") {
            first.push(format!("(long)({s}) * {each}"));
        }
        let last = depth + 1 == here.len();
        bytes.push(match last {
            true => format!("{count} * {each}"),
            false => format!("({count} - 1) * {each}"),
        });
        dims.push(Span1 {
            whole: is_whole(unit, dim, extent),
            count,
            each,
        });
        ty = of;
    }
    if here.len() < all.len() {
        // From the pointer on, as from a pointer of its type.
        let mut inner = sub_array(unit, &all[here.len()..], ty, &element)?;
        inner.base = "(char *)0".to_string();
        inner.is_row = true;
        pointed = Some(Box::new(inner));
    }
    let or_zero = |parts: Vec<String>| match parts.is_empty() {
        true => "0".to_string(),
        false => parts.join(" + "),
    };
    let partial = dims.iter().rposition(|d| !d.whole).unwrap_or(0);
    let rows = (partial > 0).then(|| {
        let row = &dims[partial];
        Rows {
            loops: dims[..partial]
                .iter()
                .map(|d| (d.count.clone(), d.each.clone()))
                .collect(),
            bytes: format!("{} * {}", row.count, row.each),
        }
    });
    Ok(Memory {
        base: format!("({text})"),
        first: or_zero(first),
        bytes: or_zero(bytes),
        gaps: partial > 0,
        rows: rows.filter(|_| pointed.is_none()),
        pointed,
        is_row: false,
    })
}

/// How many dimensions of a section, at least one, are of one block of memory.
fn dims_before_pointer(dims: &[Dim], ty: &Type) -> usize {
    let mut ty = ty;
    for depth in 0..dims.len() {
        ty = match ty {
            Type::Array(a) => &a.of,
            Type::Pointer(_) if depth > 0 => return depth,
            Type::Pointer(p) => &p.to,
            _ => break,
        };
    }
    dims.len()
}

/// One dimension of a section.
struct Span1 {
    whole: bool,
    count: String,
    each: String,
}

/// Whether a dimension is asked for from end to end, as far as the text says.
fn is_whole(unit: &Unit, dim: &Dim, extent: Option<&Extent>) -> bool {
    let from_zero = dim.start.as_ref().is_none_or(|s| s.text.trim() == "0");
    let to_end = match (&dim.length, extent) {
        (None, _) => !dim.single,
        (Some(n), Some(Extent::Const(size))) => {
            let value = n.expr.as_ref().map(|e| &e.kind);
            value == Some(&ExprKind::Int(i128::from(*size))) || n.text.trim() == size.to_string()
        }
        (Some(n), Some(Extent::Expr(size))) => n.text.trim() == unit.text(size.span).trim(),
        _ => false,
    };
    from_zero && to_end
}

/// A number of elements as C.
fn length(unit: &Unit, extent: &Extent) -> Option<String> {
    match extent {
        Extent::Const(n) => Some(n.to_string()),
        Extent::Expr(e) => {
            let text = unit.text(e.span).trim();
            (!text.is_empty()).then(|| format!("(long)({text})"))
        }
        Extent::Unknown => None,
    }
}

/// The size of a type whose size is a constant.
pub fn size_of(unit: &Unit, ty: &Type) -> Option<u64> {
    match ty {
        Type::Bool => Some(1),
        Type::Int(i) => Some(u64::from(i.bits) / 8),
        Type::Float(terrace_c::types::Float::F32) => Some(4),
        Type::Float(terrace_c::types::Float::F64) | Type::Pointer(_) => Some(8),
        Type::Array(a) => match a.len {
            Extent::Const(n) => n.checked_mul(size_of(unit, &a.of)?),
            _ => None,
        },
        Type::Record(r) => {
            let record = unit.records.get(*r)?;
            record.fields.as_ref().map(|_| record.size)
        }
        Type::Void | Type::Function(_) | Type::Other(_) => None,
    }
}
