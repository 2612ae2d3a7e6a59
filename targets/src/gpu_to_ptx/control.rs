//! Structured control flow.

use super::kinds::Kind;
use super::lower::{Exit, Lower, Res, unsupported};
use super::readable::name_of;
use super::value::Val;
use crate::ptx::{Cmp, Ty};
use terrace_dialects::scf::ConditionOp;
use terrace_ir::{Block, Op, Value};

impl Lower<'_> {
    pub fn scf(&mut self, op: Op, name: &str) -> Res<()> {
        match name {
            "for" => self.scf_for(op),
            "while" => self.scf_while(op),
            "if" => self.scf_if(op),
            "index_switch" => self.index_switch(op),
            "execute_region" => self.left_region(op),
            "yield" => self.leave_region(op),
            _ => Err(format!(
                "{}; of scf: for, while, if, index_switch, execute_region",
                unsupported()
            )),
        }
    }

    fn entry_of(&self, op: Op, region: usize) -> Res<Block> {
        op.regions(self.ctx)
            .get(region)
            .and_then(|r| r.entry(self.ctx))
            .ok_or_else(|| "has an empty region".to_string())
    }

    fn bind_args(&mut self, block: Block, vals: &[Val]) -> Res<()> {
        let args = block.args(self.ctx);
        if args.len() != vals.len() {
            return Err(format!(
                "has {} region arguments, expected {}",
                args.len(),
                vals.len()
            ));
        }
        self.values
            .extend(args.into_iter().zip(vals.iter().cloned()));
        Ok(())
    }

    /// Fresh registers that start with the given values.
    fn carried(&mut self, from: &[Value]) -> Res<Vec<Val>> {
        let mut vals = Vec::with_capacity(from.len());
        for v in from {
            vals.push(self.fresh(v.ty(self.ctx))?);
        }
        self.assign(&vals, from)?;
        Ok(vals)
    }

    /// The body of a one-block region, then its yielded values into `to`.
    fn arm(&mut self, block: Block, to: &[Val]) -> Res<()> {
        let yielded = match self.block_body(block) {
            Some(end) => end.operands(self.ctx),
            None => Vec::new(),
        };
        self.assign(to, &yielded)
    }

    fn scf_for(&mut self, op: Op) -> Res<()> {
        let v = op.operands(self.ctx);
        let [lower, upper, step, inits @ ..] = &v[..] else {
            return Err("has too few operands".to_string());
        };
        let Some(t) = self.kind(*lower)?.int() else {
            return Err("has bounds that are not integers".to_string());
        };
        if t.w == 1 {
            return Err("counts in i1; index or wider integers are supported".to_string());
        }
        let unsigned = op.attr(self.ctx, "unsignedCmp").is_some();
        let body = self.entry_of(op, 0)?;
        let (upper, step) = (self.scalar(*upper)?, self.scalar(*step)?);
        let carried = self.carried(inits)?;
        let start = self.scalar(*lower)?;
        let iv = self.b.reg(Kind::Int(t).reg());
        self.b.mov_to(iv, t.unsigned(), start);
        let is_index = v[0].ty(self.ctx).is_index(self.ctx);
        if is_index {
            self.promise(iv);
        }

        let counter = name_of(self.ctx, body.arg_loc(self.ctx, 0));
        let called = |n: &str| match &counter {
            Some(counter) => format!("{n}_{counter}"),
            None => n.to_string(),
        };
        let [head, inside, end] =
            ["for", "for_body", "for_end"].map(|n| self.new_block(&called(n)));
        self.b.bra(head);
        self.enter(head);
        let more = if unsigned {
            self.b.setp(Cmp::Lt, t.unsigned(), iv, upper)
        } else {
            let (a, b) = (self.sext(t, iv), self.sext(t, upper));
            self.b.setp(Cmp::Lt, t.signed(), a, b)
        };
        self.b.cond_bra(more, inside, end);
        self.enter(inside);
        let mut args = vec![Val::Scalar(iv)];
        args.extend(carried.iter().cloned());
        self.bind_args(body, &args)?;
        self.arm(body, &carried)?;
        self.b_loc(op.loc(self.ctx));
        let next = self.b.add(t.signed(), iv, step);
        let next = self.masked(t, next);
        if is_index {
            self.promise(next);
        }
        self.b.mov_to(iv, t.unsigned(), next);
        self.b.bra(head);
        self.enter(end);
        self.define_all(op, carried)
    }

    fn scf_while(&mut self, op: Op) -> Res<()> {
        let (before, after) = (self.entry_of(op, 0)?, self.entry_of(op, 1)?);
        let inits = op.operands(self.ctx);
        let carried = self.carried(&inits)?;
        let results = self.fresh_results(op)?;
        let [head, inside, end] = ["while", "while_body", "while_end"].map(|n| self.new_block(n));
        self.b.bra(head);
        self.enter(head);
        self.bind_args(before, &carried)?;
        let passed = match self.block_body(before) {
            Some(c) if c.name(self.ctx) == ConditionOp::NAME => c.operands(self.ctx),
            _ => return Err("has a first region that does not end in scf.condition".to_string()),
        };
        let Some((condition, passed)) = passed.split_first() else {
            return Err("has an scf.condition without condition".to_string());
        };
        self.assign(&results, passed)?;
        let more = self.scalar(*condition)?;
        self.b.cond_bra(more, inside, end);
        self.enter(inside);
        self.bind_args(after, &results)?;
        self.arm(after, &carried)?;
        self.b.bra(head);
        self.enter(end);
        self.define_all(op, results)
    }

    fn scf_if(&mut self, op: Op) -> Res<()> {
        let results = self.fresh_results(op)?;
        let condition = self.scalar(op.operand(self.ctx, 0))?;
        let then = self.entry_of(op, 0)?;
        let otherwise = self.entry_of(op, 1).ok();
        let [yes, no, end] = ["then", "else", "endif"].map(|n| self.new_block(n));
        let no_target = if otherwise.is_some() { no } else { end };
        self.b.cond_bra(condition, yes, no_target);
        self.enter(yes);
        self.arm(then, &results)?;
        self.b.bra(end);
        if let Some(otherwise) = otherwise {
            self.enter(no);
            self.arm(otherwise, &results)?;
            self.b.bra(end);
        }
        self.enter(end);
        self.define_all(op, results)
    }

    /// Compares with one case after the other.
    fn index_switch(&mut self, op: Op) -> Res<()> {
        let cases = op
            .attr(self.ctx, "cases")
            .and_then(|a| a.as_i64_array(self.ctx));
        let cases = cases.unwrap_or_default();
        let results = self.fresh_results(op)?;
        let flag = self.scalar(op.operand(self.ctx, 0))?;
        let end = self.new_block("endswitch");
        for (i, case) in cases.iter().enumerate() {
            let body = self.entry_of(op, i + 1)?;
            let [here, next] = ["case", "nextcase"].map(|n| self.new_block(n));
            let same = self.b.setp(Cmp::Eq, Ty::S64, flag, *case);
            self.b.cond_bra(same, here, next);
            self.enter(here);
            self.arm(body, &results)?;
            self.b.bra(end);
            self.enter(next);
        }
        let default = self.entry_of(op, 0)?;
        self.arm(default, &results)?;
        self.b.bra(end);
        self.enter(end);
        self.define_all(op, results)
    }

    /// A region of blocks that is run once and left by its own terminators.
    pub fn left_region(&mut self, op: Op) -> Res<()> {
        let results = self.fresh_results(op)?;
        let to = self.new_block("after");
        let Some(region) = op.regions(self.ctx).first().copied() else {
            return Err("has no region".to_string());
        };
        self.exits.push(Exit {
            results: results.clone(),
            to,
        });
        self.graph(region);
        self.exits.pop();
        self.enter(to);
        self.define_all(op, results)
    }

    /// The terminator that leaves the innermost such region.
    pub fn leave_region(&mut self, op: Op) -> Res<()> {
        let Some(exit) = self.exits.last() else {
            return Err("ends no region that is supported here".to_string());
        };
        let (results, to) = (exit.results.clone(), exit.to);
        let operands = op.operands(self.ctx);
        self.assign(&results, &operands)?;
        self.b.bra(to);
        Ok(())
    }
}
