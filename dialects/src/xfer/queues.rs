//! Work that goes on while the host does something else: tokens, queues, waits.
//!
//! A token (`!gpu.async.token`) is the completion of an asynchronous op, of this dialect
//! or of `gpu`. A queue is a number, as in OpenACC's `async(n)`: what is put on it runs
//! in order, and its numbers are the program's own. Ops of `gpu` have no queues; they
//! take the token of one, and a queue takes theirs:
//!
//! ```text
//! %before = xfer.wait async queue(%n)
//! %kernel = gpu.launch async [%before] ...
//! %on = xfer.wait async [%kernel] on queue(%n)
//! ```

use super::coherence::{Side, verify_mirror_of};
use super::space::is_device;
use crate::gpu::async_token;
use crate::gpu::syntax::{parse_async, print_async, token_of};
use crate::gpu::types::TOKEN;
use terrace_ir::constraint::{INDEX, MEMREF, TypeConstraint, UNIT_ATTR};
use terrace_ir::opdef::{Effect, EffectKind, Verified};
use terrace_ir::text::TokenKind as T;
use terrace_ir::text::parser::{OpParser, PResult};
use terrace_ir::text::printer::Printer;
use terrace_ir::{Builder, Context, Op, OpKind, OpState, Value, op};

/// Tokens, and last the number of a queue: an operand group of both, so that ops without
/// either need no sizes of groups.
pub(super) const ORDER: TypeConstraint =
    TypeConstraint::new("async token type or the index of a queue", |c, t| {
        t == async_token(c) || t.is_index(c)
    });

/// What an op is ordered after: tokens, and what its queue was given before.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Order {
    /// What must have ended.
    pub tokens: Vec<Value>,
    /// The queue it is put in, behind all work given before; `None` for none.
    pub queue: Option<Value>,
}

impl Order {
    /// From the operands of an op from number `from` on.
    pub(super) fn of(ctx: &Context, op: Op, from: usize) -> Order {
        let mut tokens = op.operands(ctx).split_off(from.min(op.num_operands(ctx)));
        let queue = tokens.pop_if(|v| v.ty(ctx).is_index(ctx));
        Order { tokens, queue }
    }

    pub(super) fn operands(&self) -> Vec<Value> {
        self.tokens.iter().copied().chain(self.queue).collect()
    }
}

op! {
    /// Copies the whole of `src` to `dst`, an array and its mirror, unless what
    /// `xfer.mark_written`, copies and discards have told says that `dst` is valid: so
    /// that an `xfer.ensure` or a use that comes later finds it so. Always asynchronous.
    PrefetchOp = "xfer.prefetch" {
        operands: [src: MEMREF, dst: MEMREF, order: ORDER.variadic()],
        results: [asyncToken: TOKEN],
        custom: (parse_copy, print_copy),
        verify: verify_prefetch,
        effects: |ctx, op| [EffectKind::Read, EffectKind::Write]
            .iter()
            .flat_map(|k| [0, 1].map(|i| Effect { kind: *k, on: Some(op.operand(ctx, i)) }))
            .collect(),
    }

    /// Waits for tokens, for the work of queues, or with `all` for all asynchronous work.
    /// With `async` the host does not wait: there is a token for all of that, and with
    /// `on queue` what is put on that queue from now on comes after it.
    WaitOp = "xfer.wait" {
        operands: [
            asyncDependencies: TOKEN.variadic(),
            queues: INDEX.variadic(),
            onQueue: INDEX.optional(),
        ],
        results: [asyncToken: TOKEN.optional()],
        attrs: [all: UNIT_ATTR.optional()],
        traits: ATTR_SIZED_OPERANDS,
        custom: (parse_wait, print_wait),
        verify: verify_wait,
    }
}

impl PrefetchOp {
    /// What is read.
    pub fn src(self, ctx: &Context) -> Value {
        self.op().operand(ctx, 0)
    }

    /// What is written.
    pub fn dst(self, ctx: &Context) -> Value {
        self.op().operand(ctx, 1)
    }

    /// The array of the host.
    pub fn array(self, ctx: &Context) -> Value {
        match self.side(ctx) {
            Side::Device => self.src(ctx),
            Side::Host => self.dst(ctx),
        }
    }

    /// Its mirror.
    pub fn mirror(self, ctx: &Context) -> Value {
        match self.side(ctx) {
            Side::Device => self.dst(ctx),
            Side::Host => self.src(ctx),
        }
    }

    /// Where the array is valid afterwards.
    pub fn side(self, ctx: &Context) -> Side {
        match is_device(ctx, self.dst(ctx).ty(ctx)) {
            true => Side::Device,
            false => Side::Host,
        }
    }

    /// What it is ordered after.
    pub fn order(self, ctx: &Context) -> Order {
        Order::of(ctx, self.op(), 2)
    }

    /// Stands for the end of the copy.
    pub fn token(self, ctx: &Context) -> Value {
        self.op().result(ctx, 0)
    }
}

impl WaitOp {
    /// The tokens that are waited for.
    pub fn tokens(self, ctx: &Context) -> Vec<Value> {
        self.op().operand_group(ctx, "asyncDependencies")
    }

    /// The numbers of the queues that are waited for.
    pub fn queues(self, ctx: &Context) -> Vec<Value> {
        self.op().operand_group(ctx, "queues")
    }

    /// Whether all asynchronous work is waited for.
    pub(crate) fn is_all(self, ctx: &Context) -> bool {
        self.op().attr(ctx, "all").is_some()
    }

    /// The queue that waits in place of the host.
    pub fn on_queue(self, ctx: &Context) -> Option<Value> {
        self.op().operand_group(ctx, "onQueue").first().copied()
    }

    /// Its token, where it is asynchronous.
    pub fn token(self, ctx: &Context) -> Option<Value> {
        token_of(ctx, self.op())
    }

    /// The host waits for tokens and queues.
    pub fn build(b: &mut Builder, tokens: &[Value], queues: &[Value]) -> Op {
        let operands = [tokens, queues].concat();
        let sizes = [tokens.len() as i32, queues.len() as i32, 0];
        let sizes = b.ctx.i32_array(&sizes);
        b.op::<WaitOp>(&operands, &[], &[("operandSegmentSizes", sizes)])
    }

    /// A token for tokens and queues; work of the queue `on` comes after it.
    pub fn build_async(
        b: &mut Builder,
        tokens: &[Value],
        queues: &[Value],
        on: Option<Value>,
    ) -> Value {
        let mut operands = [tokens, queues].concat();
        operands.extend(on);
        let on = i32::from(on.is_some());
        let sizes = [tokens.len() as i32, queues.len() as i32, on];
        let sizes = b.ctx.i32_array(&sizes);
        let token = async_token(b.ctx);
        b.value::<WaitOp>(&operands, token, &[("operandSegmentSizes", sizes)])
    }
}

// ---- syntax ----

/// `async [%t] %src to %dst on queue(%n) {attrs} : type to type`.
pub(super) fn parse_copy(p: &mut OpParser, state: &mut OpState) -> PResult<()> {
    let (token, _) = parse_async(p, state)?;
    let tokens = std::mem::take(&mut state.operands);
    let src = p.parse_operand()?;
    p.expect_keyword("to")?;
    let dst = p.parse_operand()?;
    let queue = match p.eat_keyword("on") {
        true => Some(parse_queue(p)?),
        false => None,
    };
    p.parse_optional_attr_dict(state)?;
    let from = p.parse_colon_type()?;
    p.expect_keyword("to")?;
    let to = p.parse_type()?;
    let (src, dst) = (p.resolve(src, from)?, p.resolve(dst, to)?);
    state.operands.extend([src, dst]);
    state.operands.extend(tokens);
    state.operands.extend(queue);
    state.result_types.extend(token);
    Ok(())
}

/// `queue(%n)`.
fn parse_queue(p: &mut OpParser) -> PResult<Value> {
    p.expect_keyword("queue")?;
    p.expect(T::LParen)?;
    let n = p.parse_operand()?;
    let index = p.ctx.index();
    let n = p.resolve(n, index)?;
    p.expect(T::RParen)?;
    Ok(n)
}

pub(super) fn print_copy(p: &mut Printer, op: Op) {
    let ctx = p.ctx;
    let order = Order::of(ctx, op, 2);
    if token_of(ctx, op).is_some() {
        p.write(" async");
    }
    if !order.tokens.is_empty() {
        p.write(" [");
        p.values(&order.tokens);
        p.write("]");
    }
    let (src, dst) = (op.operand(ctx, 0), op.operand(ctx, 1));
    p.write(" ");
    p.value(src);
    p.write(" to ");
    p.value(dst);
    if let Some(q) = order.queue {
        p.write(" on queue(");
        p.value(q);
        p.write(")");
    }
    p.attr_dict(op, &[], false);
    p.write(" : ");
    p.ty(src.ty(ctx));
    p.write(" to ");
    p.ty(dst.ty(ctx));
}

/// `async [%t] queue(%n, %m) on queue(%q)`, or `all` in place of tokens and queues.
fn parse_wait(p: &mut OpParser, state: &mut OpState) -> PResult<()> {
    let (token, tokens) = parse_async(p, state)?;
    let index = p.ctx.index();
    let mut queues = Vec::new();
    if p.eat_keyword("all") {
        let unit = p.ctx.unit();
        state.set_attr(p.ctx, "all", unit);
    } else if p.eat_keyword("queue") {
        let names = p.parse_delimited_operands(T::LParen, T::RParen)?;
        queues = p.resolve_all(&names, index)?;
    }
    let on = match p.eat_keyword("on") {
        true => Some(parse_queue(p)?),
        false => None,
    };
    p.parse_optional_attr_dict(state)?;
    let sizes = [tokens, queues.len() as i32, i32::from(on.is_some())];
    let sizes = p.ctx.i32_array(&sizes);
    state.set_attr(p.ctx, "operandSegmentSizes", sizes);
    state.operands.extend(queues);
    state.operands.extend(on);
    state.result_types.extend(token);
    Ok(())
}

fn print_wait(p: &mut Printer, op: Op) {
    let (ctx, w) = (p.ctx, WaitOp::wrap(op));
    if w.token(ctx).is_some() || !w.tokens(ctx).is_empty() {
        print_async(p, op);
    }
    if w.is_all(ctx) {
        p.write(" all");
    }
    let queues = w.queues(ctx);
    if !queues.is_empty() {
        p.write(" queue(");
        p.values(&queues);
        p.write(")");
    }
    if let Some(q) = w.on_queue(ctx) {
        p.write(" on queue(");
        p.value(q);
        p.write(")");
    }
    p.attr_dict(op, &["all", "operandSegmentSizes"], false);
}

// ---- verification ----

/// Tokens, then at most one queue, on which only what is asynchronous can be put.
pub(super) fn verify_order(ctx: &Context, op: Op, from: usize) -> Verified {
    let order = Order::of(ctx, op, from);
    if order.tokens.iter().any(|v| v.ty(ctx).is_index(ctx)) {
        return Err("has several queues, or one in front of tokens; tokens come first, then at most one queue".into());
    }
    if order.queue.is_some() && token_of(ctx, op).is_none() {
        return Err("is put on a queue, where only what is asynchronous can be: mark it 'async', or leave the queue out and wait for it before".into());
    }
    Ok(())
}

fn verify_prefetch(ctx: &Context, op: Op) -> Verified {
    verify_order(ctx, op, 2)?;
    let (src, dst) = (op.operand(ctx, 0).ty(ctx), op.operand(ctx, 1).ty(ctx));
    match is_device(ctx, src) {
        true => verify_mirror_of(ctx, dst, src),
        false if is_device(ctx, dst) => verify_mirror_of(ctx, src, dst),
        false => Err("copies from host to host: one of the two must be the mirror of the other, in #xfer.device".into()),
    }
}

fn verify_wait(ctx: &Context, op: Op) -> Verified {
    let w = WaitOp::wrap(op);
    let named = !w.tokens(ctx).is_empty() || !w.queues(ctx).is_empty();
    if w.is_all(ctx) && !w.queues(ctx).is_empty() {
        return Err(
            "waits for all work and for queues, which are part of it; leave one of the two out"
                .into(),
        );
    }
    if !named && !w.is_all(ctx) && w.token(ctx).is_none() {
        return Err("waits for nothing: name tokens or queues, or say 'all'".into());
    }
    if w.on_queue(ctx).is_some() && w.token(ctx).is_none() {
        return Err("makes both the host and a queue wait: mark it 'async' where the queue is to wait, or leave out 'on queue'".into());
    }
    Ok(())
}
