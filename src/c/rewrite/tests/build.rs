//! Units made by hand: the text, and statements found in it by their first words.

use std::io::Write as _;
use std::process::{Command, Stdio};

use terrace_c::directive::{
    Arg, Clause, ClauseKind, Compute, DataKind, Dialect, Dim, Directive, DirectiveKind, Section,
};
use terrace_c::hir::{
    DirectiveId, Expr, ExprKind, Function, Span, Stmt, StmtKind, Storage, Unit, Var, VarId,
};
use terrace_c::region::{Capture, CaptureKind, CapturedArray, Region, Size};
use terrace_c::source::SourceMap;
use terrace_c::types::{Array, Extent, Type};
use terrace_ir::diag::Diagnostic;

use super::super::rewrite_with_notes;
use crate::c::host::Around;
use crate::c::plan::{ArrayExtent, RegionPlan};

/// The text of a unit in which each construct has a plan or stays C.
pub fn rewrite(unit: &Unit, regions: &[RegionPlan]) -> Result<String, Vec<Diagnostic>> {
    rewrite_with_notes(unit, regions, &[], Around::default()).map(|r| r.text)
}

pub struct Build {
    pub unit: Unit,
}

impl Build {
    pub fn new(text: &str) -> Build {
        let source = SourceMap::with_loader(text, Box::new(|_| None));
        Build {
            unit: Unit {
                source,
                records: Vec::new(),
                vars: Vec::new(),
                functions: Vec::new(),
                externals: Vec::new(),
                directives: Vec::new(),
                file_directives: Vec::new(),
            },
        }
    }

    pub fn span(&self, start: &str, end: &str) -> Span {
        let text = self.unit.source.text();
        let from = text.find(start).expect(start);
        let to = from + text[from..].find(end).expect(end) + end.len();
        Span::new(from, to)
    }

    pub fn var(&mut self, name: &str, ty: Type, storage: Storage) -> VarId {
        self.unit.vars.push(Var {
            name: name.to_string(),
            ty,
            storage,
            is_const: false,
            is_volatile: false,
            address_taken: false,
            span: Span::new(0, 0),
            init: None,
        });
        VarId(self.unit.vars.len() as u32 - 1)
    }

    fn find(&self, name: &str) -> Option<Expr> {
        let at = self.unit.vars.iter().position(|v| v.name == name)?;
        Some(Expr {
            kind: ExprKind::Var(VarId(at as u32)),
            ty: self.unit.vars[at].ty.clone(),
            span: Span::new(0, 0),
        })
    }

    fn arg(&self, text: &str) -> Arg {
        let at = self.unit.source.text().find(text).unwrap_or(0);
        Arg {
            text: text.to_string(),
            span: Span::new(at, at + text.len()),
            expr: self.find(text),
        }
    }

    pub fn section(&self, text: &str) -> Section {
        let (name, rest) = text.split_at(text.find('[').unwrap_or(text.len()));
        let dims = rest.split_inclusive(']').map(|d| {
            let d = d.trim_matches(['[', ']']);
            let arg = |t: &str| (!t.is_empty()).then(|| self.arg(t));
            match d.split_once(':') {
                Some((start, length)) => Dim {
                    start: arg(start),
                    length: arg(length),
                    single: false,
                },
                None => Dim {
                    start: arg(d),
                    length: None,
                    single: true,
                },
            }
        });
        Section {
            dims: dims.collect(),
            base: self.arg(name),
            span: self.arg(text).span,
            modifiers: Vec::new(),
        }
    }

    pub fn data(&self, kind: DataKind, vars: &[&str]) -> ClauseKind {
        ClauseKind::Data {
            kind,
            vars: vars.iter().map(|v| self.section(v)).collect(),
        }
    }

    pub fn word(&self, text: &str) -> Arg {
        self.arg(text)
    }

    pub fn directive(
        &mut self,
        start: &str,
        kind: DirectiveKind,
        clauses: Vec<ClauseKind>,
    ) -> DirectiveId {
        let mut span = self.span(start, "\n");
        span.end -= 1;
        let clauses = clauses.into_iter().map(|kind| Clause {
            kind,
            span,
            device_type: Vec::new(),
        });
        self.unit.directives.push(Directive {
            kind,
            clauses: clauses.collect(),
            span,
            dialect: Dialect::OpenAcc,
        });
        DirectiveId(self.unit.directives.len() as u32 - 1)
    }

    pub fn compute(&mut self, start: &str, clauses: Vec<ClauseKind>) -> DirectiveId {
        let kind = DirectiveKind::Compute {
            construct: Compute::Kernels,
            combined: false,
        };
        self.directive(start, kind, clauses)
    }

    pub fn stmt(&self, start: &str, end: &str, kind: StmtKind, ids: &[DirectiveId]) -> Stmt {
        Stmt {
            kind,
            span: self.span(start, end),
            directives: ids.to_vec(),
        }
    }

    /// One function, from `start` to the end of the text.
    pub fn function(&mut self, start: &str, body: Vec<Stmt>) {
        let end = self.unit.source.text().len();
        let span = Span::new(self.span(start, start).start as usize, end);
        self.unit.functions.push(Function {
            name: "f".to_string(),
            is_static: false,
            is_inline: false,
            result: Type::Void,
            params: Vec::new(),
            variadic: false,
            body: Stmt {
                kind: StmtKind::Block(body),
                span,
                directives: Vec::new(),
            },
            span,
            name_span: span,
            directives: Vec::new(),
        });
    }

    pub fn scalar(&self, name: &str, read: bool, written: bool) -> Capture {
        let lvalue = self.find(name).unwrap();
        Capture {
            text: name.to_string(),
            ty: lvalue.ty.clone(),
            lvalue,
            kind: CaptureKind::Scalar,
            read,
            written,
            addressed: false,
        }
    }

    pub fn array(&self, name: &str, sizes: Vec<Size>, written: bool) -> Capture {
        let lvalue = self.find(name).unwrap();
        let zeros = "[0]".repeat(sizes.len());
        Capture {
            text: name.to_string(),
            ty: lvalue.ty.clone(),
            kind: CaptureKind::Array(CapturedArray {
                element: Type::DOUBLE,
                sizes,
                strides: None,
                address: format!("&({name}){zeros}"),
                is_pointer: lvalue.ty.is_pointer(),
                is_const: false,
                restrict: false,
                field: None,
                pointers: false,
                tables: None,
                anywhere: false,
            }),
            lvalue,
            read: true,
            written,
            addressed: false,
        }
    }

    pub fn plan(
        &self,
        directive: Option<DirectiveId>,
        span: Span,
        captures: Vec<Capture>,
        results: Vec<usize>,
    ) -> RegionPlan {
        let extents = captures.iter().map(|c| match c.array() {
            Some(_) => ArrayExtent::Computed,
            None => ArrayExtent::Scalar,
        });
        RegionPlan {
            extents: extents.collect(),
            extent_words: Vec::new(),
            extent_unsure: Vec::new(),
            overwritten: Vec::new(),
            last_result: None,
            region: Region {
                name: "f.region0".to_string(),
                function: 0,
                directive,
                construct: match directive {
                    Some(_) => Compute::Kernels,
                    None => Compute::Auto,
                },
                span,
                captures,
                results,
            },
            symbol: "R".to_string(),
            gpu: true,
            cpu: true,
            only_threads: false,
            trial: None,
            iterations: crate::c::plan::Iterations::All,
            check_alias: false,
            presumed: Vec::new(),
            coincide: Vec::new(),
            at_home: false,
            wants_gpu: false,
            names_target: false,
            pays: None,
        }
    }
}

pub fn array_of(of: Type, len: u64) -> Type {
    Type::Array(std::rc::Rc::new(Array {
        of,
        len: Extent::Const(len),
    }))
}

/// Without what every text begins with.
pub fn without_preamble(text: &str) -> String {
    let lines = text.lines();
    let kept = lines.filter(|l| !l.starts_with("__extension__ typedef"));
    kept.map(|l| format!("{l}\n")).collect()
}

/// That the system's compiler takes the text without a word.
pub fn compiles(text: &str) {
    compiles_as(
        text,
        &[
            &["-std=c89", "-pedantic-errors"],
            &["-std=c99", "-pedantic-errors"],
            &["-std=gnu17", "-O2"],
        ],
    );
}

/// As [`compiles`], in these modes.
pub fn compiles_as(text: &str, modes: &[&[&str]]) {
    for mode in modes {
        let mut child = Command::new("cc")
            .args(["-c", "-o", "/dev/null", "-x", "cpp-output"])
            .args([
                "-Wall",
                "-Wextra",
                "-Wshadow",
                "-Wconversion",
                "-Werror",
                "-",
            ])
            .args(*mode)
            .stdin(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("a C compiler");
        let mut input = child.stdin.take().unwrap();
        input.write_all(text.as_bytes()).unwrap();
        drop(input);
        let out = child.wait_with_output().unwrap();
        let errors = String::from_utf8_lossy(&out.stderr);
        assert!(out.status.success(), "{mode:?}: {errors}\n{text}");
        assert!(errors.is_empty(), "{mode:?}: {errors}\n{text}");
    }
}
