//! Initialisers: designators, braces that are left out, strings, and arrays whose
//! length the initialiser gives (C11 6.7.9).

use std::collections::BTreeMap;
use std::rc::Rc;

use lang_c::ast::{Designator, Expression, Initializer, InitializerListItem};
use lang_c::span::Node;

use super::Sema;
use super::expr::Operand;
use super::report::{ERROR, error_type, is_error, unsupported};
use super::types::{AUTO_TYPE, QType, same};
use crate::hir::{Expr, ExprKind, Init, Span};
use crate::types::{Array, Extent, Rank, Type};

/// An initialiser as it grows: designators may come back to a sub-object.
#[derive(Default)]
enum Tree {
    #[default]
    Zero,
    Value(Expr),
    List(BTreeMap<u64, Tree>),
}

/// The items of one pair of braces, read one after the other.
struct Items<'x> {
    list: &'x [Node<InitializerListItem>],
    at: usize,
    /// Designators of the current item that were followed already.
    followed: usize,
    /// Whether the current item's designators are being followed: the sub-object they
    /// lead to is this one, or in it.
    entered: bool,
    /// The current item's expression, once read.
    value: Option<Operand>,
}

/// `[first ... last] = x` is copied this often at most.
const MAX_RANGE: u64 = 1 << 16;

impl Sema<'_> {
    /// The initialiser of an object, and the object's type, which an array may have
    /// from it.
    pub(super) fn initializer(&mut self, ty: QType, init: &Node<Initializer>) -> (Init, QType) {
        match &init.node {
            Initializer::List(items) => {
                let mut at = self.span(init.span);
                // The parser counts the `=` in.
                let text = self.source.text().get(at.start as usize..at.end as usize);
                at.start += text.and_then(|t| t.find('{')).unwrap_or(0) as u32;
                self.initializer_list(ty, items, at)
            }
            Initializer::Expression(e) => {
                let at = self.span(e.span);
                let operand = self.expr(e);
                if let Type::Array(a) = &ty.ty
                    && let Some(s) = string_for(a, &operand)
                {
                    let (ty, s) = sized_string(ty, s);
                    return (Init::Expr(s), ty);
                }
                let value = self.rvalue(operand);
                if matches!(&ty.ty, Type::Other(name) if &**name == AUTO_TYPE) {
                    let ty = QType {
                        ty: value.ty.clone(),
                        quals: ty.quals,
                    };
                    return (Init::Expr(value), ty);
                }
                if matches!(ty.ty, Type::Array(_)) {
                    let why = match value.kind {
                        ExprKind::Unsupported(why) => why,
                        _ if is_error(&value.ty) => ERROR.into(),
                        _ => {
                            self.error(at, "an array is initialised by a list in braces");
                            ERROR.into()
                        }
                    };
                    let value = unsupported(why, ty.ty.clone(), at);
                    return (Init::Expr(value), ty);
                }
                let value = self.assigned(value, &ty.ty, "this initialiser");
                (Init::Expr(value), ty)
            }
        }
    }

    /// `{ ... }`.
    pub(super) fn initializer_list(
        &mut self,
        ty: QType,
        items: &[Node<InitializerListItem>],
        at: Span,
    ) -> (Init, QType) {
        let mut tree = Tree::Zero;
        self.braced(&ty.ty, items, &mut tree, at);
        let ty = match &ty.ty {
            Type::Array(a) if matches!(a.len, Extent::Unknown) => {
                let len = match &tree {
                    Tree::List(l) => l.keys().next_back().map_or(0, |k| k.saturating_add(1)),
                    Tree::Value(v) => match &v.ty {
                        Type::Array(a) => match a.len {
                            Extent::Const(n) => n,
                            _ => 0,
                        },
                        _ => 0,
                    },
                    Tree::Zero => 0,
                };
                QType {
                    ty: Type::Array(Rc::new(Array {
                        of: a.of.clone(),
                        len: Extent::Const(len),
                    })),
                    quals: ty.quals,
                }
            }
            _ => ty,
        };
        (finished(tree), ty)
    }

    fn braced(&mut self, ty: &Type, list: &[Node<InitializerListItem>], tree: &mut Tree, at: Span) {
        let mut items = Items {
            list,
            at: 0,
            followed: 0,
            entered: false,
            value: None,
        };
        match ty {
            Type::Array(a) => {
                // `{"text"}` is the same as "text".
                if let [only] = list
                    && only.node.designation.is_empty()
                    && let Initializer::Expression(e) = &only.node.initializer.node
                    && matches!(e.node, Expression::StringLiteral(_))
                {
                    let operand = self.expr(e);
                    if let Some(s) = string_for(a, &operand) {
                        let (_, s) = sized_string(QType::plain(ty.clone()), s);
                        *tree = Tree::Value(s);
                        return;
                    }
                    items.value = Some(operand);
                }
                self.aggregate(ty, &mut items, tree, true);
            }
            Type::Record(index) => {
                if self.records.get(*index).is_none_or(|r| r.fields.is_none()) {
                    let found = self.spell(ty);
                    self.error(
                        at,
                        format!("`{found}` is not defined, so it has no initialiser"),
                    );
                    return;
                }
                self.aggregate(ty, &mut items, tree, true);
            }
            _ => {
                // A scalar may stand in braces.
                let Some(first) = list.first() else {
                    return;
                };
                if let Some(designator) = first.node.designation.first() {
                    if !is_error(ty) {
                        let found = self.spell(ty);
                        let at = self.span(designator.span);
                        self.error(at, format!("`{found}` has no parts to be designated"));
                    }
                    return;
                }
                self.child(ty, &mut items, tree);
            }
        }
    }

    /// Sub-objects of an array or a record, in order or as designated, until the items
    /// or the sub-objects end. Without braces it leaves designators to who has them.
    fn aggregate(&mut self, ty: &Type, items: &mut Items, tree: &mut Tree, braced: bool) {
        let mut index: u64 = 0;
        let mut excess = false;
        while let Some(item) = items.list.get(items.at) {
            let item = &item.node;
            let mut last = None;
            if let Some(designator) = item.designation.get(items.followed) {
                if !braced && !items.entered {
                    return;
                }
                let Some((first, range_end)) = self.designated(ty, designator, items) else {
                    items.next();
                    continue;
                };
                index = first;
                last = range_end;
            } else if index >= self.part_count(ty) {
                if !braced {
                    return;
                }
                if !excess {
                    excess = true;
                    let at = self.span(items.list[items.at].span);
                    let found = self.spell(ty);
                    // The system compiler warns, and so does this.
                    self.warn(
                        at,
                        format!("there are more values than `{found}` has parts"),
                    );
                }
                if let Initializer::Expression(e) = &item.initializer.node
                    && items.value.is_none()
                {
                    self.value(e);
                }
                items.next();
                continue;
            }
            let Some(part) = self.part_type(ty, index) else {
                items.next();
                continue;
            };
            let before = items.at;
            let list = tree.list();
            // A union holds the member that was set last.
            if self.is_union(ty) {
                list.retain(|k, _| *k == index);
            }
            let child = list.entry(index).or_default();
            if self.deeper(|s| s.child(&part, items, child)).is_none() {
                let at = self.span(items.list[before].span);
                let why = "an initialiser nested too deep";
                *child = Tree::Value(unsupported(why, part.clone(), at));
                items.next();
            }
            if let (Some(last), Some(value)) = (last, list.get(&index)) {
                if last - index < MAX_RANGE {
                    let value = value.copy();
                    for i in index + 1..=last {
                        list.insert(i, value.copy());
                    }
                } else {
                    let why = "a range of more than 65536 elements";
                    let value = unsupported(why, part.clone(), self.span(items.list[before].span));
                    list.insert(last, Tree::Value(value));
                }
                index = last;
            }
            index = if self.is_union(ty) {
                u64::MAX
            } else {
                index.saturating_add(1)
            };
        }
    }

    /// One sub-object: a value of its own, a list in braces, or the next values of the
    /// list it stands in.
    fn child(&mut self, ty: &Type, items: &mut Items, tree: &mut Tree) {
        let Some(item) = items.list.get(items.at) else {
            return;
        };
        let at = self.span(item.span);
        if items.followed < item.node.designation.len() {
            match ty {
                Type::Array(_) | Type::Record(_) => self.aggregate(ty, items, tree, false),
                _ => {
                    if !is_error(ty) {
                        let found = self.spell(ty);
                        self.error(at, format!("`{found}` has no parts to be designated"));
                    }
                    items.next();
                }
            }
            return;
        }
        match &item.node.initializer.node {
            Initializer::List(inner) => {
                items.next();
                *tree = Tree::Zero;
                self.braced(ty, inner, tree, at);
                if matches!(tree, Tree::Zero) && matches!(ty, Type::Array(_) | Type::Record(_)) {
                    *tree = Tree::List(BTreeMap::new());
                }
            }
            Initializer::Expression(e) => {
                let operand = match items.value.take() {
                    Some(operand) => operand,
                    None => self.expr(e),
                };
                match ty {
                    Type::Array(a) => {
                        if let Some(s) = string_for(a, &operand) {
                            let (_, s) = sized_string(QType::plain(ty.clone()), s);
                            *tree = Tree::Value(s);
                            items.next();
                            return;
                        }
                    }
                    Type::Record(_) if !same(&operand.expr.ty, ty) => {}
                    _ => {
                        items.next();
                        let value = self.rvalue(operand);
                        *tree = Tree::Value(self.assigned(value, ty, "this initialiser"));
                        return;
                    }
                }
                // The values of an aggregate without braces.
                items.value = Some(operand);
                let before = items.at;
                items.entered = false;
                self.aggregate(ty, items, tree, false);
                if items.at == before && self.part_count(ty) > 0 {
                    // Nothing took it: it is dropped, or this would not end.
                    items.next();
                }
            }
        }
    }

    /// The sub-object a designator names, and the end of a range.
    fn designated(
        &mut self,
        ty: &Type,
        designator: &Node<Designator>,
        items: &mut Items,
    ) -> Option<(u64, Option<u64>)> {
        let at = self.span(designator.span);
        items.entered = true;
        match (&designator.node, ty) {
            (Designator::Member(name), Type::Record(record)) => {
                let Some(path) = self.find_member(*record, &name.node.name) else {
                    let found = self.spell(ty);
                    let name = &name.node.name;
                    self.error(at, format!("`{found}` has no member `{name}`"));
                    return None;
                };
                // The member of an anonymous member is looked for again in there.
                if path.len() == 1 {
                    items.followed += 1;
                }
                Some((path[0] as u64, None))
            }
            (Designator::Index(e), Type::Array(_)) => {
                items.followed += 1;
                let index = self.index_constant(e, ty)?;
                Some((index, None))
            }
            (Designator::Range(range), Type::Array(_)) => {
                items.followed += 1;
                let from = self.index_constant(&range.node.from, ty)?;
                let to = self.index_constant(&range.node.to, ty)?;
                if to < from {
                    self.error(
                        at,
                        format!("this range of elements is empty: {from} to {to}"),
                    );
                    return None;
                }
                Some((from, Some(to)))
            }
            _ => {
                if !is_error(ty) {
                    let found = self.spell(ty);
                    self.error(at, format!("`{found}` has no such part"));
                }
                None
            }
        }
    }

    fn index_constant(&mut self, e: &Node<Expression>, ty: &Type) -> Option<u64> {
        let at = self.span(e.span);
        let value = self.value(e);
        let Some(index) = self.fold_integer(&value) else {
            self.not_constant(&value, at, "a designated index");
            return None;
        };
        let length = match ty {
            Type::Array(a) => match a.len {
                Extent::Const(n) => n,
                _ => 1 << 60,
            },
            _ => 0,
        };
        match u64::try_from(index) {
            Ok(i) if i < length => Some(i),
            _ => {
                self.error(
                    at,
                    format!("the array has no element {index}: its length is {length}"),
                );
                None
            }
        }
    }

    fn is_union(&self, ty: &Type) -> bool {
        matches!(ty, Type::Record(r) if self.records.get(*r).is_some_and(|r| r.union))
    }

    /// How many sub-objects are initialised in order.
    fn part_count(&self, ty: &Type) -> u64 {
        match ty {
            Type::Array(a) => match &a.len {
                Extent::Const(n) => *n,
                Extent::Expr(_) | Extent::Unknown => u64::MAX,
            },
            Type::Record(r) => {
                let fields = self.records.get(*r).and_then(|r| r.fields.as_ref());
                let count = fields.map_or(0, |f| f.len() as u64);
                if self.is_union(ty) {
                    count.min(1)
                } else {
                    count
                }
            }
            _ => 1,
        }
    }

    fn part_type(&self, ty: &Type, index: u64) -> Option<Type> {
        match ty {
            Type::Array(a) => Some(a.of.clone()),
            Type::Record(r) => {
                let fields = self.records.get(*r)?.fields.as_ref()?;
                Some(fields.get(usize::try_from(index).ok()?)?.ty.clone())
            }
            _ => None,
        }
    }
}

impl Items<'_> {
    fn next(&mut self) {
        self.at += 1;
        self.followed = 0;
        self.entered = false;
        self.value = None;
    }
}

impl Tree {
    /// Its sub-objects; what it was before is replaced.
    fn list(&mut self) -> &mut BTreeMap<u64, Tree> {
        if !matches!(self, Tree::List(_)) {
            *self = Tree::List(BTreeMap::new());
        }
        let Tree::List(list) = self else {
            unreachable!("it was made a list above");
        };
        list
    }

    fn copy(&self) -> Tree {
        match self {
            Tree::Zero => Tree::Zero,
            Tree::Value(e) => Tree::Value(e.clone()),
            Tree::List(l) => Tree::List(l.iter().map(|(k, v)| (*k, v.copy())).collect()),
        }
    }
}

fn finished(tree: Tree) -> Init {
    match tree {
        Tree::Zero => Init::List(Vec::new()),
        Tree::Value(e) => Init::Expr(e),
        Tree::List(list) => Init::List(list.into_iter().map(|(k, v)| (k, finished(v))).collect()),
    }
}

/// A string that initialises an array of characters.
fn string_for(array: &Array, operand: &Operand) -> Option<Expr> {
    let Type::Array(from) = &operand.expr.ty else {
        return None;
    };
    let string = match &operand.expr.kind {
        ExprKind::Str(_) => matches!(&array.of, Type::Int(i) if i.rank == Rank::Char),
        // Wide strings are not kept, but they have their lengths.
        ExprKind::Unsupported(_) => same(&array.of, &from.of),
        _ => false,
    };
    string.then(|| operand.expr.clone())
}

/// The string with the array's type; an array of unknown length has it from the string.
fn sized_string(ty: QType, mut s: Expr) -> (QType, Expr) {
    let ty = match (&ty.ty, &s.ty) {
        (Type::Array(a), Type::Array(from)) if matches!(a.len, Extent::Unknown) => QType {
            ty: Type::Array(Rc::new(Array {
                of: a.of.clone(),
                len: from.len.clone(),
            })),
            quals: ty.quals,
        },
        _ => ty,
    };
    s.ty = if matches!(ty.ty, Type::Array(_)) {
        ty.ty.clone()
    } else {
        error_type()
    };
    (ty, s)
}
