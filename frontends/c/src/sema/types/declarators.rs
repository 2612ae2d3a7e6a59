//! Declarators: what pointers, brackets and parentheses make of a type (C11 6.7.6).

use std::rc::Rc;

use lang_c::ast::{
    ArrayDeclarator, ArraySize, Declarator, DeclaratorKind, DerivedDeclarator, Ellipsis,
    Expression, FunctionDeclarator, Identifier, ParameterDeclaration, PointerQualifier,
};
use lang_c::span::Node;

use super::attributes::Attrs;
use super::specifiers::qualifier;
use super::{QType, Quals, Spec};
use crate::hir::{ExprKind, Span, Storage, Var, VarId};
use crate::sema::Sema;
use crate::sema::report::{ERROR, error_type, is_error, unsupported};
use crate::sema::scope::Entity;
use crate::types::{Array, Extent, Function, Pointer, Type};

/// What a declarator declares.
pub(in crate::sema) struct Declared {
    /// Empty for an abstract declarator.
    pub name: String,
    pub span: Span,
    pub ty: QType,
    pub attrs: Attrs,
}

/// The largest array length that makes sense: an object is no longer than this many
/// bytes.
const MAX_LENGTH: u64 = 1 << 62;

impl Sema<'_> {
    /// The type a declarator makes of `base`.
    pub(in crate::sema) fn declarator(&mut self, base: QType, d: &Node<Declarator>) -> Declared {
        self.declarator_of(base, d, None)
    }

    /// Of a function that is defined: its parameters are declared in a scope that is
    /// left open.
    pub(in crate::sema) fn definition_declarator(
        &mut self,
        base: QType,
        d: &Node<Declarator>,
    ) -> (Declared, Vec<VarId>) {
        self.scopes.enter();
        let target = own_parameters(d).map(|p| p as *const DerivedDeclarator);
        let mut params = Vec::new();
        let declared = self.declarator_of(base, d, target.map(|t| (t, &mut params)));
        (declared, params)
    }

    fn declarator_of(
        &mut self,
        base: QType,
        d: &Node<Declarator>,
        mut definition: Option<(*const DerivedDeclarator, &mut Vec<VarId>)>,
    ) -> Declared {
        let mut at = d;
        let mut ty = base;
        let mut attrs = Attrs::default();
        loop {
            let own = self.attributes(&at.node.extensions);
            ty.ty = own.apply(ty.ty);
            attrs = attrs.and(own);
            let derived = &at.node.derived;
            let pointers = derived.iter().take_while(|x| is_pointer(&x.node)).count();
            for p in &derived[..pointers] {
                ty = self.pointer(ty, &p.node);
            }
            for suffix in derived[pointers..].iter().rev() {
                let params = match &mut definition {
                    Some((target, params)) if std::ptr::eq(*target, &suffix.node) => {
                        Some(&mut **params)
                    }
                    _ => None,
                };
                ty = self.suffix(ty, &suffix.node, self.span(suffix.span), params);
            }
            match &at.node.kind.node {
                DeclaratorKind::Abstract => {
                    return Declared {
                        name: String::new(),
                        span: self.span(d.span),
                        ty,
                        attrs,
                    };
                }
                DeclaratorKind::Identifier(name) => {
                    return Declared {
                        name: name.node.name.clone(),
                        span: self.span(name.span),
                        ty,
                        attrs,
                    };
                }
                DeclaratorKind::Declarator(inner) => at = inner,
            }
        }
    }

    fn pointer(&mut self, to: QType, d: &DerivedDeclarator) -> QType {
        let (DerivedDeclarator::Pointer(list) | DerivedDeclarator::Block(list)) = d else {
            return to;
        };
        let mut quals = Quals::default();
        for q in list {
            if let PointerQualifier::TypeQualifier(q) = &q.node {
                quals = quals.and(qualifier(&q.node));
            }
        }
        QType::plain(self.bounded(to.pointer())).qualified(quals)
    }

    /// The type, unless it is larger than any that is meant: whoever walks a type takes
    /// stack and time for it.
    fn bounded(&self, ty: Type) -> Type {
        let mut budget = 4000;
        if fits(&ty, 100, &mut budget) {
            ty
        } else {
            Type::Other("a type of more than 100 levels".into())
        }
    }

    fn suffix(
        &mut self,
        ty: QType,
        d: &DerivedDeclarator,
        at: Span,
        definition: Option<&mut Vec<VarId>>,
    ) -> QType {
        match d {
            DerivedDeclarator::Array(a) => self.array(ty, &a.node, at),
            DerivedDeclarator::Function(f) => {
                let function = self.function_type(ty.ty, &f.node, definition);
                QType::plain(self.bounded(function))
            }
            DerivedDeclarator::KRFunction(names) => {
                if let Some(params) = definition {
                    self.old_parameters(names, params);
                }
                QType::plain(Type::Function(Rc::new(Function {
                    result: ty.ty,
                    params: Vec::new(),
                    variadic: false,
                    old_style: true,
                })))
            }
            DerivedDeclarator::Pointer(_) | DerivedDeclarator::Block(_) => self.pointer(ty, d),
        }
    }

    /// Qualifiers of an array are its elements', so they stay where they are.
    fn array(&mut self, of: QType, a: &ArrayDeclarator, at: Span) -> QType {
        if matches!(of.ty, Type::Function(_) | Type::Void) {
            let what = self.spell(&of.ty);
            self.error(at, format!("an array cannot consist of `{what}`"));
            return QType::plain(error_type());
        }
        let len = match &a.size {
            ArraySize::Unknown | ArraySize::VariableUnknown => Extent::Unknown,
            ArraySize::VariableExpression(e) | ArraySize::StaticExpression(e) => self.extent(e),
        };
        QType {
            ty: self.bounded(Type::Array(Rc::new(Array { of: of.ty, len }))),
            quals: of.quals,
        }
    }

    fn extent(&mut self, e: &Node<Expression>) -> Extent {
        let at = self.span(e.span);
        let value = self.value(e);
        if is_error(&value.ty) {
            return Extent::Expr(Box::new(value));
        }
        if !value.ty.is_integer() {
            let why = match value.kind {
                ExprKind::Unsupported(why) => why,
                _ => {
                    let found = self.spell(&value.ty);
                    let message = format!(
                        "the length of an array has to be an integer, and this is `{found}`"
                    );
                    self.error(at, message);
                    ERROR.into()
                }
            };
            return Extent::Expr(Box::new(unsupported(why, Type::INT, at)));
        }
        match self.fold_integer(&value) {
            Some(n) if n < 0 => {
                self.error(at, format!("the length of an array is negative: {n}"));
                Extent::Const(0)
            }
            Some(n) => match u64::try_from(n) {
                Ok(n) if n <= MAX_LENGTH => Extent::Const(n),
                _ => {
                    self.error(at, format!("an array cannot be this long: {n}"));
                    Extent::Const(0)
                }
            },
            None => Extent::Expr(Box::new(value)),
        }
    }

    fn function_type(
        &mut self,
        result: Type,
        f: &FunctionDeclarator,
        definition: Option<&mut Vec<VarId>>,
    ) -> Type {
        let variadic = f.ellipsis == Ellipsis::Some;
        // Sizes of parameters may name parameters before them.
        let named = definition.is_some() || f.parameters.iter().any(|p| has_array(&p.node));
        let own_scope = named && definition.is_none();
        if own_scope {
            self.scopes.enter();
        }
        let mut types = Vec::new();
        let mut ids = Vec::new();
        for p in &f.parameters {
            let declared = self.parameter(&p.node, self.span(p.span));
            if f.parameters.len() == 1
                && declared.name.is_empty()
                && matches!(declared.ty.ty, Type::Void)
            {
                break;
            }
            types.push(declared.ty.ty.clone());
            if named {
                ids.push(self.declare_parameter(declared));
            }
        }
        if own_scope {
            self.scopes.leave();
        }
        if let Some(params) = definition {
            *params = ids;
        }
        let old_style = f.parameters.is_empty() && !variadic;
        Type::Function(Rc::new(Function {
            result,
            params: types,
            variadic,
            old_style,
        }))
    }

    fn parameter(&mut self, p: &ParameterDeclaration, at: Span) -> Declared {
        let list: Vec<Spec> = p.specifiers.iter().map(Spec::of_declaration).collect();
        let specs = self.specifiers(&list);
        let mut declared = match &p.declarator {
            Some(d) => self.declarator(specs.ty, d),
            None => Declared {
                name: String::new(),
                span: at,
                ty: specs.ty,
                attrs: specs.attrs,
            },
        };
        let quals = p.declarator.as_ref().map_or(Quals::default(), array_quals);
        declared.ty = adjusted(declared.ty, quals);
        declared
    }

    pub(in crate::sema) fn declare_parameter(&mut self, declared: Declared) -> VarId {
        let Declared { name, span, ty, .. } = declared;
        if !name.is_empty() && self.scopes.here(&name).is_some() {
            self.error(span, format!("there are two parameters `{name}`"));
        }
        let id = self.add_var(Var {
            name: name.clone(),
            ty: ty.ty,
            storage: Storage::Param,
            is_const: ty.quals.constant,
            is_volatile: ty.quals.volatile,
            address_taken: false,
            span,
            init: None,
        });
        if !name.is_empty() {
            self.scopes.declare(&name, Entity::Var(id));
        }
        id
    }

    /// `f(a, b)`: the parameters are `int` until declared.
    fn old_parameters(&mut self, names: &[Node<Identifier>], params: &mut Vec<VarId>) {
        for name in names {
            let id = self.declare_parameter(Declared {
                name: name.node.name.clone(),
                span: self.span(name.span),
                ty: QType::plain(Type::INT),
                attrs: Attrs::default(),
            });
            params.push(id);
        }
    }
}

/// A parameter's type as the function sees it (C11 6.7.6.3p7 and p8).
pub(in crate::sema) fn adjusted(ty: QType, brackets: Quals) -> QType {
    match ty.ty {
        Type::Array(a) => {
            let to = Type::Pointer(Rc::new(Pointer {
                to: a.of.clone(),
                to_const: ty.quals.constant,
                to_volatile: ty.quals.volatile,
                restrict: false,
                declared: Some(a.len.clone()),
            }));
            QType::plain(to).qualified(brackets)
        }
        Type::Function(_) => QType::plain(QType::plain(ty.ty).pointer()),
        Type::Other(name) if &*name == "va_list" => {
            QType::plain(Type::pointer_to(Type::Other(name)))
        }
        other => QType {
            ty: other,
            quals: ty.quals,
        },
    }
}

/// Whether a type has no more than so many levels, and parts in all.
fn fits(ty: &Type, levels: u32, budget: &mut u32) -> bool {
    if levels == 0 || *budget == 0 {
        return false;
    }
    *budget -= 1;
    match ty {
        Type::Pointer(p) => fits(&p.to, levels - 1, budget),
        Type::Array(a) => fits(&a.of, levels - 1, budget),
        Type::Function(f) => {
            fits(&f.result, levels - 1, budget)
                && f.params.iter().all(|p| fits(p, levels - 1, budget))
        }
        _ => true,
    }
}

fn is_pointer(d: &DerivedDeclarator) -> bool {
    matches!(
        d,
        DerivedDeclarator::Pointer(_) | DerivedDeclarator::Block(_)
    )
}

/// The parentheses with the parameters of the function that is declared itself, not
/// those of what it returns or points to.
fn own_parameters(d: &Node<Declarator>) -> Option<&DerivedDeclarator> {
    let mut at = d;
    let mut found = None;
    loop {
        if let Some(first) = at.node.derived.iter().find(|x| !is_pointer(&x.node)) {
            found = Some(&first.node);
        } else if !at.node.derived.is_empty() {
            found = None;
        }
        match &at.node.kind.node {
            DeclaratorKind::Declarator(inner) => at = inner,
            _ => break,
        }
    }
    found.filter(|f| {
        matches!(
            f,
            DerivedDeclarator::Function(_) | DerivedDeclarator::KRFunction(_)
        )
    })
}

/// The qualifiers in a parameter's outermost brackets: `a[restrict n]`.
fn array_quals(d: &Node<Declarator>) -> Quals {
    let mut quals = Quals::default();
    let first = d.node.derived.iter().find(|x| !is_pointer(&x.node));
    if let Some(DerivedDeclarator::Array(a)) = first.map(|f| &f.node) {
        for q in &a.node.qualifiers {
            quals = quals.and(qualifier(&q.node));
        }
    }
    quals
}

/// Whether an array length stands somewhere in a parameter's declarator.
fn has_array(p: &ParameterDeclaration) -> bool {
    let mut at = p.declarator.as_ref();
    while let Some(d) = at {
        if d.node
            .derived
            .iter()
            .any(|x| matches!(x.node, DerivedDeclarator::Array(_)))
        {
            return true;
        }
        at = match &d.node.kind.node {
            DeclaratorKind::Declarator(inner) => Some(inner),
            _ => None,
        };
    }
    false
}

/// The name of a declarator, without its type.
pub(in crate::sema) fn declarator_name(d: &Node<Declarator>) -> Option<&Node<Identifier>> {
    let mut at = d;
    loop {
        match &at.node.kind.node {
            DeclaratorKind::Abstract => return None,
            DeclaratorKind::Identifier(name) => return Some(name),
            DeclaratorKind::Declarator(inner) => at = inner,
        }
    }
}
