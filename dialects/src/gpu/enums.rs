//! The enumerations of the dialect and the attributes that hold them.

use crate::enums::{self, keyword, parse_angle, parse_bare, value_of};
use terrace_ir::constraint::{AttrConstraint, EnumDef, EnumStorage, dialect_enum_attr};
use terrace_ir::opdef::ParamDef;
use terrace_ir::text::TokenKind as T;
use terrace_ir::text::parser::{OpParser, PResult};
use terrace_ir::text::printer::Printer;
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Attr, Context, Type};

const fn def(
    name: &'static str,
    mnemonic: &'static str,
    cases: &'static [(&'static str, i64)],
) -> EnumDef {
    enums::of("gpu", name, mnemonic, cases)
}

/// A dimension of a grid, block or cluster.
pub static DIMENSION: EnumDef = def(
    "::mlir::gpu::Dimension",
    "dim",
    &[("x", 0), ("y", 1), ("z", 2)],
);

/// How `gpu.all_reduce` and `gpu.subgroup_reduce` combine.
pub static ALL_REDUCE: EnumDef = def(
    "::mlir::gpu::AllReduceOperation",
    "all_reduce_op",
    &[
        ("add", 0),
        ("mul", 1),
        ("minui", 2),
        ("minsi", 3),
        ("minnumf", 4),
        ("maxui", 5),
        ("maxsi", 6),
        ("maxnumf", 7),
        ("and", 8),
        ("or", 9),
        ("xor", 10),
        ("minimumf", 11),
        ("maximumf", 12),
    ],
);

/// From which lane `gpu.shuffle` reads.
pub static SHUFFLE_MODE: EnumDef = def(
    "::mlir::gpu::ShuffleMode",
    "shuffle_mode",
    &[("xor", 0), ("up", 2), ("down", 1), ("idx", 3)],
);

/// The operations of `gpu.subgroup_mma_elementwise`.
pub static MMA_ELEMENTWISE: EnumDef = def(
    "::mlir::gpu::MMAElementwiseOp",
    "mma_element_wise",
    &[
        ("addf", 0),
        ("mulf", 1),
        ("subf", 2),
        ("maxf", 3),
        ("minf", 4),
        ("divf", 5),
        ("addi", 6),
        ("muli", 7),
        ("subi", 8),
        ("divs", 9),
        ("divu", 10),
        ("negatef", 11),
        ("negates", 12),
        ("extf", 13),
    ],
);

/// The lane that `gpu.subgroup_broadcast` reads.
pub(crate) static BROADCAST: EnumDef = def(
    "::mlir::gpu::BroadcastType",
    "broadcast",
    &[("first_active_lane", 0), ("specific_lane", 1)],
);

/// Memory spaces of a device: `#gpu.address_space<workgroup>`.
pub static ADDRESS_SPACE: EnumDef = def(
    "::mlir::gpu::AddressSpace",
    "address_space",
    &[("global", 1), ("workgroup", 2), ("private", 3)],
);

static MEMORY_SPACE: EnumDef = EnumDef {
    storage: EnumStorage::Dialect {
        dialect: "gpu",
        mnemonic: "memory_space",
    },
    ..def(
        "::mlir::gpu::AddressSpace",
        "memory_space",
        &[("global", 1), ("workgroup", 2), ("private", 3)],
    )
};

/// The units that loops may be mapped to, by dimension or by linear id.
static MAPPING_ID: EnumDef = def(
    "::mlir::gpu::MappingId",
    "block",
    &[
        ("x", 0),
        ("y", 1),
        ("z", 2),
        ("linear_dim_0", 3),
        ("linear_dim_1", 4),
        ("linear_dim_2", 5),
        ("linear_dim_3", 6),
        ("linear_dim_4", 7),
        ("linear_dim_5", 8),
        ("linear_dim_6", 9),
        ("linear_dim_7", 10),
        ("linear_dim_8", 11),
        ("linear_dim_9", 12),
    ],
);

static PROCESSOR: EnumDef = def(
    "::mlir::gpu::Processor",
    "processor",
    &[
        ("block_x", 0),
        ("block_y", 1),
        ("block_z", 2),
        ("thread_x", 3),
        ("thread_y", 4),
        ("thread_z", 5),
        ("sequential", 6),
    ],
);

pub(super) const DIMENSION_ATTR: AttrConstraint = dialect_enum_attr(
    "a dimension, either 'x', 'y', or 'z'",
    |c, a| DIMENSION.value(c, a).is_some(),
    "gpu",
    "dim",
);
pub(super) const ALL_REDUCE_ATTR: AttrConstraint = dialect_enum_attr(
    "built-in reduction operations supported by gpu.allreduce.",
    |c, a| ALL_REDUCE.value(c, a).is_some(),
    "gpu",
    "all_reduce_op",
);
pub(super) const SHUFFLE_MODE_ATTR: AttrConstraint = dialect_enum_attr(
    "Indexing modes supported by gpu.shuffle.",
    |c, a| SHUFFLE_MODE.value(c, a).is_some(),
    "gpu",
    "shuffle_mode",
);
pub(super) const MMA_ELEMENTWISE_ATTR: AttrConstraint = dialect_enum_attr(
    "elementwise operation to apply to mma matrix",
    |c, a| MMA_ELEMENTWISE.value(c, a).is_some(),
    "gpu",
    "mma_element_wise",
);
pub(super) const BROADCAST_ATTR: AttrConstraint = dialect_enum_attr(
    "a lane to broadcast from",
    |c, a| BROADCAST.value(c, a).is_some(),
    "gpu",
    "broadcast",
);

/// `#gpu.address_space<workgroup>`: the memory shared by the threads of a block.
pub fn workgroup_space(ctx: &Context) -> Attr {
    ADDRESS_SPACE.attr(ctx, 2)
}

/// A memref of that shape in the memory shared by the threads of a block.
pub fn workgroup_memref(ctx: &Context, shape: &[i64], elem: Type) -> Type {
    ctx.memref_in(shape, elem, Some(workgroup_space(ctx)))
}

/// `memref<?xi8, #gpu.address_space<workgroup>>`: workgroup memory whose bytes a launch says.
pub fn dynamic_workgroup_bytes(ctx: &mut Context) -> Type {
    workgroup_memref(ctx, &[DYNAMIC], ctx.int(8))
}

/// Whether a memory space is `#gpu.address_space<workgroup>`.
pub fn is_workgroup_space(ctx: &Context, space: Option<Attr>) -> bool {
    space.and_then(|s| ADDRESS_SPACE.value(ctx, s)) == Some(2)
}

/// An attribute that is one keyword: `#gpu<dim x>`, or in brackets `#gpu.block<x>`.
macro_rules! keyword_attr {
    ($mnemonic:literal, bare $d:ident) => {
        ParamDef {
            mnemonic: $mnemonic,
            parse: |p| parse_bare(p, &$d),
            print: |p, a| {
                let k = value_of(p, &$d, a);
                p.fmt(format_args!(" {k}"));
            },
        }
    };
    ($mnemonic:literal, angle $d:ident) => {
        ParamDef {
            mnemonic: $mnemonic,
            parse: |p| parse_angle(p, &$d),
            print: |p, a| {
                let k = value_of(p, &$d, a);
                p.fmt(format_args!("<{k}>"));
            },
        }
    };
}

pub(super) static ATTRS: &[ParamDef] = &[
    keyword_attr!("dim", bare DIMENSION),
    keyword_attr!("all_reduce_op", bare ALL_REDUCE),
    keyword_attr!("shuffle_mode", bare SHUFFLE_MODE),
    keyword_attr!("mma_element_wise", bare MMA_ELEMENTWISE),
    keyword_attr!("broadcast", bare BROADCAST),
    keyword_attr!("address_space", angle ADDRESS_SPACE),
    keyword_attr!("memory_space", angle MEMORY_SPACE),
    keyword_attr!("block", angle MAPPING_ID),
    keyword_attr!("warpgroup", angle MAPPING_ID),
    keyword_attr!("warp", angle MAPPING_ID),
    keyword_attr!("thread", angle MAPPING_ID),
    keyword_attr!("lane", angle MAPPING_ID),
    ParamDef {
        mnemonic: "mask",
        parse: parse_mask,
        print: print_mask,
    },
    ParamDef {
        mnemonic: "loop_dim_map",
        parse: parse_loop_dim_map,
        print: print_loop_dim_map,
    },
    ParamDef {
        mnemonic: "select_object",
        parse: parse_select,
        print: print_select,
    },
];

fn parse_mask(p: &mut OpParser) -> PResult<Vec<Attr>> {
    p.expect(T::Less)?;
    let v = p.parse_i64()?;
    p.expect(T::Greater)?;
    Ok(vec![p.ctx.i64_attr(v)])
}

fn print_mask(p: &mut Printer, params: &[Attr]) {
    let v = params.first().and_then(|a| a.as_i64(p.ctx)).unwrap_or(0);
    p.fmt(format_args!("<{v}>"));
}

/// `<processor = block_x, map = (d0) -> (d0), bound = (d0) -> (d0)>`, in any order.
fn parse_loop_dim_map(p: &mut OpParser) -> PResult<Vec<Attr>> {
    const NAMES: [&str; 3] = ["processor", "map", "bound"];
    let start = p.pos();
    let mut found: [Option<Attr>; 3] = [None; 3];
    p.parse_list(T::Less, T::Greater, |p| {
        let pos = p.pos();
        let name = p.parse_keyword_of(&NAMES)?;
        let i = NAMES.iter().position(|n| *n == name).unwrap_or(0);
        if found[i].is_some() {
            return Err(p.error(
                pos,
                format!("duplicate or unknown struct parameter name: {name}"),
            ));
        }
        p.expect(T::Equal)?;
        found[i] = Some(if i == 0 {
            let v = keyword(p, &PROCESSOR)?;
            p.ctx.i64_attr(v)
        } else {
            let m = p.parse_map_body()?;
            p.ctx.map_attr(m)
        });
        Ok(())
    })?;
    let all: Option<Vec<Attr>> = found.into_iter().collect();
    all.ok_or_else(|| {
        p.error(
            start,
            "struct is missing a parameter: expected processor, map and bound",
        )
    })
}

fn print_loop_dim_map(p: &mut Printer, params: &[Attr]) {
    let k = value_of(p, &PROCESSOR, params);
    p.fmt(format_args!("<processor = {k}"));
    for (name, a) in ["map", "bound"].into_iter().zip(params.iter().skip(1)) {
        if let Some(m) = a.as_map(p.ctx) {
            p.fmt(format_args!(", {name} = {m}"));
        }
    }
    p.write(">");
}

/// `<target>`, or nothing for the first object.
fn parse_select(p: &mut OpParser) -> PResult<Vec<Attr>> {
    if !p.eat(T::Less) {
        return Ok(Vec::new());
    }
    let a = p.parse_attr()?;
    p.expect(T::Greater)?;
    Ok(vec![a])
}

fn print_select(p: &mut Printer, params: &[Attr]) {
    if let Some(a) = params.first() {
        p.write("<");
        p.attr(*a);
        p.write(">");
    }
}
