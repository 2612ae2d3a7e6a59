//! Memory spaces: `#xfer.device`, the global memory of a device, and `#xfer.pinned`,
//! memory of the host that devices copy fast.

use terrace_ir::constraint::TypeConstraint;
use terrace_ir::opdef::ParamDef;
use terrace_ir::text::TokenKind as T;
use terrace_ir::text::parser::{OpParser, PResult};
use terrace_ir::text::printer::Printer;
use terrace_ir::{Attr, AttrData, Context, Type, TypeData};

pub(super) static ATTRS: &[ParamDef] = &[
    ParamDef {
        mnemonic: "device",
        parse,
        print,
    },
    ParamDef {
        mnemonic: "pinned",
        parse: |_| Ok(Vec::new()),
        print: |_, _| {},
    },
];

/// `#xfer.device`, or `#xfer.device<2>` for another than device 0.
fn parse(p: &mut OpParser) -> PResult<Vec<Attr>> {
    if !p.eat(T::Less) {
        return Ok(Vec::new());
    }
    let pos = p.pos();
    let n = p.parse_i64()?;
    p.expect(T::Greater)?;
    match n {
        0 => Ok(Vec::new()),
        1.. => Ok(vec![p.ctx.i64_attr(n)]),
        _ => Err(p.error(
            pos,
            format!("expected the number of a device, 0 or more, but got {n}"),
        )),
    }
}

fn print(p: &mut Printer, params: &[Attr]) {
    if let Some(n) = params.first().and_then(|a| a.as_i64(p.ctx)) {
        p.fmt(format_args!("<{n}>"));
    }
}

/// The memory space of device `number`.
pub fn device_space(ctx: &Context, number: u32) -> Attr {
    let params = if number == 0 {
        Vec::new()
    } else {
        vec![ctx.i64_attr(i64::from(number))]
    };
    ctx.attr(AttrData::Dialect {
        dialect: "xfer",
        mnemonic: "device",
        params,
    })
}

/// The device whose memory a memref lies in; `None` for memory of the host.
pub fn device_number(ctx: &Context, memref: Type) -> Option<u32> {
    let params = memref
        .memref_parts(ctx)?
        .1?
        .as_dialect(ctx, "xfer", "device")?;
    match params.first() {
        None => Some(0),
        Some(n) => u32::try_from(n.as_i64(ctx)?).ok(),
    }
}

/// Whether a memref lies in pinned memory of the host: code of the host uses it like any
/// other, and copies to and from a device go without a detour.
pub fn is_pinned(ctx: &Context, memref: Type) -> bool {
    let space = memref.memref_parts(ctx).and_then(|p| p.1);
    space.is_some_and(|s| s.as_dialect(ctx, "xfer", "pinned").is_some())
}

/// Whether a memref lies in the memory of a device.
pub fn is_device(ctx: &Context, memref: Type) -> bool {
    device_number(ctx, memref).is_some()
}

/// The memref type in another memory space, `None` for the host's. A device buffer
/// for a host array of type `t` is of type `in_space(t, device_space(0))`.
pub fn in_space(ctx: &Context, t: Type, to: Option<Attr>) -> Type {
    match t.data(ctx).clone() {
        TypeData::MemRef {
            shape,
            elem,
            layout,
            ..
        } => ctx.ty(TypeData::MemRef {
            shape,
            elem,
            layout,
            space: to,
        }),
        TypeData::UnrankedMemRef { elem, .. } => {
            ctx.ty(TypeData::UnrankedMemRef { elem, space: to })
        }
        _ => t,
    }
}

pub(super) const DEVICE_BUFFER: TypeConstraint =
    TypeConstraint::new("memref in device memory (#xfer.device)", |c, t| {
        t.is_memref(c) && is_device(c, t)
    });

pub(super) const BUFFER: TypeConstraint = TypeConstraint::new(
    "memref in device memory (#xfer.device) or in pinned memory (#xfer.pinned)",
    |c, t| t.is_memref(c) && (is_device(c, t) || is_pinned(c, t)),
);
