//! From the parsed text to the typed tree: names are resolved, types laid out, and every
//! conversion written as a cast.
//!
//! Analysis never gives up on a unit. What terrace does not translate becomes
//! `Unsupported` where it stands; what is wrong becomes a diagnostic and `Unsupported`,
//! and what follows from the same mistake is not reported again.
//!
//! References are to ISO/IEC 9899:2011 (its draft N1570).

pub(crate) mod constant;
mod decl;
mod directives;
mod expr;
mod function;
mod init;
mod report;
mod scope;
mod stmt;
mod switch;
mod types;

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

use lang_c::ast::{ExternalDeclaration, TranslationUnit};
use rustc_hash::FxHashMap;
use terrace_ir::diag::Diagnostic;

use crate::directive::Directive;
use crate::hir::{self, DirectiveId, Span, Unit, Var, VarId};
use crate::source::SourceMap;
use crate::types::{Record, Type};
use directives::Queue;
use function::FunctionState;
use report::Reports;
use scope::Scopes;
use types::pack::Packs;

/// How deep expressions, statements and initialisers may stand in each other: every
/// level costs stack, here and in whoever walks the tree. `else if` is no level here.
const MAX_DEPTH: u32 = 150;

/// Resolves the names of a unit and types it. The diagnostics are errors in the
/// program, in the order of the text; the unit is usable beside them.
pub fn analyze(
    source: SourceMap,
    ast: &TranslationUnit,
    directives: Vec<Directive>,
) -> (Unit, Vec<Diagnostic>) {
    let mut sema = Sema::new(&source, directives);
    sema.unit(ast);
    let Sema {
        records,
        vars,
        functions,
        function_table,
        directives,
        file_directives,
        reports,
        ..
    } = sema;
    let diagnostics = reports.finish();
    let mut externals: Vec<_> = function_table
        .into_iter()
        .filter(|(_, f)| !f.defined)
        .map(|(name, f)| (f.order, name, f.ty))
        .collect();
    externals.sort_by_key(|e| e.0);
    let unit = Unit {
        source,
        records,
        vars,
        functions,
        externals: externals.into_iter().map(|(_, n, t)| (n, t)).collect(),
        directives,
        file_directives,
    };
    (unit, diagnostics)
}

/// What is known of a function's name.
struct FunctionInfo {
    ty: Type,
    /// Where it was declared first; none for one that the compiler knows.
    span: Option<Span>,
    defined: bool,
    is_static: bool,
    /// The how manieth function it is.
    order: usize,
}

struct Sema<'a> {
    source: &'a SourceMap,
    records: Vec<Record>,
    vars: Vec<Var>,
    functions: Vec<hir::Function>,
    function_table: FxHashMap<String, FunctionInfo>,
    directives: Vec<Directive>,
    file_directives: Vec<DirectiveId>,
    /// Directives that no statement has taken yet.
    queue: Queue,
    scopes: Scopes,
    reports: Reports,
    /// The function whose body is read.
    function: Option<FunctionState>,
    /// Levels of recursion now.
    depth: u32,
    packs: Packs,
    /// Above 0 in an operand of `sizeof` and the like, which is not evaluated.
    unevaluated: u32,
}

impl<'a> Sema<'a> {
    fn new(source: &'a SourceMap, directives: Vec<Directive>) -> Sema<'a> {
        Sema {
            source,
            records: Vec::new(),
            vars: Vec::new(),
            functions: Vec::new(),
            function_table: FxHashMap::default(),
            queue: Queue::new(&directives),
            directives,
            file_directives: Vec::new(),
            scopes: Scopes::new(),
            reports: Reports::default(),
            function: None,
            depth: 0,
            packs: Packs::new(source),
            unevaluated: 0,
        }
    }

    fn unit(&mut self, ast: &TranslationUnit) {
        for external in &ast.0 {
            let span = self.span(external.span);
            match &external.node {
                ExternalDeclaration::Declaration(d) => {
                    let name = self.declared_function(d);
                    self.directives_at_file_level(span, name);
                    self.declaration(d, decl::Scope::File);
                    self.directives_misplaced(span);
                }
                ExternalDeclaration::StaticAssert(_) => {
                    self.directives_at_file_level(span, None);
                }
                ExternalDeclaration::FunctionDefinition(f) => self.function_definition(f),
            }
        }
        let end = self.source.text().len();
        self.directives_at_file_level(Span::new(end, end), None);
        self.directives_left_over();
    }

    fn add_var(&mut self, var: Var) -> VarId {
        let id = VarId(u32::try_from(self.vars.len()).unwrap_or(u32::MAX));
        self.vars.push(var);
        id
    }

    fn var(&self, id: VarId) -> &Var {
        &self.vars[id.0 as usize]
    }

    /// Runs one level deeper, unless that is too deep.
    fn deeper<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.depth >= MAX_DEPTH {
            return None;
        }
        self.depth += 1;
        let result = run(self);
        self.depth -= 1;
        Some(result)
    }

    /// Runs on an operand that is not evaluated.
    fn unevaluated<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> T {
        self.unevaluated += 1;
        let result = run(self);
        self.unevaluated -= 1;
        result
    }
}
