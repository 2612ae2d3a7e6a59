//! The memory that a variable of a data clause means: its first byte and how many.

use terrace_c::directive::{DataKind, Dim, Section};
use terrace_c::hir::{Expr, ExprKind, Unit};
use terrace_c::types::{Extent, Float, Type};

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
    /// The elements are pointers, and this is the part of what each of them points to:
    /// its base is 0.
    pub below: Option<Box<Memory>>,
    /// The base is the value of this pointer, `a[i]` of an array of pointers or a member:
    /// where the pointer is on the device, it points to this memory there.
    pub attach: Option<String>,
}

impl Memory {
    /// Bytes that are all asked for.
    pub fn contiguous(base: String, first: String, bytes: String) -> Memory {
        Memory {
            base,
            first,
            bytes,
            gaps: false,
            rows: None,
            below: None,
            attach: None,
        }
    }

    /// All of a variable.
    pub fn of_variable(text: &str) -> Memory {
        let (base, bytes) = (format!("&({text})"), format!("(long)sizeof({text})"));
        Memory::contiguous(base, "0".to_string(), bytes)
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
    /// An array of pointers of which a part has gaps.
    Rows,
    /// What is to be attached is no pointer, and no array or section of them.
    NoPointer,
    /// An array declared without its size.
    Incomplete,
    /// The front end did not understand the variable.
    Unknown,
}

impl Memory {
    /// Whether it is not of the variable `text`, but of a row that a pointer in it leads
    /// to.
    pub fn is_row(&self, text: &str) -> bool {
        self.attach.is_some() && self.base != format!("({text})")
    }
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
    let whole = |base: String, bytes| Memory::contiguous(base, "0".to_string(), bytes);
    if matches!(kind, DataKind::Attach | DataKind::Detach) {
        if !element(&e.ty, section.dims.len()).is_pointer() {
            return Err(Problem::NoPointer);
        }
        if section.dims.is_empty() {
            return Ok(Memory::of_variable(text));
        }
        // The pointers of the section, and not what they are behind or point to.
        let memory = sub_array(unit, section, e, text)?;
        return match memory.gaps || memory.below.is_some() {
            true => Err(Problem::NoPointer),
            false => Ok(Memory {
                attach: None,
                ..memory
            }),
        };
    }
    if !section.dims.is_empty() {
        return sub_array(unit, section, e, text);
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
        _ => Ok(Memory::of_variable(text)),
    }
}

/// The type behind as many brackets, and behind those of arrays.
fn element(mut ty: &Type, brackets: usize) -> &Type {
    for _ in 0..brackets {
        ty = match ty {
            Type::Array(a) => &a.of,
            Type::Pointer(p) => &p.to,
            _ => return &Type::Void,
        };
    }
    while let Type::Array(a) = ty {
        ty = &a.of;
    }
    ty
}

/// A clause that only looks for what is there.
fn finds(kind: DataKind) -> bool {
    matches!(
        kind,
        DataKind::Present | DataKind::NoCreate | DataKind::Delete
    )
}

fn sub_array(unit: &Unit, section: &Section, e: &Expr, text: &str) -> Result<Memory, Problem> {
    let mut ty = &e.ty;
    let mut dims = section.dims.as_slice();
    let mut element = format!("({text})");
    let mut attach = None;
    // `a[i][0:m]` is about the row that one pointer points to, as if it were a variable.
    loop {
        let row = match ty {
            Type::Array(a) => &a.of,
            Type::Pointer(p) => &p.to,
            _ => return Err(Problem::TooMany),
        };
        let Some((first, rest)) = dims.split_first() else {
            break;
        };
        let (Some(at), true, true) = (&first.start, first.single, row.is_pointer()) else {
            break;
        };
        if rest.is_empty() {
            break;
        }
        element = format!("({element}[{}])", at.text.trim());
        attach = Some(element.clone());
        (ty, dims) = (row, rest);
    }
    let mut levels: Vec<Memory> = Vec::new();
    let outer = matches!(ty, Type::Pointer(_)) || attach.is_some();
    while !dims.is_empty() {
        let base = match levels.is_empty() {
            true => element.clone(),
            false => "0".to_string(),
        };
        let level = Level {
            unit,
            behind_pointer: outer || !levels.is_empty(),
            base,
        };
        let depth = section.dims.len() - dims.len();
        let (memory, used, of) = level.memory(dims, depth, ty, &mut element)?;
        levels.push(memory);
        (ty, dims) = (of, &dims[used..]);
    }
    // Pointers that lie in gaps may point anywhere.
    let (last, tables) = levels.split_last().ok_or(Problem::Unknown)?;
    if tables.iter().any(|t| t.gaps) || last.gaps && (!tables.is_empty() || attach.is_some()) {
        return Err(Problem::Rows);
    }
    // The pointer may be in memory that is present.
    if let (None, ExprKind::Member { .. }, true) = (&attach, &e.kind, e.ty.is_pointer()) {
        attach = Some(format!("({text})"));
    }
    let mut memory = last.clone();
    for table in tables.iter().rev() {
        memory = Memory {
            below: Some(Box::new(memory)),
            ..table.clone()
        };
    }
    memory.attach = attach;
    Ok(memory)
}

/// Dimensions of a section that are one piece of memory: those up to the first whose
/// elements are pointers.
struct Level<'a> {
    unit: &'a Unit,
    /// The outermost dimension is behind a pointer.
    behind_pointer: bool,
    base: String,
}

impl Level<'_> {
    /// The memory of the first of `dims`, how many they are, and the type of what they
    /// subscript. `element` is an lvalue of type `ty`, and one of that type afterwards.
    fn memory<'t>(
        &self,
        all: &[Dim],
        depth: usize,
        mut ty: &'t Type,
        element: &mut String,
    ) -> Result<(Memory, usize, &'t Type), Problem> {
        let (mut first, mut bytes) = (Vec::new(), Vec::new());
        let mut dims: Vec<Span1> = Vec::new();
        for (i, dim) in all.iter().enumerate() {
            let (of, extent) = match ty {
                Type::Array(a) => (&a.of, Some(&a.len)),
                Type::Pointer(_) if i > 0 => break,
                Type::Pointer(p) => (&p.to, p.declared.as_ref()),
                _ => return Err(Problem::TooMany),
            };
            let size = extent.and_then(|x| match x {
                // The expression of a variable-length array may have another value by now.
                Extent::Expr(_) if i > 0 || !self.behind_pointer => {
                    // An inner size may be 0 when the program runs.
                    Some(format!(
                        "(long)(sizeof({element}) ? sizeof({element}) / sizeof({element}[0]) : 0)"
                    ))
                }
                x => length(self.unit, x),
            });
            let start = dim.start.as_ref().map(|s| s.text.trim().to_string());
            let count = match (&dim.length, dim.single) {
                (_, true) => "1".to_string(),
                (Some(n), _) => format!("(long)({})", n.text.trim()),
                (None, _) => match (&size, &start) {
                    (None, _) => return Err(Problem::Length(depth + i)),
                    (Some(n), None) => n.clone(),
                    (Some(n), Some(s)) => format!("({n} - (long)({s}))"),
                },
            };
            element.push_str("[0]");
            let each = format!("(long)sizeof({element})");
            if let Some(s) = start.filter(|s| s != "0") {
                first.push(format!("(long)({s}) * {each}"));
            }
            let last = i + 1 == all.len() || matches!(of, Type::Pointer(_));
            bytes.push(match last {
                true => format!("{count} * {each}"),
                false => format!("({count} - 1) * {each}"),
            });
            dims.push(Span1 {
                whole: is_whole(self.unit, dim, extent),
                count,
                each,
            });
            ty = of;
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
        let memory = Memory {
            gaps: partial > 0,
            rows,
            ..Memory::contiguous(self.base.clone(), or_zero(first), or_zero(bytes))
        };
        Ok((memory, dims.len(), ty))
    }
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
        Type::Float(Float::F32) => Some(4),
        Type::Float(Float::F64) | Type::Pointer(_) => Some(8),
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
