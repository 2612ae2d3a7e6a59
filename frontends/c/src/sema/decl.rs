//! Declarations: variables, functions, typedefs (C11 6.7).

use lang_c::ast::{Declaration, InitDeclarator};
use lang_c::span::Node;
use terrace_ir::diag::Diagnostic;

use super::report::is_error;
use super::scope::Entity;
use super::types::{Declared, QType, Spec, Specs, declarator_name, same};
use super::{FunctionInfo, Sema};
use crate::hir::{Init, Span, Storage, Var, VarId};
use crate::types::{Array, Extent, Type};
use std::rc::Rc;

/// Where a declaration stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    File,
    Block,
}

impl Sema<'_> {
    /// Declares names; gives the variables that live in the block, with what they are
    /// set to.
    pub(super) fn declaration(
        &mut self,
        d: &Node<Declaration>,
        place: Scope,
    ) -> Vec<(VarId, Option<Init>)> {
        let list: Vec<Spec> = d.node.specifiers.iter().map(Spec::of_declaration).collect();
        let mut specs = self.specifiers(&list);
        specs.thread_local |= self.is_thread_local(d);
        let mut locals = Vec::new();
        for declarator in &d.node.declarators {
            if let Some(local) = self.init_declarator(&specs, &declarator.node, place) {
                locals.push(local);
            }
        }
        locals
    }

    /// Whether `__thread` is among the specifiers. The parser drops it, the text has it.
    fn is_thread_local(&self, d: &Node<Declaration>) -> bool {
        let at = self.span(d.span);
        let text = self.source.text();
        let (start, end) = (at.start as usize, at.end as usize);
        let before = text.get(..start).unwrap_or_default().trim_end();
        let first = d.node.declarators.first();
        let name = first.map_or(end, |d| self.span(d.span).start as usize);
        let within = text.get(start..name).unwrap_or_default();
        before.ends_with("__thread") || within.contains("__thread")
    }

    /// The name of the only thing declared, for a `routine` directive before it.
    pub(super) fn declared_function<'x>(&self, d: &'x Node<Declaration>) -> Option<&'x str> {
        match d.node.declarators.as_slice() {
            [only] => declarator_name(&only.node.declarator).map(|n| n.node.name.as_str()),
            _ => None,
        }
    }

    fn init_declarator(
        &mut self,
        specs: &Specs,
        d: &InitDeclarator,
        place: Scope,
    ) -> Option<(VarId, Option<Init>)> {
        let declared = self.declarator(specs.ty.clone(), &d.declarator);
        let at = declared.span;
        if specs.is_typedef {
            self.declare_typedef(declared);
            return None;
        }
        if matches!(declared.ty.ty, Type::Function(_)) {
            self.declare_function(&declared.name, &declared.ty.ty, at, specs.is_static);
            return None;
        }
        let id = self.declare_variable(specs, declared, place, d.initializer.is_some());
        let init = d.initializer.as_ref().map(|init| {
            let var = self.var(id);
            let ty = QType {
                ty: var.ty.clone(),
                quals: super::types::Quals {
                    constant: var.is_const,
                    volatile: var.is_volatile,
                    restrict: false,
                },
            };
            let (init, ty) = self.initializer(ty, init);
            self.vars[id.0 as usize].ty = ty.ty;
            init
        });
        let var = &mut self.vars[id.0 as usize];
        if var.storage == Storage::Local {
            self.check_complete(id, at);
            return Some((id, init));
        }
        if init.is_some() {
            let (twice, name) = (var.init.is_some(), var.name.clone());
            var.init = init;
            if twice {
                self.error(at, format!("`{name}` is initialised for a second time"));
            }
        }
        None
    }

    fn declare_typedef(&mut self, declared: Declared) {
        let Declared {
            name,
            span: at,
            mut ty,
            attrs,
        } = declared;
        ty.ty = attrs.apply(ty.ty);
        if let Some(before) = self.scopes.here(&name) {
            let fine = matches!(before, Entity::Typedef(t) if same(&t.ty, &ty.ty));
            if !fine && !is_error(&ty.ty) {
                self.error(
                    at,
                    format!("`{name}` is declared here for a second time, as something else"),
                );
            }
        }
        self.scopes.declare(&name, Entity::Typedef(ty));
    }

    fn declare_variable(
        &mut self,
        specs: &Specs,
        declared: Declared,
        place: Scope,
        initialized: bool,
    ) -> VarId {
        let Declared { name, span, ty, .. } = declared;
        let storage = match place {
            Scope::File if specs.is_extern && !initialized => Storage::Extern,
            Scope::File if specs.is_static => Storage::FileStatic,
            Scope::File => Storage::Global,
            Scope::Block if specs.is_extern => Storage::Extern,
            Scope::Block if specs.is_static => Storage::LocalStatic,
            Scope::Block => Storage::Local,
        };
        if matches!(ty.ty, Type::Void) {
            self.error(
                span,
                format!("`{name}` cannot be a variable of type `void`"),
            );
        }
        // A name with linkage is one object, however often it is declared.
        let before = match place {
            Scope::File => self.scopes.in_file(&name).cloned(),
            Scope::Block if storage == Storage::Extern => self.scopes.in_file(&name).cloned(),
            Scope::Block => None,
        };
        match before {
            Some(Entity::Var(id)) => {
                self.redeclare(id, &ty, storage, span);
                if place == Scope::Block {
                    self.scopes.declare(&name, Entity::Var(id));
                }
                return id;
            }
            Some(_) => {
                self.error(
                    span,
                    format!("`{name}` is declared here for a second time, as something else"),
                );
            }
            None => {}
        }
        if place == Scope::Block
            && let Some(Entity::Var(id)) = self.scopes.here(&name)
        {
            let first = self.var(*id).span;
            let diagnostic = Diagnostic::error(
                self.place(span),
                format!("`{name}` is declared here for a second time in one block"),
            )
            .with_note(self.place(first), "it was declared here");
            self.report(span, diagnostic);
        }
        let id = self.add_var(Var {
            name: name.clone(),
            ty: ty.ty,
            storage,
            is_const: ty.quals.constant,
            // Another thread has another object: it is not for a region to hold.
            is_volatile: ty.quals.volatile || specs.thread_local,
            address_taken: false,
            span,
            init: None,
        });
        if place == Scope::Block
            && storage == Storage::Extern
            && self.scopes.in_file(&name).is_none()
        {
            self.scopes.declare_in_file(&name, Entity::Var(id));
        }
        self.scopes.declare(&name, Entity::Var(id));
        id
    }

    fn redeclare(&mut self, id: VarId, ty: &QType, storage: Storage, at: Span) {
        let var = self.var(id);
        if !same(&var.ty, &ty.ty) && !is_error(&var.ty) && !is_error(&ty.ty) {
            let (name, first) = (var.name.clone(), var.span);
            let (now, before) = (self.spell(&ty.ty), self.spell(&var.ty));
            let diagnostic = Diagnostic::error(
                self.place(at),
                format!("`{name}` is declared as `{now}` here, and was `{before}` before"),
            )
            .with_note(self.place(first), "it was declared here");
            self.report(at, diagnostic);
            return;
        }
        let var = &mut self.vars[id.0 as usize];
        // `extern double a[];` learns its length from the definition.
        if let (Type::Array(old), Type::Array(new)) = (&var.ty, &ty.ty)
            && matches!(old.len, Extent::Unknown)
            && !matches!(new.len, Extent::Unknown)
        {
            var.ty = ty.ty.clone();
        }
        if storage != Storage::Extern {
            if var.storage == Storage::Extern {
                var.storage = storage;
            }
            var.span = at;
        }
    }

    /// A variable in a block needs a size.
    fn check_complete(&mut self, id: VarId, at: Span) {
        let var = self.var(id);
        let ty = var.ty.clone();
        if self.size_of(&ty).is_some() || super::types::is_variable_length(&ty) {
            return;
        }
        if matches!(ty, Type::Other(_) | Type::Void) {
            return;
        }
        let (name, found) = (var.name.clone(), self.spell(&ty));
        self.error(
            at,
            format!("`{name}` has the type `{found}`, whose size is not known"),
        );
        // So that its uses say nothing more.
        if let Type::Array(a) = &ty {
            self.vars[id.0 as usize].ty = Type::Array(Rc::new(Array {
                of: a.of.clone(),
                len: Extent::Const(0),
            }));
        }
    }

    pub(super) fn declare_function(&mut self, name: &str, ty: &Type, at: Span, is_static: bool) {
        let here = self.scopes.here(name).cloned();
        self.refuse_as_function(name, here, at);
        self.scopes.declare(name, Entity::Function);
        self.enter_function(name, ty, at, is_static);
    }

    /// An error where a name that becomes a function's stands for something else in the same scope.
    pub(super) fn refuse_as_function(&mut self, name: &str, entity: Option<Entity>, at: Span) {
        if let Some(Entity::Var(_) | Entity::Typedef(_) | Entity::Enumerator { .. }) = entity {
            self.error(
                at,
                format!("`{name}` is declared here for a second time, as a function"),
            );
        }
    }

    /// Notes what a declaration says of a function.
    pub(super) fn enter_function(&mut self, name: &str, ty: &Type, at: Span, is_static: bool) {
        let order = self.function_table.len();
        match self.function_table.get_mut(name) {
            Some(f) => {
                let (Type::Function(old), Type::Function(new)) = (&f.ty, ty) else {
                    return;
                };
                let first = f.span;
                if !same(&f.ty, ty) {
                    let before = f.ty.clone();
                    // A function that was called before its declaration was guessed.
                    f.ty = ty.clone();
                    f.span = Some(at);
                    let Some(first) = first else { return };
                    let (now, before) = (self.spell(ty), self.spell(&before));
                    let diagnostic = Diagnostic::error(
                        self.place(at),
                        format!("`{name}` is declared as `{now}` here, and was `{before}` before"),
                    )
                    .with_note(self.place(first), "it was declared here");
                    self.report(at, diagnostic);
                    return;
                }
                // What is known of parameters stays known.
                if old.old_style || !new.old_style {
                    f.ty = ty.clone();
                }
                f.span = f.span.or(Some(at));
                f.is_static |= is_static;
            }
            None => {
                self.function_table.insert(
                    name.to_owned(),
                    FunctionInfo {
                        ty: ty.clone(),
                        span: Some(at),
                        defined: false,
                        is_static,
                        order,
                    },
                );
            }
        }
    }
}
