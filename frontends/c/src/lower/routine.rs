//! What `routine` directives and OpenACC's own functions say of calls in regions.

use terrace_dialects::arith;
use terrace_ir::Value;

use super::capture::Step;
use super::{Lowerer, Refusal, Result};
use crate::directive::{ClauseKind, Directive, DirectiveKind};
use crate::hir::{BinaryOp, Expr, Span, Unit, VarId};
use crate::types::Type;
use terrace_ir::diag::DiagLoc;

/// The `routine` directives of a function, whether it has a body or not.
fn directives<'u>(unit: &'u Unit, name: &'u str) -> impl Iterator<Item = &'u Directive> {
    let own = unit.function(name).map(|f| f.directives.as_slice());
    let own = own.unwrap_or_default();
    let all = unit.directives.iter().enumerate();
    all.filter(move |(i, d)| match &d.kind {
        DirectiveKind::Routine(Some(n)) => n.text.trim() == name,
        DirectiveKind::Routine(None) => own.iter().any(|id| id.0 as usize == *i),
        _ => false,
    })
    .map(|(_, d)| d)
}

/// The function that regions call in place of this one (`bind`).
pub fn bound(unit: &Unit, name: &str) -> Option<String> {
    let clauses = directives(unit, name).flat_map(|d| &d.clauses);
    let mut names = clauses.filter_map(|c| match &c.kind {
        ClauseKind::Bind(to) => Some(to.text.trim().trim_matches('"').to_string()),
        _ => None,
    });
    names.next()
}

/// Why a function without a body cannot be called in a region.
pub fn no_body(unit: &Unit, name: &str) -> String {
    let Some(d) = directives(unit, name).next() else {
        return format!("a call of '{name}', which has no device form");
    };
    let place = match unit.source.loc(d.span.start as usize) {
        DiagLoc::Pos { file, line, .. } => format!(" ({file}:{line})"),
        _ => String::new(),
    };
    format!(
        "a call of '{name}', a routine{place} without a body in this file; its definition has \
         to be here, such as a static function in a header"
    )
}

/// Values of `acc_device_t` that mean the host, and a device.
const ON_HOST: [i128; 2] = [0, 2];
const ON_DEVICE: [i128; 2] = [4, 5];

impl Lowerer<'_> {
    /// `acc_on_device(kind)`: which form of the region runs is known when it is called.
    pub fn on_device(&mut self, kind: &Expr, span: Span) -> Result<Value> {
        if self.unit.vars.is_empty() {
            return Err(Refusal::fault(span, "a program without variables"));
        }
        let kind_value = self.expr(kind)?;
        let mut among = |values: [i128; 2]| -> Result<Value> {
            let mut any = self.flag_constant(false);
            for n in values {
                let n = self.int_constant(n, &kind.ty, span)?;
                let same = self.compare(BinaryOp::Eq, kind_value, n, &kind.ty);
                any = self.binary(arith::OrIOp::NAME, any, same);
            }
            Ok(any)
        };
        let (host, device) = (among(ON_HOST)?, among(ON_DEVICE)?);
        let id = self.outer(VarId(0), vec![Step::OnDevice]);
        let word = self.captured_scalar(id, span)?;
        let zero = self.int_constant(0, &Type::INT, span)?;
        let there = self.compare(BinaryOp::Ne, word, zero, &Type::INT);
        let t = host.ty(self.ctx);
        let is = self.value(arith::SelectOp::NAME, &[there, device, host], t);
        Ok(self.bool_value(is, &Type::INT))
    }
}
