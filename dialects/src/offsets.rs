//! Lists such as `[0, %a, 4]`: each element known when compiling or given by a value.
//!
//! An op keeps such a list as an array of integers, in which
//! [`DYNAMIC`] stands for "the next
//! of the op's values". Offsets, sizes and strides of slices are three such lists.

use terrace_ir::opdef::{Invalid, Verified};
use terrace_ir::text::TokenKind as T;
use terrace_ir::text::parser::{PResult, Parser, UnresolvedOperand};
use terrace_ir::text::printer::Printer;
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Context, Op, OpState, Value};

/// One element of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mixed {
    /// A number.
    Static(i64),
    /// A value of type `index`.
    Value(Value),
}

impl Mixed {
    /// The number, where the element is one or a value known to be constant.
    pub fn constant(self, ctx: &Context) -> Option<i64> {
        match self {
            Mixed::Static(v) => Some(v),
            Mixed::Value(v) => ctx.constant_int(v),
        }
    }

    /// The number written in the list; [`DYNAMIC`] for a value.
    pub(crate) fn or_dynamic(self) -> i64 {
        match self {
            Mixed::Static(v) => v,
            Mixed::Value(_) => DYNAMIC,
        }
    }
}

/// The elements that `statics` and `values` stand for; `None` where the number of
/// values is not that of the dynamic elements.
pub fn join(statics: &[i64], values: &[Value]) -> Option<Vec<Mixed>> {
    let mut values = values.iter();
    let mut list = Vec::with_capacity(statics.len());
    for s in statics {
        list.push(if *s == DYNAMIC {
            Mixed::Value(*values.next()?)
        } else {
            Mixed::Static(*s)
        });
    }
    values.next().is_none().then_some(list)
}

/// The inverse of [`join`].
pub fn split(list: &[Mixed]) -> (Vec<i64>, Vec<Value>) {
    let statics = list.iter().map(|m| m.or_dynamic()).collect();
    let values = list.iter().filter_map(|m| match m {
        Mixed::Value(v) => Some(*v),
        Mixed::Static(_) => None,
    });
    (statics, values.collect())
}

/// Turn values that are known constants into numbers; whether there was one.
/// Negative ones stay where `non_negative` asks for that.
pub fn fold_constants(ctx: &Context, list: &mut [Mixed], non_negative: bool) -> bool {
    let mut changed = false;
    for m in list {
        if let Mixed::Value(v) = *m
            && let Some(c) = ctx.constant_int(v)
            && c != DYNAMIC
            && !(non_negative && c < 0)
        {
            *m = Mixed::Static(c);
            changed = true;
        }
    }
    changed
}

/// A list as it was parsed: the values still unresolved, all of type index.
#[derive(Debug, Default)]
pub struct Parsed<'a> {
    /// Each entry; [`DYNAMIC`] where a value stands.
    pub statics: Vec<i64>,
    /// The values, in order.
    pub values: Vec<UnresolvedOperand<'a>>,
}

/// `[0, %a, 4]`.
pub fn parse_list<'a>(p: &mut Parser<'a>) -> PResult<Parsed<'a>> {
    let mut list = Parsed::default();
    p.parse_list(T::LSquare, T::RSquare, |p| {
        if let Some(v) = p.parse_optional_operand()? {
            list.values.push(v);
            list.statics.push(DYNAMIC);
        } else if let Some(n) = p.parse_optional_i64()? {
            list.statics.push(n);
        } else {
            return Err(p.error_here("expected SSA value or integer"));
        }
        Ok(())
    })?;
    Ok(list)
}

/// The counterpart of [`parse_list`].
pub(crate) fn print_list(p: &mut Printer, statics: &[i64], values: &[Value]) {
    let mut values = values.iter();
    p.write("[");
    for (i, s) in statics.iter().enumerate() {
        if i > 0 {
            p.write(", ");
        }
        match values.as_slice().first() {
            Some(v) if *s == DYNAMIC => {
                values.next();
                p.value(*v);
            }
            _ => p.fmt(format_args!("{s}")),
        }
    }
    p.write("]");
}

/// Offsets, sizes and strides of a slice of an array, one of each per dimension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slice {
    /// Subscripts of the first element.
    pub offsets: Vec<Mixed>,
    /// Elements taken.
    pub sizes: Vec<Mixed>,
    /// Distance of elements taken.
    pub strides: Vec<Mixed>,
}

/// The operand groups of a slice-like op and the attributes beside them.
const GROUPS: [(&str, &str); 3] = [
    ("offsets", "static_offsets"),
    ("sizes", "static_sizes"),
    ("strides", "static_strides"),
];

impl Slice {
    /// The slice of an op with operands `offsets`, `sizes`, `strides` and attributes
    /// `static_offsets` and so on; `None` where they do not fit together.
    pub fn of(ctx: &Context, op: Op) -> Option<Slice> {
        let [offsets, sizes, strides] = GROUPS.map(|(values, statics)| {
            join(
                &op.attr(ctx, statics)?.as_i64_array(ctx)?,
                &op.operand_group(ctx, values),
            )
        });
        Some(Slice {
            offsets: offsets?,
            sizes: sizes?,
            strides: strides?,
        })
    }

    fn lists(&self) -> [&[Mixed]; 3] {
        [&self.offsets, &self.sizes, &self.strides]
    }

    /// The numbers of the three lists, [`DYNAMIC`] for values.
    pub fn statics(&self) -> [Vec<i64>; 3] {
        self.lists().map(|l| split(l).0)
    }

    /// Add the values and attributes to an op being made, whose operands so far are
    /// `before` groups of one value each.
    pub fn set(&self, ctx: &Context, state: &mut OpState, before: usize) {
        let mut segments = vec![1i32; before];
        for ((_, name), list) in GROUPS.iter().zip(self.lists()) {
            let (statics, values) = split(list);
            segments.push(i32::try_from(values.len()).unwrap_or(i32::MAX));
            state.operands.extend(values);
            state.set_attr(ctx, name, ctx.i64_array(&statics));
        }
        state.set_attr(ctx, "operandSegmentSizes", ctx.i32_array(&segments));
    }

    /// Turn values that are known constants into numbers; whether there was one.
    pub fn fold_constants(&mut self, ctx: &Context) -> bool {
        // All three must be tried.
        let offsets = fold_constants(ctx, &mut self.offsets, true);
        let sizes = fold_constants(ctx, &mut self.sizes, true);
        let strides = fold_constants(ctx, &mut self.strides, false);
        offsets || sizes || strides
    }
}

/// Resolve the three parsed lists behind `before` operands of one value each.
pub(crate) fn resolve_slice<'a>(
    p: &mut Parser<'a>,
    state: &mut OpState,
    before: usize,
    lists: [Parsed<'a>; 3],
) -> PResult<()> {
    let mut segments = vec![1i32; before];
    let index = p.ctx.index();
    for ((_, name), list) in GROUPS.iter().zip(lists) {
        segments.push(i32::try_from(list.values.len()).unwrap_or(i32::MAX));
        let values = p.resolve_all(&list.values, index)?;
        state.operands.extend(values);
        let a = p.ctx.i64_array(&list.statics);
        state.set_attr(p.ctx, name, a);
    }
    let segments = p.ctx.i32_array(&segments);
    state.set_attr(p.ctx, "operandSegmentSizes", segments);
    Ok(())
}

/// The attributes that [`resolve_slice`] sets, which a printer leaves out.
pub(crate) const SLICE_ATTRS: [&str; 4] = [
    "operandSegmentSizes",
    "static_offsets",
    "static_sizes",
    "static_strides",
];

/// The rules of offsets, sizes and strides; `ranks` are the numbers of each that the
/// op wants. A single offset is fine where one is wanted.
pub(crate) fn verify_slice(ctx: &Context, op: Op, ranks: [usize; 3]) -> Verified {
    let fail = |m: String| Err(Invalid::plain(m));
    let mut lists = Vec::with_capacity(3);
    for (values, name) in GROUPS {
        let statics = op
            .attr(ctx, name)
            .and_then(|a| a.as_i64_array(ctx))
            .unwrap_or_default();
        let want = statics.iter().filter(|s| **s == DYNAMIC).count();
        let have = op.operand_group(ctx, values).len();
        if have != want {
            return fail(format!(
                "expected the number of '{values}' to match the number of dynamic entries in '{name}' ({have} vs {want})"
            ));
        }
        lists.push(statics);
    }
    let [offsets, sizes, strides] = [lists[0].len(), lists[1].len(), lists[2].len()];
    let well_formed = "so the rank of the result type is well-formed.";
    if !(offsets == 1 && ranks[0] == 1) && offsets != sizes {
        return fail(format!(
            "expected mixed offsets rank to match mixed sizes rank ({offsets} vs {sizes}) {well_formed}"
        ));
    }
    if sizes != strides {
        return fail(format!(
            "expected mixed sizes rank to match mixed strides rank ({sizes} vs {strides}) {well_formed}"
        ));
    }
    for ((list, want), what) in lists.iter().zip(ranks).zip(["offset", "size", "stride"]) {
        if list.len() != want {
            return fail(format!("expected {want} {what} values, got {}", list.len()));
        }
    }
    for (list, what) in lists.iter().zip(["offsets", "sizes"]) {
        if let Some(v) = list.iter().find(|v| **v < 0 && **v != DYNAMIC) {
            return fail(format!("expected {what} to be non-negative, but got {v}"));
        }
    }
    Ok(())
}

/// Whether a slice stays inside an array of this shape, as far as that is known; the
/// error says where it does not.
pub fn check_bounds(shape: &[i64], slice: &Slice) -> Result<(), String> {
    let [offsets, sizes, strides] = slice.statics();
    for (i, (((n, o), size), stride)) in shape
        .iter()
        .zip(offsets)
        .zip(sizes)
        .zip(strides)
        .enumerate()
    {
        if *n == DYNAMIC || o == DYNAMIC {
            continue;
        }
        if o >= *n {
            return Err(format!("offset {i} is out-of-bounds: {o} >= {n}"));
        }
        if size == DYNAMIC || stride == DYNAMIC {
            continue;
        }
        let last = i128::from(o) + (i128::from(size) - 1) * i128::from(stride);
        if last >= i128::from(*n) {
            return Err(format!(
                "slice along dimension {i} runs out-of-bounds: {last} >= {n}"
            ));
        }
    }
    Ok(())
}
