//! `scf.if`, `scf.index_switch`, `scf.execute_region`.

use super::edges::check_yields;
use super::{YieldOp, branches_canonicalize, if_canonicalize};
use terrace_ir::constraint::{ANY, DENSE_I64, I1, INDEX, UNIT_ATTR};
use terrace_ir::opdef::{Invalid, Verified};
use terrace_ir::text::TokenKind as T;
use terrace_ir::text::parser::{OpParser, PResult};
use terrace_ir::text::printer::Printer;
use terrace_ir::{Block, Builder, Context, Op, OpKind, OpState, Region, Type, Value, op};

op! {
    /// Runs one of two regions, as a condition says. The second may be absent where
    /// the op has no results.
    IfOp = "scf.if" {
        operands: [condition: I1],
        results: [results: ANY.variadic()],
        regions: [thenRegion: OneBlock, elseRegion: AtMostOneBlock],
        traits: RECURSIVE_EFFECTS | RECURSIVELY_SPECULATABLE | SINGLE_BLOCK | NO_REGION_ARGUMENTS,
        implicit_terminator: "scf.yield",
        custom: (parse_if, print_if),
        verify: verify_if,
        verify_regions: verify_if_regions,
        fold: if_canonicalize::fold,
        canonicalize: if_canonicalize::patterns,
    }

    /// Runs the region whose case value equals an index, else the default region.
    IndexSwitchOp = "scf.index_switch" {
        operands: [arg: INDEX],
        results: [results: ANY.variadic()],
        attrs: [cases: DENSE_I64],
        regions: [defaultRegion: OneBlock, caseRegions: Variadic],
        traits: RECURSIVE_EFFECTS | SINGLE_BLOCK,
        implicit_terminator: "scf.yield",
        custom: (parse_switch, print_switch),
        verify: verify_switch,
        canonicalize: branches_canonicalize::index_switch,
    }

    /// Runs a region of blocks once: a place for branches inside structured code.
    ExecuteRegionOp = "scf.execute_region" {
        results: [results: ANY.variadic()],
        attrs: [no_inline: UNIT_ATTR],
        regions: [region: Any],
        traits: RECURSIVE_EFFECTS,
        custom: (parse_execute, print_execute),
        verify: verify_execute,
        verify_regions: |ctx, op| check_yields(ctx, op, op.region(ctx, 0)),
        canonicalize: branches_canonicalize::execute_region,
    }
}

impl IfOp {
    /// The `i1` that decides.
    pub fn condition(self, ctx: &Context) -> Value {
        self.op().operand(ctx, 0)
    }

    /// What runs where the condition holds.
    pub fn then_block(self, ctx: &Context) -> Block {
        self.op().body(ctx, 0)
    }

    /// What runs elsewhere; `None` if there is no `else`.
    pub fn else_block(self, ctx: &Context) -> Option<Block> {
        self.op().region(ctx, 1).entry(ctx)
    }

    /// What the first region yields.
    pub(crate) fn then_yielded(self, ctx: &Context) -> Vec<Value> {
        yielded(ctx, self.then_block(ctx))
    }

    /// What the second region yields; nothing where there is none.
    pub(crate) fn else_yielded(self, ctx: &Context) -> Vec<Value> {
        self.else_block(ctx)
            .map(|b| yielded(ctx, b))
            .unwrap_or_default()
    }

    /// An op with empty blocks, which need their terminators yet.
    pub fn build(
        b: &mut Builder,
        condition: Value,
        results: &[Type],
        with_else: bool,
    ) -> (IfOp, Block, Option<Block>) {
        let s = b
            .state::<IfOp>()
            .operands(&[condition])
            .results(results)
            .regions(2);
        let op = b.create(s);
        let then = op.region(b.ctx, 0).add_block(b.ctx, &[]);
        let other = with_else.then(|| op.region(b.ctx, 1).add_block(b.ctx, &[]));
        (IfOp::wrap(op), then, other)
    }
}

/// The operands of the terminator of a block.
pub(super) fn yielded(ctx: &Context, b: Block) -> Vec<Value> {
    b.last_op(ctx).map(|y| y.operands(ctx)).unwrap_or_default()
}

impl IndexSwitchOp {
    /// The `index` that decides.
    pub fn arg(self, ctx: &Context) -> Value {
        self.op().operand(ctx, 0)
    }

    /// Numbers of the cases, in order.
    pub fn cases(self, ctx: &Context) -> Vec<i64> {
        self.op()
            .attr(ctx, "cases")
            .and_then(|a| a.as_i64_array(ctx))
            .unwrap_or_default()
    }

    /// What runs if no case fits.
    pub fn default_region(self, ctx: &Context) -> Region {
        self.op().region(ctx, 0)
    }

    /// What runs for case `i`, counted from 0.
    pub fn case_region(self, ctx: &Context, i: usize) -> Region {
        self.op().region(ctx, i + 1)
    }
}

impl ExecuteRegionOp {
    /// What runs, once.
    pub fn region(self, ctx: &Context) -> Region {
        self.op().region(ctx, 0)
    }

    /// Whether the region must not be moved out of the op.
    pub fn no_inline(self, ctx: &Context) -> bool {
        self.op().attr(ctx, "no_inline").is_some()
    }
}

// ---- scf.if ----

fn verify_if(ctx: &Context, op: Op) -> Verified {
    if op.num_results(ctx) > 0 && op.region(ctx, 1).is_empty(ctx) {
        return Err("must have an else block if defining values".into());
    }
    Ok(())
}

fn verify_if_regions(ctx: &Context, op: Op) -> Verified {
    check_yields(ctx, op, op.region(ctx, 0))?;
    check_yields(ctx, op, op.region(ctx, 1))
}

fn parse_if(p: &mut OpParser, state: &mut OpState) -> PResult<()> {
    let condition = p.parse_operand()?;
    let i1 = p.ctx.i1();
    state.operands.push(p.resolve(condition, i1)?);
    state.result_types = p.parse_optional_arrow_types()?;
    let then = p.parse_region(&[], false)?;
    state.regions.push(Some(then));
    if p.eat_keyword("else") {
        let other = p.parse_region(&[], false)?;
        state.regions.push(Some(other));
    } else {
        state.regions.push(None);
    }
    p.parse_optional_attr_dict(state)
}

fn print_if(p: &mut Printer, op: Op) {
    let ctx = p.ctx;
    p.write(" ");
    p.value(op.operand(ctx, 0));
    let results = op.result_types(ctx);
    if !results.is_empty() {
        super::syntax::print_arrow_list(p, &results);
    }
    p.write(" ");
    p.region(op.region(ctx, 0), false, !results.is_empty());
    let other = op.region(ctx, 1);
    if !other.is_empty(ctx) {
        p.write(" else ");
        p.region(other, false, !results.is_empty());
    }
    p.attr_dict(op, &[], false);
}

// ---- scf.index_switch ----

fn verify_switch(ctx: &Context, op: Op) -> Verified {
    let s = IndexSwitchOp::wrap(op);
    let (cases, regions) = (s.cases(ctx), op.num_regions(ctx) - 1);
    if cases.len() != regions {
        return Err(format!("has {regions} case regions but {} case values", cases.len()).into());
    }
    let mut seen = std::collections::HashSet::new();
    if let Some(v) = cases.iter().find(|v| !seen.insert(**v)) {
        return Err(format!("has duplicate case value: {v}").into());
    }
    check_case(ctx, op, s.default_region(ctx), "default region")?;
    for i in 0..regions {
        check_case(ctx, op, s.case_region(ctx, i), &format!("case region #{i}"))?;
    }
    Ok(())
}

fn check_case(ctx: &Context, op: Op, region: Region, name: &str) -> Verified {
    let last = region.entry(ctx).and_then(|b| b.last_op(ctx));
    let Some(y) = last else {
        return Err(format!("expected {name} to end with scf.yield, but it is empty").into());
    };
    if !y.isa::<YieldOp>(ctx) {
        return Err(format!(
            "expected region to end with scf.yield, but got {}",
            y.name(ctx)
        )
        .into());
    }
    let (want, have) = (op.result_types(ctx), y.operand_types(ctx));
    if want.len() != have.len() {
        let e = Invalid::from(format!(
            "expected each region to return {} values, but {name} returns {}",
            want.len(),
            have.len()
        ));
        return Err(e.note(y.loc(ctx), "see yield operation here"));
    }
    for (i, (w, h)) in want.iter().zip(&have).enumerate() {
        if w != h {
            let e = Invalid::from(format!(
                "expected result #{i} of each region to be '{}'",
                ctx.type_text(*w)
            ));
            let note = format!("{name} returns '{}' here", ctx.type_text(*h));
            return Err(e.note(y.loc(ctx), note));
        }
    }
    Ok(())
}

/// `%i {attributes} [-> t] case 1 {...} case 2 {...} default {...}`.
fn parse_switch(p: &mut OpParser, state: &mut OpState) -> PResult<()> {
    let arg = p.parse_operand()?;
    let index = p.ctx.index();
    state.operands.push(p.resolve(arg, index)?);
    p.parse_optional_attr_dict(state)?;
    if p.eat(T::Arrow) {
        let types = p.parse_type_list()?;
        state.result_types = types;
    }
    // The default region is the first of the op and the last of the text.
    state.regions.push(None);
    let mut cases = Vec::new();
    while p.eat_keyword("case") {
        cases.push(p.parse_i64()?);
        let body = p.parse_region(&[], false)?;
        state.regions.push(Some(body));
    }
    let cases = p.ctx.i64_array(&cases);
    state.set_attr(p.ctx, "cases", cases);
    p.expect_keyword("default")?;
    let body = p.parse_region(&[], false)?;
    state.regions[0] = Some(body);
    Ok(())
}

fn print_switch(p: &mut Printer, op: Op) {
    let ctx = p.ctx;
    let s = IndexSwitchOp::wrap(op);
    p.write(" ");
    p.value(s.arg(ctx));
    p.attr_dict(op, &["cases"], false);
    let results = op.result_types(ctx);
    if !results.is_empty() {
        p.write(" -> ");
        p.types(&results);
    }
    for (i, value) in s
        .cases(ctx)
        .iter()
        .enumerate()
        .take(op.num_regions(ctx) - 1)
    {
        p.newline();
        p.fmt(format_args!("case {value} "));
        p.region(s.case_region(ctx, i), false, true);
    }
    p.newline();
    p.write("default ");
    let last = s
        .default_region(ctx)
        .entry(ctx)
        .and_then(|b| b.last_op(ctx));
    let bare = |y: Op| y.num_operands(ctx) == 0 && y.attrs(ctx).is_empty();
    p.region(s.default_region(ctx), true, !last.is_some_and(bare));
}

// ---- scf.execute_region ----

fn verify_execute(ctx: &Context, op: Op) -> Verified {
    let Some(entry) = op.region(ctx, 0).entry(ctx) else {
        return Err("region needs to have at least one block".into());
    };
    if entry.num_args(ctx) > 0 {
        return Err("region cannot have any arguments".into());
    }
    Ok(())
}

fn parse_execute(p: &mut OpParser, state: &mut OpState) -> PResult<()> {
    state.result_types = p.parse_optional_arrow_types()?;
    if p.eat_keyword("no_inline") {
        let unit = p.ctx.unit();
        state.set_attr(p.ctx, "no_inline", unit);
    }
    let body = p.parse_region(&[], false)?;
    state.regions.push(Some(body));
    p.parse_optional_attr_dict(state)
}

fn print_execute(p: &mut Printer, op: Op) {
    let ctx = p.ctx;
    p.optional_arrow_types(&op.result_types(ctx));
    p.write(" ");
    if op.attr(ctx, "no_inline").is_some() {
        p.write("no_inline ");
    }
    p.region(op.region(ctx, 0), false, true);
    p.attr_dict(op, &["no_inline"], false);
}
