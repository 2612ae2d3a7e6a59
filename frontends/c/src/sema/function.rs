//! Definitions of functions.

use lang_c::ast::{FunctionDefinition, Statement};
use lang_c::span::Node;
use rustc_hash::FxHashMap;
use terrace_ir::diag::Diagnostic;

use super::Sema;
use super::report::ERROR;
use super::scope::Entity;
use super::switch::SwitchState;
use super::types::{Quals, Spec, adjusted, declarator_name};
use crate::hir::{self, Span, Stmt, StmtKind, VarId};
use crate::types::{Function, Type};
use std::rc::Rc;

/// The function whose body is read.
pub(super) struct FunctionState {
    pub name: String,
    pub result: Type,
    /// Loops around the statement that is read.
    pub loops: u32,
    pub switches: Vec<SwitchState>,
    /// Labels, with where they stand.
    pub labels: FxHashMap<String, Span>,
    /// Labels that are jumped to.
    pub gotos: Vec<(String, Span)>,
}

impl Sema<'_> {
    pub(super) fn function_definition(&mut self, f: &Node<FunctionDefinition>) {
        let at = self.span(f.span);
        let list: Vec<Spec> = f.node.specifiers.iter().map(Spec::of_declaration).collect();
        let name = declarator_name(&f.node.declarator).map(|n| n.node.name.clone());
        let directives = self.directives_at_file_level(at, name.as_deref());
        let specs = self.specifiers(&list);
        let (declared, params) = self.definition_declarator(specs.ty, &f.node.declarator);
        let Type::Function(ty) = &declared.ty.ty else {
            self.scopes.leave();
            self.error(
                declared.span,
                format!("`{}` has a body and is no function", declared.name),
            );
            return;
        };
        let ty = if ty.old_style && !params.is_empty() {
            self.old_declarations(f, ty, &params)
        } else {
            ty.clone()
        };
        self.declare_definition(&declared.name, &ty, declared.span, specs.is_static);
        let body_at = self.span(f.node.statement.span);
        self.function = Some(FunctionState {
            name: declared.name.clone(),
            result: ty.result.clone(),
            loops: 0,
            switches: Vec::new(),
            labels: FxHashMap::default(),
            gotos: Vec::new(),
        });
        self.directives_misplaced(Span {
            start: at.start,
            end: body_at.start,
        });
        let body = match &f.node.statement.node {
            // The body shares the parameters' scope (C11 6.2.1p4).
            Statement::Compound(items) => self.block(items, body_at),
            _ => Stmt {
                kind: StmtKind::Unsupported(ERROR.into()),
                span: body_at,
                directives: Vec::new(),
            },
        };
        self.scopes.leave();
        self.check_labels();
        self.function = None;
        self.functions.push(hir::Function {
            name: declared.name,
            is_static: specs.is_static,
            is_inline: specs.is_inline,
            result: ty.result.clone(),
            params,
            variadic: ty.variadic,
            body,
            span: at,
            name_span: declared.span,
            directives,
        });
    }

    /// Declares the function in the file, from within the scope of its parameters.
    fn declare_definition(&mut self, name: &str, ty: &Rc<Function>, at: Span, is_static: bool) {
        if let Some(f) = self.function_table.get(name)
            && f.defined
        {
            let mut diagnostic = Diagnostic::error(
                self.place(at),
                format!("`{name}` is defined for a second time"),
            );
            if let Some(first) = f.span {
                diagnostic = diagnostic.with_note(self.place(first), "it was declared here");
            }
            self.report(at, diagnostic);
        }
        // A parameter may have the function's name, and hides it.
        let in_file = self.scopes.in_file(name).cloned();
        self.refuse_as_function(name, in_file, at);
        self.enter_function(name, &Type::Function(ty.clone()), at, is_static);
        self.scopes.declare_in_file(name, Entity::Function);
        if let Some(f) = self.function_table.get_mut(name) {
            f.defined = true;
            f.span = Some(at);
        }
    }

    /// `int f(a, b) int a; double b; { ... }`: the declarations give the parameters
    /// their types. Calls convert to them, as if there were a prototype.
    fn old_declarations(
        &mut self,
        f: &Node<FunctionDefinition>,
        ty: &Function,
        params: &[VarId],
    ) -> Rc<Function> {
        for declaration in &f.node.declarations {
            let list: Vec<Spec> = declaration
                .node
                .specifiers
                .iter()
                .map(Spec::of_declaration)
                .collect();
            let specs = self.specifiers(&list);
            for d in &declaration.node.declarators {
                let declared = self.declarator(specs.ty.clone(), &d.node.declarator);
                let ty = adjusted(declared.ty, Quals::default());
                let found = params
                    .iter()
                    .find(|p| self.vars[p.0 as usize].name == declared.name);
                match found {
                    Some(p) => {
                        let var = &mut self.vars[p.0 as usize];
                        var.ty = ty.ty;
                        var.is_const = ty.quals.constant;
                        var.is_volatile = ty.quals.volatile;
                    }
                    None => {
                        let name = &declared.name;
                        let message = format!("`{name}` is no parameter of this function");
                        self.error(declared.span, message);
                    }
                }
            }
        }
        Rc::new(Function {
            result: ty.result.clone(),
            params: params.iter().map(|p| self.var(*p).ty.clone()).collect(),
            variadic: false,
            old_style: false,
        })
    }

    fn check_labels(&mut self) {
        let Some(function) = self.function.take() else {
            return;
        };
        for (label, at) in &function.gotos {
            if !function.labels.contains_key(label) {
                self.error(*at, format!("there is no label `{label}` in this function"));
            }
        }
    }
}
