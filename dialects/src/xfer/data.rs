//! Data regions: arrays that lie on the device for a while, by clauses (OpenACC 3.3,
//! sections 2.6, 2.7 and 2.14.4).
//!
//! The program has a table of the arrays that are present on the device. Each has a
//! buffer there and two counters: how many data regions that have not ended hold it, and
//! how many `xfer.enter_data` without their `xfer.exit_data`. A clause that finds an
//! array present counts up and copies nothing; what neither counter holds any more
//! leaves the device.

use super::ops::compatible_shapes;
use super::space::{DEVICE_BUFFER, device_number, device_space, in_space};
use crate::memref::layout::{has_identity_layout, row_major_strides, strides_and_offset};
use terrace_ir::constraint::{DENSE_I32, I1, MEMREF, UNIT_ATTR};
use terrace_ir::opdef::{Effect, EffectKind, Verified};
use terrace_ir::text::TokenKind as T;
use terrace_ir::text::parser::{Argument, OpParser, PResult};
use terrace_ir::text::printer::Printer;
use terrace_ir::{Block, Builder, Context, Op, OpKind, OpState, Type, TypeData, Value, op};

/// What a clause asks for an array. The numbers are those of the runtime.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Clause {
    /// In at the beginning, out at the end.
    Copy = 0,
    CopyIn = 1,
    CopyOut = 2,
    /// Memory on the device, and no copy.
    Create = 3,
    /// It must be present.
    Present = 4,
    /// Its buffer if it is present; else the array of the host.
    NoCreate = 5,
    /// It leaves the device without a copy.
    Delete = 6,
    /// A buffer of the device already.
    DevicePtr = 7,
    /// `host` of an update: the host gets the device's values.
    UpdateHost = 8,
    /// `device` of an update.
    UpdateDevice = 9,
}

impl Clause {
    /// All, at their numbers.
    pub const ALL: [Clause; 10] = [
        Clause::Copy,
        Clause::CopyIn,
        Clause::CopyOut,
        Clause::Create,
        Clause::Present,
        Clause::NoCreate,
        Clause::Delete,
        Clause::DevicePtr,
        Clause::UpdateHost,
        Clause::UpdateDevice,
    ];

    /// The clause as it is written.
    pub fn word(self) -> &'static str {
        match self {
            Clause::Copy => "copy",
            Clause::CopyIn => "copyin",
            Clause::CopyOut => "copyout",
            Clause::Create => "create",
            Clause::Present => "present",
            Clause::NoCreate => "no_create",
            Clause::Delete => "delete",
            Clause::DevicePtr => "deviceptr",
            Clause::UpdateHost => "host",
            Clause::UpdateDevice => "device",
        }
    }

    /// Whether new data begins with the host's values.
    pub fn copies_in(self) -> bool {
        matches!(self, Clause::Copy | Clause::CopyIn)
    }

    /// Whether the host gets the values when nobody holds the data any more.
    pub fn copies_out(self) -> bool {
        matches!(self, Clause::Copy | Clause::CopyOut)
    }

    /// Whether it makes data present that is absent.
    pub fn makes(self) -> bool {
        matches!(
            self,
            Clause::Copy | Clause::CopyIn | Clause::CopyOut | Clause::Create
        )
    }

    fn of(number: i64) -> Option<Clause> {
        Clause::ALL.get(usize::try_from(number).ok()?).copied()
    }
}

/// Clauses of `xfer.data`.
const OF_REGION: &[Clause] = &[
    Clause::Copy,
    Clause::CopyIn,
    Clause::CopyOut,
    Clause::Create,
    Clause::Present,
    Clause::NoCreate,
    Clause::DevicePtr,
];
/// Those that can be counted at the beginning and the end of a region.
const STRUCTURED: &[Clause] = &[
    Clause::Copy,
    Clause::CopyIn,
    Clause::CopyOut,
    Clause::Create,
    Clause::Present,
    Clause::NoCreate,
];
const OF_ENTER: &[Clause] = &[Clause::CopyIn, Clause::Create];
const OF_EXIT: &[Clause] = &[Clause::CopyOut, Clause::Delete];
const OF_UPDATE: &[Clause] = &[Clause::UpdateHost, Clause::UpdateDevice];

op! {
    /// A region in which arrays are present on the device. Its arguments are their
    /// buffers there: those that the clauses made, or, of an array that is present, the
    /// part of its buffer.
    DataOp = "xfer.data" {
        operands: [arrays: MEMREF.variadic()],
        attrs: [clauses: DENSE_I32],
        regions: [body: OneBlock],
        traits: SINGLE_BLOCK,
        implicit_terminator: "xfer.end_data",
        custom: (parse_data, print_data),
        verify: verify_data,
        verify_regions: verify_data_body,
    }

    /// The end of a data region.
    EndDataOp = "xfer.end_data" {
        traits: PURE | TERMINATOR,
        parents: ["xfer.data"],
        format: "attr-dict",
    }

    /// Begins what `xfer.exit_data` ends: each array is present afterwards. With
    /// `structured` it is the beginning of a data region that was taken apart.
    EnterDataOp = "xfer.enter_data" {
        operands: [arrays: MEMREF.variadic()],
        attrs: [clauses: DENSE_I32, structured: UNIT_ATTR],
        custom: (parse_enter, print_clauses),
        verify: |ctx, op| verify_clauses(ctx, op, match is_structured(ctx, op) {
            true => STRUCTURED,
            false => OF_ENTER,
        }),
        effects: |ctx, op| on_arrays(ctx, op, &[EffectKind::Read], &[EffectKind::Alloc]),
    }

    /// Counts down what was entered; what nobody holds any more is copied to the host
    /// where the clause says so, and leaves the device. Nothing happens to an array that
    /// is absent. `finalize` takes back all `xfer.enter_data` of the array.
    ExitDataOp = "xfer.exit_data" {
        operands: [arrays: MEMREF.variadic()],
        attrs: [clauses: DENSE_I32, structured: UNIT_ATTR, finalize: UNIT_ATTR],
        custom: (parse_exit, print_clauses),
        verify: verify_exit,
        effects: |ctx, op| by_clause(ctx, op, EffectKind::Free),
    }

    /// Copies arrays that are present to the host or to the device; with `if_present`
    /// those that are absent are left alone.
    UpdateOp = "xfer.update" {
        operands: [arrays: MEMREF.variadic()],
        attrs: [clauses: DENSE_I32, if_present: UNIT_ATTR],
        custom: (parse_update, print_clauses),
        verify: |ctx, op| verify_clauses(ctx, op, OF_UPDATE),
        effects: |ctx, op| by_clause(ctx, op, EffectKind::Write),
    }

    /// The buffer of an array that is present. With `if_present` the array itself where
    /// it is absent, which only the host can use.
    PresentOp = "xfer.present" {
        operands: [array: MEMREF],
        results: [buffer: DEVICE_BUFFER],
        attrs: [if_present: UNIT_ATTR],
        format: "$array (`if_present` $if_present^)? attr-dict `:` type($array) `to` type($buffer)",
        verify: verify_present,
        effects: |ctx, op| on_arrays(ctx, op, &[EffectKind::Read], &[EffectKind::Read]),
        result_names: |_, _| vec![Some("device".into())],
    }

    /// Whether all of an array is present.
    IsPresentOp = "xfer.is_present" {
        operands: [array: MEMREF],
        results: [result: I1],
        format: "$array attr-dict `:` type($array)",
        verify: |ctx, op| verify_array(ctx, "looks up", op.operand(ctx, 0).ty(ctx)),
        effects: |ctx, op| on_arrays(ctx, op, &[EffectKind::Read], &[EffectKind::Read]),
        infer: |ctx, _| Ok(vec![ctx.i1()]),
    }
}

/// Effects on each array, and on the table and what it holds, which have no name.
fn on_arrays(ctx: &Context, op: Op, each: &[EffectKind], table: &[EffectKind]) -> Vec<Effect> {
    let arrays = op.operands(ctx).into_iter();
    let on = arrays.flat_map(|v| {
        each.iter().map(move |k| Effect {
            kind: *k,
            on: Some(v),
        })
    });
    let unnamed = table.iter().map(|k| Effect { kind: *k, on: None });
    on.chain(unnamed).collect()
}

/// What is copied to the host is written, the rest read; and an effect on the table and
/// what it holds.
fn by_clause(ctx: &Context, op: Op, table: EffectKind) -> Vec<Effect> {
    let mut all: Vec<Effect> = clauses(ctx, op)
        .into_iter()
        .map(|(v, clause)| Effect {
            kind: match clause.copies_out() || clause == Clause::UpdateHost {
                true => EffectKind::Write,
                false => EffectKind::Read,
            },
            on: Some(v),
        })
        .collect();
    all.push(Effect {
        kind: table,
        on: None,
    });
    all
}

fn is_structured(ctx: &Context, op: Op) -> bool {
    op.attr(ctx, "structured").is_some()
}

/// Each array of a data op with its clause; none of an op that does not verify.
pub fn clauses(ctx: &Context, op: Op) -> Vec<(Value, Clause)> {
    let numbers = op
        .attr(ctx, "clauses")
        .and_then(|a| a.as_i64_array(ctx))
        .unwrap_or_default();
    let all = op.operands(ctx).into_iter().zip(numbers);
    all.filter_map(|(v, n)| Some((v, Clause::of(n)?))).collect()
}

/// What the program calls an array: `%A`, or `an array` where no names are kept.
pub fn array_words(ctx: &Context, array: Value) -> String {
    match array.loc(ctx).name(ctx) {
        Some(name) => format!("%{name}"),
        None => "an array".to_string(),
    }
}

/// The type of the buffer of device 0 for an array of type `ty`.
pub fn buffer_type(ctx: &Context, ty: Type) -> Type {
    let ty = in_space(ctx, ty, Some(device_space(ctx, 0)));
    match ty.data(ctx).clone() {
        TypeData::MemRef {
            shape, elem, space, ..
        } => ctx.ty(TypeData::MemRef {
            shape,
            elem,
            layout: None,
            space,
        }),
        _ => ty,
    }
}

macro_rules! with_clauses {
    ($($op:ident)*) => {$(
        impl $op {
            /// Each array with its clause.
            pub fn clauses(self, ctx: &Context) -> Vec<(Value, Clause)> {
                clauses(ctx, self.op())
            }
        }
    )*};
}

with_clauses!(DataOp EnterDataOp ExitDataOp UpdateOp);

impl DataOp {
    pub fn body(self, ctx: &Context) -> Block {
        self.op().body(ctx, 0)
    }

    /// The buffers, in the order of the clauses.
    pub fn buffers(self, ctx: &Context) -> Vec<Value> {
        self.body(ctx).args(ctx)
    }
}

impl EnterDataOp {
    pub fn is_structured(self, ctx: &Context) -> bool {
        is_structured(ctx, self.op())
    }

    /// The beginning of a region with these clauses.
    pub fn build_structured(b: &mut Builder, list: &[(Value, Clause)]) -> Op {
        build::<EnterDataOp>(b, list, &["structured"])
    }
}

impl ExitDataOp {
    pub fn is_structured(self, ctx: &Context) -> bool {
        is_structured(ctx, self.op())
    }

    pub fn is_final(self, ctx: &Context) -> bool {
        self.op().attr(ctx, "finalize").is_some()
    }

    /// The end of a region with these clauses.
    pub fn build_structured(b: &mut Builder, list: &[(Value, Clause)]) -> Op {
        build::<ExitDataOp>(b, list, &["structured"])
    }
}

impl UpdateOp {
    pub fn build(b: &mut Builder, list: &[(Value, Clause)], if_present: bool) -> Op {
        build::<UpdateOp>(b, list, if if_present { &["if_present"] } else { &[] })
    }

    pub fn if_present(self, ctx: &Context) -> bool {
        self.op().attr(ctx, "if_present").is_some()
    }
}

impl PresentOp {
    pub fn array(self, ctx: &Context) -> Value {
        self.op().operand(ctx, 0)
    }

    pub fn buffer(self, ctx: &Context) -> Value {
        self.op().result(ctx, 0)
    }

    pub fn if_present(self, ctx: &Context) -> bool {
        self.op().attr(ctx, "if_present").is_some()
    }

    /// The buffer of `array`, which is present; where `if_present`, maybe.
    pub fn build(b: &mut Builder, array: Value, if_present: bool) -> Value {
        let ty = array.ty(b.ctx);
        let ty = buffer_type(b.ctx, ty);
        let flag = if_present.then(|| ("if_present", b.ctx.unit()));
        b.value::<PresentOp>(&[array], ty, flag.as_slice())
    }
}

fn build<K: OpKind>(b: &mut Builder, list: &[(Value, Clause)], flags: &[&'static str]) -> Op {
    let arrays: Vec<Value> = list.iter().map(|c| c.0).collect();
    let numbers: Vec<i32> = list.iter().map(|c| c.1 as i32).collect();
    let mut attrs = vec![("clauses", b.ctx.i32_array(&numbers))];
    let unit = b.ctx.unit();
    attrs.extend(flags.iter().map(|f| (*f, unit)));
    b.op::<K>(&arrays, &[], &attrs)
}

// ---- syntax ----

/// `copyin(%a : t, ...) create(...)`; where `named`, `%a as %d : t to t`, and the
/// arguments.
fn parse_clauses<'a>(
    p: &mut OpParser<'a>,
    state: &mut OpState,
    allowed: &[Clause],
    named: bool,
) -> PResult<Vec<Argument<'a>>> {
    let mut numbers = Vec::new();
    let mut args = Vec::new();
    while let Some(clause) = allowed.iter().find(|c| p.eat_keyword(c.word())) {
        p.expect(T::LParen)?;
        loop {
            let array = p.parse_operand()?;
            let name = match named {
                true => {
                    p.expect_keyword("as")?;
                    Some(p.parse_operand()?)
                }
                false => None,
            };
            p.expect(T::Colon)?;
            let ty = p.parse_type()?;
            if let Some(name) = name {
                p.expect_keyword("to")?;
                let to = p.parse_type()?;
                args.push(Argument::new(name, to));
            }
            let v = p.resolve(array, ty)?;
            state.operands.push(v);
            numbers.push(*clause as i32);
            if !p.eat(T::Comma) {
                break;
            }
        }
        p.expect(T::RParen)?;
    }
    if numbers.is_empty() {
        let words: Vec<&str> = allowed.iter().map(|c| c.word()).collect();
        return Err(p.expected(format!("expected a clause: {}", words.join(", "))));
    }
    let a = p.ctx.i32_array(&numbers);
    state.set_attr(p.ctx, "clauses", a);
    Ok(args)
}

fn parse_flag(p: &mut OpParser, state: &mut OpState, name: &'static str) -> bool {
    let found = p.eat_keyword(name);
    if found {
        let unit = p.ctx.unit();
        state.set_attr(p.ctx, name, unit);
    }
    found
}

fn parse_data(p: &mut OpParser, state: &mut OpState) -> PResult<()> {
    let args = parse_clauses(p, state, OF_REGION, true)?;
    let body = p.parse_region(&args, false)?;
    state.regions.push(Some(body));
    p.parse_optional_attr_dict(state)
}

fn parse_enter(p: &mut OpParser, state: &mut OpState) -> PResult<()> {
    let allowed = match parse_flag(p, state, "structured") {
        true => STRUCTURED,
        false => OF_ENTER,
    };
    parse_clauses(p, state, allowed, false)?;
    p.parse_optional_attr_dict(state)
}

fn parse_exit(p: &mut OpParser, state: &mut OpState) -> PResult<()> {
    let allowed = match parse_flag(p, state, "structured") {
        true => STRUCTURED,
        false => OF_EXIT,
    };
    parse_clauses(p, state, allowed, false)?;
    parse_flag(p, state, "finalize");
    p.parse_optional_attr_dict(state)
}

fn parse_update(p: &mut OpParser, state: &mut OpState) -> PResult<()> {
    parse_clauses(p, state, OF_UPDATE, false)?;
    parse_flag(p, state, "if_present");
    p.parse_optional_attr_dict(state)
}

/// The clauses, equal ones that follow each other as one; with the buffers of a region.
fn print_list(p: &mut Printer, op: Op, buffers: Option<&[Value]>) {
    let ctx = p.ctx;
    let mut last = None;
    for (i, (array, clause)) in clauses(ctx, op).into_iter().enumerate() {
        match last == Some(clause) {
            true => p.write(", "),
            false => {
                if last.is_some() {
                    p.write(")");
                }
                p.fmt(format_args!(" {}(", clause.word()));
            }
        }
        last = Some(clause);
        p.value(array);
        let buffer = buffers.and_then(|b| b.get(i).copied());
        if let Some(b) = buffer {
            p.write(" as ");
            p.value(b);
        }
        p.write(" : ");
        p.ty(array.ty(ctx));
        if let Some(b) = buffer {
            p.write(" to ");
            p.ty(b.ty(ctx));
        }
    }
    if last.is_some() {
        p.write(")");
    }
}

fn print_data(p: &mut Printer, op: Op) {
    let ctx = p.ctx;
    let entry = op.region(ctx, 0).entry(ctx);
    let buffers = entry.map(|b| b.args(ctx)).unwrap_or_default();
    print_list(p, op, Some(&buffers));
    p.write(" ");
    p.region(op.region(ctx, 0), false, false);
    p.attr_dict(op, &["clauses"], false);
}

fn print_clauses(p: &mut Printer, op: Op) {
    let ctx = p.ctx;
    if is_structured(ctx, op) {
        p.write(" structured");
    }
    print_list(p, op, None);
    for flag in ["finalize", "if_present"] {
        if op.attr(ctx, flag).is_some() {
            p.fmt(format_args!(" {flag}"));
        }
    }
    let flags = ["clauses", "structured", "finalize", "if_present"];
    p.attr_dict(op, &flags, false);
}

// ---- verifiers ----

/// Whether the elements of a memref lie in a row, wherever it starts.
fn is_in_a_row(ctx: &Context, ty: Type) -> bool {
    has_identity_layout(ctx, ty)
        || strides_and_offset(ctx, ty)
            .zip(ty.shape(ctx))
            .is_some_and(|(s, shape)| s.strides == row_major_strides(shape))
}

fn verify_array(ctx: &Context, does: &str, ty: Type) -> Verified {
    if device_number(ctx, ty).is_some() {
        return Err(format!(
            "{does} an array of the host, but '{}' lies on a device; only deviceptr takes that",
            ctx.type_text(ty)
        )
        .into());
    }
    if !is_in_a_row(ctx, ty) {
        return Err(format!(
            "{does} row-major arrays only, but the elements of '{}' are not in a row",
            ctx.type_text(ty)
        )
        .into());
    }
    Ok(())
}

fn verify_clauses(ctx: &Context, op: Op, allowed: &[Clause]) -> Verified {
    let list = clauses(ctx, op);
    let numbers = op.attr(ctx, "clauses").and_then(|a| a.as_i64_array(ctx));
    let (arrays, given) = (op.num_operands(ctx), numbers.map_or(0, |n| n.len()));
    if given != arrays {
        return Err(
            format!("has {arrays} arrays and {given} clauses: each array needs a clause").into(),
        );
    }
    if list.len() != arrays {
        let last = Clause::ALL.len() - 1;
        return Err(format!("has a clause of a number that none has; they are 0 to {last}").into());
    }
    if list.is_empty() {
        return Err("needs an array in a clause".into());
    }
    for (i, (array, clause)) in list.iter().enumerate() {
        if !allowed.contains(clause) {
            let words: Vec<&str> = allowed.iter().map(|c| c.word()).collect();
            return Err(format!(
                "takes the clauses {}, not {}",
                words.join(", "),
                clause.word()
            )
            .into());
        }
        if let Some((_, before)) = list[..i].iter().find(|c| c.0 == *array) {
            return Err(format!(
                "has one array in two clauses, {} and {}; one of them is enough",
                before.word(),
                clause.word()
            )
            .into());
        }
        let ty = array.ty(ctx);
        if *clause != Clause::DevicePtr {
            verify_array(ctx, &format!("{} takes", clause.word()), ty)?;
        } else if device_number(ctx, ty).is_none() {
            return Err(format!(
                "deviceptr is of a buffer on the device, but '{}' lies in the host's memory; copy, copyin, copyout and create make one",
                ctx.type_text(ty)
            )
            .into());
        }
    }
    Ok(())
}

fn verify_data(ctx: &Context, op: Op) -> Verified {
    verify_clauses(ctx, op, OF_REGION)
}

fn verify_data_body(ctx: &Context, op: Op) -> Verified {
    let buffers = DataOp::wrap(op).buffers(ctx);
    let list = clauses(ctx, op);
    if buffers.len() != list.len() {
        return Err(format!(
            "has {} arrays, but its region {} arguments: each array needs its buffer",
            list.len(),
            buffers.len()
        )
        .into());
    }
    for ((array, clause), buffer) in list.into_iter().zip(buffers) {
        let (a, b) = (array.ty(ctx), buffer.ty(ctx));
        if clause == Clause::DevicePtr && a != b {
            return Err(format!(
                "deviceptr of '{}' is no '{}': a buffer keeps its type",
                ctx.type_text(a),
                ctx.type_text(b)
            )
            .into());
        }
        if clause != Clause::DevicePtr {
            verify_buffer(ctx, a, b)?;
        }
    }
    Ok(())
}

/// Whether a memref can be the buffer of a present array.
fn verify_buffer(ctx: &Context, array: Type, buffer: Type) -> Verified {
    let text = |t| ctx.type_text(t);
    if device_number(ctx, buffer) != Some(0) {
        return Err(format!(
            "gives a buffer on device 0 (#xfer.device), but '{}' lies elsewhere",
            text(buffer)
        )
        .into());
    }
    if array.element(ctx) != buffer.element(ctx) || !compatible_shapes(ctx, array, buffer) {
        return Err(format!(
            "'{}' is no buffer for '{}': element type and shape must be the same",
            text(buffer),
            text(array)
        )
        .into());
    }
    if !has_identity_layout(ctx, buffer) {
        return Err(format!(
            "gives a row-major buffer, but '{}' has a layout",
            text(buffer)
        )
        .into());
    }
    Ok(())
}

fn verify_exit(ctx: &Context, op: Op) -> Verified {
    if !is_structured(ctx, op) {
        return verify_clauses(ctx, op, OF_EXIT);
    }
    if op.attr(ctx, "finalize").is_some() {
        return Err(
            "finalize is of what 'xfer.enter_data' entered, not of the end of a structured region"
                .into(),
        );
    }
    verify_clauses(ctx, op, STRUCTURED)
}

fn verify_present(ctx: &Context, op: Op) -> Verified {
    let array = op.operand(ctx, 0).ty(ctx);
    verify_array(ctx, "looks up", array)?;
    verify_buffer(ctx, array, op.result(ctx, 0).ty(ctx))
}
