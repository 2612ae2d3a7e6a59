//! Everything that must hold of a module before it is printed.
//!
//! All findings are reported, not the first. What needs sound structure (a
//! control-flow graph, definitions) copes with broken structure, so that one
//! mistake does not hide another.

pub(crate) mod divergence;
mod flow;
mod limits;
mod operands;
#[cfg(test)]
mod tests;

use super::cfg::Cfg;
use super::defs::Defs;
use super::ids::{BlockId, FuncId, InstId};
use super::inst::Loc;
use super::module::{Func, Module};
use super::print::print_inst;
use std::fmt;

/// Whether the module must not be used.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Severity {
    Warning,
    Error,
}

/// What kind of rule a finding is about.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Rule {
    /// Modifiers and type suffixes an opcode does not have together.
    Form,
    /// Number or outward kind of operands.
    OperandKind,
    /// Type or width of an operand.
    OperandType,
    /// An immediate that does not fit.
    Immediate,
    /// State space of an address.
    StateSpace,
    /// A register, block, symbol or function that does not exist.
    Missing,
    /// A register read before it is written.
    Undefined,
    /// A block that does not end as it must.
    BlockEnd,
    /// An address that cannot be aligned as the access needs.
    Alignment,
    /// An instruction the architecture or PTX version lacks.
    Arch,
    /// Parameter, shared, constant memory or launch bounds over the limit.
    Limit,
    /// A name that PTX does not allow, or twice the same.
    Name,
    /// A barrier that not all threads of a block may reach.
    DivergentBarrier,
    /// Arguments or result of a call.
    Call,
}

impl Rule {
    /// Short name for messages.
    pub const fn name(self) -> &'static str {
        match self {
            Rule::Form => "form",
            Rule::OperandKind => "operand",
            Rule::OperandType => "type",
            Rule::Immediate => "immediate",
            Rule::StateSpace => "space",
            Rule::Missing => "missing",
            Rule::Undefined => "undefined",
            Rule::BlockEnd => "block-end",
            Rule::Alignment => "alignment",
            Rule::Arch => "arch",
            Rule::Limit => "limit",
            Rule::Name => "name",
            Rule::DivergentBarrier => "divergent-barrier",
            Rule::Call => "call",
        }
    }
}

/// Where in a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InstPlace {
    pub block: BlockId,
    /// Position in the block.
    pub index: usize,
    pub inst: InstId,
}

/// One thing that is wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    pub severity: Severity,
    pub rule: Rule,
    pub func: Option<FuncId>,
    /// Name of the function; empty at module level.
    pub func_name: String,
    pub place: Option<InstPlace>,
    pub loc: Loc,
    /// The instruction's text; empty if the finding is about no instruction.
    pub text: String,
    pub found: String,
    /// What would be right.
    pub expected: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match self.severity {
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        write!(f, "{severity}[{}]", self.rule.name())?;
        if !self.func_name.is_empty() {
            write!(f, " in {}", self.func_name)?;
        }
        if let Some(place) = self.place {
            write!(
                f,
                ", block {}, instruction {}",
                place.block.index(),
                place.index
            )?;
        }
        if self.loc.is_known() {
            write!(
                f,
                " (file {}, line {}:{})",
                self.loc.file, self.loc.line, self.loc.column
            )?;
        }
        if !self.text.is_empty() {
            write!(f, " `{}`", self.text)?;
        }
        write!(f, ": found {}; expected {}", self.found, self.expected)
    }
}

/// All findings about a module, in textual order within each kind of check.
pub fn check(module: &Module) -> Vec<Finding> {
    let mut findings = Vec::new();
    limits::check_module(module, &mut findings);
    for (id, func) in module.funcs.iter() {
        let (cfg, defs) = (Cfg::new(func), Defs::new(func));
        let mut reporter = Reporter {
            module,
            func,
            id,
            cfg: &cfg,
            defs: &defs,
            findings: &mut findings,
        };
        limits::check_func(&mut reporter);
        operands::check(&mut reporter);
        flow::check(&mut reporter);
        divergence::check(&mut reporter);
    }
    findings
}

/// The errors among the findings as one text; none if there are none.
pub fn errors(module: &Module) -> Option<String> {
    let lines: Vec<String> = check(module)
        .iter()
        .filter(|f| f.severity == Severity::Error)
        .map(Finding::to_string)
        .collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// Collects findings about one function.
struct Reporter<'a> {
    module: &'a Module,
    func: &'a Func,
    id: FuncId,
    cfg: &'a Cfg,
    defs: &'a Defs,
    findings: &'a mut Vec<Finding>,
}

impl Reporter<'_> {
    fn push(
        &mut self,
        severity: Severity,
        rule: Rule,
        place: Option<InstPlace>,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) {
        let inst = place.and_then(|p| self.func.insts.get(p.inst));
        self.findings.push(Finding {
            severity,
            rule,
            func: Some(self.id),
            func_name: self.func.name.clone(),
            place,
            loc: inst.map(|i| i.loc).unwrap_or_default(),
            text: inst.map_or_else(String::new, |i| print_inst(self.module, self.func, i)),
            found: found.into(),
            expected: expected.into(),
        });
    }

    fn error(
        &mut self,
        rule: Rule,
        place: InstPlace,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) {
        self.push(Severity::Error, rule, Some(place), found, expected);
    }

    /// The places of the function in textual order.
    fn places(&self) -> Vec<InstPlace> {
        let mut places = Vec::with_capacity(self.func.inst_count());
        for &block in &self.func.layout {
            let Some(body) = self.func.blocks.get(block) else {
                continue;
            };
            for (index, &inst) in body.insts.iter().enumerate() {
                places.push(InstPlace { block, index, inst });
            }
        }
        places
    }
}
