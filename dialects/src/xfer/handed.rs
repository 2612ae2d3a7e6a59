//! Mirrors that are handed to functions: what a function says of an array and its mirror
//! among its arguments.
//!
//! ```text
//! func.func private @step(%A: memref<8xf32>, %d: memref<8xf32, #xfer.device> {xfer.mirror =
//!     {of = 0 : index, needs = "device", host = "stale", device = "valid"}})
//! ```
//!
//! Argument `of` is the array. It has to be valid, whenever the function is called, on the
//! sides that `needs` names: none, host, device or both. What `host` and `device` say holds
//! when the function returns. With `flags` the function may ask `xfer.ensure` about the
//! pair: what the flags call valid is valid when it is called, and when it returns.

use super::Side;
use super::ops::compatible_shapes;
use super::space::device_number;
use crate::func::FuncOp;
use crate::function::{arg_attrs, types_of};
use crate::memref::layout::has_identity_layout;
use terrace_ir::{Attr, Context, Op, Str};

/// The attribute of a mirror among the arguments of a function.
pub const ATTR: &str = "xfer.mirror";

/// What holds on a side when a function returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Leaves {
    /// The whole array is valid.
    Valid,
    /// It may be stale, and nobody may count on anything else.
    Stale,
    /// It is valid if it was so when the function was called.
    Kept,
    /// Valid on some paths and stale on others; the flags know.
    Unknown,
}

impl Leaves {
    const ALL: [(Leaves, &'static str); 4] = [
        (Leaves::Valid, "valid"),
        (Leaves::Stale, "stale"),
        (Leaves::Kept, "kept"),
        (Leaves::Unknown, "unknown"),
    ];

    /// The word in the IR.
    pub fn word(self) -> &'static str {
        Leaves::ALL
            .iter()
            .find(|l| l.0 == self)
            .map_or("unknown", |l| l.1)
    }
}

/// What a function says of a pair among its arguments. Sides are numbered host, device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Handed {
    /// The argument that is the array.
    pub array: usize,
    /// The argument that is the mirror.
    pub mirror: usize,
    /// Whether each side must be valid when the function is called.
    pub needs: [bool; 2],
    /// What each side is when the function returns.
    pub leaves: [Leaves; 2],
    /// Whether the flags of the pair are right at the call and at the return.
    pub flags: bool,
}

impl Handed {
    /// Whether this side must be valid when the function is called.
    pub fn needs(&self, side: Side) -> bool {
        self.needs[side as usize]
    }

    /// What this side is when the function returns.
    pub fn leaves(&self, side: Side) -> Leaves {
        self.leaves[side as usize]
    }

    /// The word for what is needed.
    pub(crate) fn needs_word(&self) -> &'static str {
        match self.needs {
            [false, false] => "none",
            [true, false] => "host",
            [false, true] => "device",
            [true, true] => "both",
        }
    }
}

/// The pairs among the arguments of a function, in the order of the mirrors; none where
/// `op` is no `func.func`.
///
/// # Errors
///
/// What is wrong with the first attribute that is, to stand behind `'func.func' op `.
pub fn handed(ctx: &Context, op: Op) -> Result<Vec<Handed>, String> {
    let mut out: Vec<Handed> = Vec::new();
    if !op.isa::<FuncOp>(ctx) || op.attr(ctx, "arg_attrs").is_none() {
        return Ok(out);
    }
    let inputs = types_of(ctx, op).0;
    for mirror in 0..inputs.len() {
        let Some(dict) = attr_of(ctx, op, mirror) else {
            continue;
        };
        let h = read(ctx, op, mirror, dict)
            .map_err(|why| format!("has '{ATTR}' on argument {mirror}, which {why}"))?;
        if let Some(other) = out.iter().find(|o| o.array == h.array) {
            return Err(format!(
                "has mirrors of argument {} in the arguments {} and {mirror}; a function takes one mirror of an array",
                h.array, other.mirror
            ));
        }
        out.push(h);
    }
    Ok(out)
}

fn attr_of(ctx: &Context, op: Op, i: usize) -> Option<Attr> {
    let mut attrs = arg_attrs(ctx, op, i).iter();
    attrs.find(|(k, _)| ctx.str(*k) == ATTR).map(|a| a.1)
}

fn read(ctx: &Context, op: Op, mirror: usize, dict: Attr) -> Result<Handed, String> {
    let shape = r#"is no {of = 0 : index, needs = "host", host = "valid", device = "unknown"}"#;
    let entries = dict.as_dict(ctx).ok_or(shape)?;
    let get = |name: &str| entries.iter().find(|e| ctx.str(e.0) == name).map(|e| e.1);
    for (k, _) in entries {
        let name = ctx.str(*k);
        if !["of", "needs", "host", "device", "flags"].contains(&name) {
            return Err(format!(
                "has an entry '{name}'; there are of, needs, host, device and flags"
            ));
        }
    }
    let inputs = types_of(ctx, op).0;
    let array = get("of")
        .and_then(|a| usize::try_from(a.as_i64(ctx)?).ok())
        .filter(|i| *i < inputs.len() && *i != mirror)
        .ok_or("does not say 'of' which other argument, by its number, it is the mirror")?;
    let (a, m) = (inputs[array], inputs[mirror]);
    let pair = a.is_memref(ctx)
        && m.is_memref(ctx)
        && device_number(ctx, a).is_none()
        && device_number(ctx, m).is_some()
        && a.element(ctx) == m.element(ctx)
        && compatible_shapes(ctx, a, m)
        && has_identity_layout(ctx, a)
        && has_identity_layout(ctx, m);
    if !pair {
        return Err(format!(
            "makes '{}' a mirror of '{}': it must lie on a device, the array on the host, both row-major with the same elements and shape",
            ctx.type_text(m),
            ctx.type_text(a)
        ));
    }
    let needs = match get("needs").and_then(|a| a.as_str(ctx)) {
        Some("none") => [false, false],
        Some("host") => [true, false],
        Some("device") => [false, true],
        Some("both") => [true, true],
        _ => return Err("must say what it 'needs': none, host, device or both".into()),
    };
    let leaves = |side: &str| {
        let word = get(side).and_then(|a| a.as_str(ctx));
        let known = Leaves::ALL.iter().find(|l| Some(l.1) == word);
        known.map(|l| l.0).ok_or(format!(
            "must say how it leaves the {side}: valid, stale, kept or unknown"
        ))
    };
    Ok(Handed {
        array,
        mirror,
        needs,
        leaves: [leaves("host")?, leaves("device")?],
        flags: get("flags").is_some(),
    })
}

/// Writes what a function says of a pair among its arguments.
pub fn set_handed(ctx: &Context, op: Op, h: &Handed) {
    let text = |s: &str| ctx.string_attr(s);
    let mut entries = vec![
        (ctx.intern("of"), ctx.index_attr(h.array as i64)),
        (ctx.intern("needs"), text(h.needs_word())),
        (ctx.intern("host"), text(h.leaves[0].word())),
        (ctx.intern("device"), text(h.leaves[1].word())),
    ];
    if h.flags {
        entries.push((ctx.intern("flags"), ctx.attr(terrace_ir::AttrData::Unit)));
    }
    let dict = ctx.dict_attr(entries);
    edit(ctx, op, h.mirror, |list| {
        list.push((ctx.intern(ATTR), dict));
    });
}

/// Takes away what a function says of its arguments' mirrors.
pub fn clear_handed(ctx: &Context, op: Op) {
    for i in 0..types_of(ctx, op).0.len() {
        if attr_of(ctx, op, i).is_some() {
            edit(ctx, op, i, |_| {});
        }
    }
}

/// Changes the attributes of an argument, those without this one.
fn edit(ctx: &Context, op: Op, i: usize, f: impl FnOnce(&mut Vec<(Str, Attr)>)) {
    let n = types_of(ctx, op).0.len();
    let mut all: Vec<Vec<(Str, Attr)>> = (0..n).map(|i| arg_attrs(ctx, op, i).to_vec()).collect();
    all[i].retain(|(k, _)| ctx.str(*k) != ATTR);
    f(&mut all[i]);
    if all.iter().all(Vec::is_empty) {
        op.remove_attr(ctx, "arg_attrs");
        return;
    }
    let dicts = all.into_iter().map(|l| ctx.dict_attr(l)).collect();
    op.set_attr(ctx, "arg_attrs", ctx.array_attr(dicts));
}

/// Adds arguments at the end of a function that has a body.
pub fn add_arguments(ctx: &Context, op: Op, types: &[terrace_ir::Type]) -> Vec<terrace_ir::Value> {
    let (inputs, results) = types_of(ctx, op);
    let inputs: Vec<_> = inputs.iter().chain(types).copied().collect();
    let ty = ctx.function_type(&inputs, results);
    let had = op.attr(ctx, "arg_attrs").and_then(|a| a.as_array(ctx));
    let had = had.map(<[Attr]>::to_vec);
    op.set_attr(ctx, "function_type", ctx.type_attr(ty));
    if let Some(mut all) = had {
        all.resize_with(inputs.len(), || ctx.dict_attr([]));
        op.set_attr(ctx, "arg_attrs", ctx.array_attr(all));
    }
    let entry = op.body(ctx, 0);
    types.iter().map(|t| entry.add_arg(ctx, *t)).collect()
}
