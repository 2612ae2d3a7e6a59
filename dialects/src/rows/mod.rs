//! The `rows` dialect: arrays whose rows lie where tables of pointers say, as C's `double **a`.
//!
//! Such an array is a memref with the memory space `#rows.tables<1>`. Its subscripts are those
//! of C: `a[i][j]` is `memref.load %a[%i, %j]`. The memref's pointer is that of the outermost
//! table. Each number of the space is for a leading dimension, and says how many pointers lie
//! from one row's pointer to the next one's: 1 in an array of pointers, more where pointers are
//! members of records. The dimensions behind these lie in each row as in any array.
//!
//! Different subscripts are different elements: whoever makes such a memref knows that rows lie
//! apart, and that nobody changes the tables while it is used.

use terrace_ir::constraint::{INDEX, MEMREF};
use terrace_ir::opdef::{Effect, EffectKind, Invalid, ParamDef, Verified};
use terrace_ir::text::TokenKind as T;
use terrace_ir::text::parser::{OpParser, PResult};
use terrace_ir::text::printer::Printer;
use terrace_ir::{
    Attr, AttrData, Builder, Context, DialectDef, Op, OpKind, Type, TypeData, Value, op,
};

/// The mnemonic of the memory space.
const TABLES: &str = "tables";

op! {
    /// A row of an array with tables, by the outermost subscript: what the pointer in the table
    /// points to. It has a dimension less, and no table where it is one of the elements.
    RowOp = "rows.row" {
        operands: [array: MEMREF, index: INDEX],
        results: [row: MEMREF],
        format: "$array `[` $index `]` attr-dict `:` type($array) `to` type($row)",
        verify: verify_row,
        effects: |ctx, op| vec![Effect { kind: EffectKind::Read, on: Some(op.operand(ctx, 0)) }],
    }
}

impl RowOp {
    /// The row at `index` of `array`, which has tables.
    pub fn build(b: &mut Builder, array: Value, index: Value) -> Value {
        let ty = array.ty(b.ctx);
        let ty = row_type(b.ctx, ty).unwrap_or(ty);
        b.value::<RowOp>(&[array, index], ty, &[])
    }
}

fn verify_row(ctx: &Context, op: Op) -> Verified {
    let [array, row] = [op.operand(ctx, 0), op.result(ctx, 0)].map(|v| v.ty(ctx));
    let Some(want) = row_type(ctx, array) else {
        return Err(Invalid::plain(format!(
            "requires a memref with tables of rows, in the space '#rows.tables<1>', but got '{}'",
            ctx.type_text(array)
        )));
    };
    if want != row {
        return Err(Invalid::plain(format!(
            "rows of '{}' are '{}', but the result is '{}'",
            ctx.type_text(array),
            ctx.type_text(want),
            ctx.type_text(row)
        )));
    }
    Ok(())
}

/// The memory space of arrays with tables: for each leading dimension how many pointers lie from
/// one row's pointer to the next one's.
pub fn space(ctx: &Context, distances: &[i64]) -> Attr {
    ctx.attr(AttrData::Dialect {
        dialect: "rows",
        mnemonic: TABLES,
        params: distances.iter().map(|d| ctx.i64_attr(*d)).collect(),
    })
}

/// How many pointers lie from one row's pointer to the next one's, for each leading dimension of
/// a memref with tables; `None` for any other type.
pub fn distances(ctx: &Context, memref: Type) -> Option<Vec<i64>> {
    let params = memref
        .memref_parts(ctx)?
        .1?
        .as_dialect(ctx, "rows", TABLES)?;
    params.iter().map(|p| p.as_i64(ctx)).collect()
}

/// The type of the rows of an array with tables; `None` of any other type, or where there are
/// more tables than leading dimensions.
pub fn row_type(ctx: &Context, memref: Type) -> Option<Type> {
    let distances = distances(ctx, memref)?;
    let TypeData::MemRef {
        shape,
        elem,
        layout: None,
        ..
    } = memref.data(ctx)
    else {
        return None;
    };
    if distances.is_empty() || shape.len() <= distances.len() {
        return None;
    }
    let rest = &distances[1..];
    Some(ctx.ty(TypeData::MemRef {
        shape: shape[1..].to_vec(),
        elem: *elem,
        layout: None,
        space: (!rest.is_empty()).then(|| space(ctx, rest)),
    }))
}

fn parse_tables(p: &mut OpParser) -> PResult<Vec<Attr>> {
    p.expect(T::Less)?;
    let mut all = Vec::new();
    loop {
        let pos = p.pos();
        let n = p.parse_i64()?;
        if n < 1 {
            let message = format!("expected a number of pointers, 1 or more, but got {n}");
            return Err(p.error(pos, message));
        }
        all.push(p.ctx.i64_attr(n));
        if !p.eat(T::Comma) {
            break;
        }
    }
    p.expect(T::Greater)?;
    Ok(all)
}

fn print_tables(p: &mut Printer, params: &[Attr]) {
    let numbers = params.iter().filter_map(|a| a.as_i64(p.ctx));
    let text: Vec<String> = numbers.map(|n| n.to_string()).collect();
    p.fmt(format_args!("<{}>", text.join(", ")));
}

/// Arrays whose rows lie where tables of pointers say.
pub static DIALECT: DialectDef = DialectDef {
    name: "rows",
    doc: "Arrays whose rows lie where tables of pointers say.",
    ops: &[RowOp::DEF],
    attrs: &[ParamDef {
        mnemonic: TABLES,
        parse: parse_tables,
        print: print_tables,
    }],
    ..DialectDef::EMPTY
};
