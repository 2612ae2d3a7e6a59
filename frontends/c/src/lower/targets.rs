//! Where pointers point after ways that meet: behind conditions, and from one iteration of a
//! loop to the next. The ways may differ in the element of one object, and in whether the
//! pointer is null; then these are values.

use terrace_ir::{Op, Value};

use super::Lowerer;
use super::env::{PointerId, Target};
use super::form::Form;
use super::place::Object;

/// What is the same of a pointer on all ways.
#[derive(Debug, Clone, PartialEq)]
pub struct Common {
    pub object: Object,
    /// All subscripts but the last.
    leading: Vec<Form>,
    /// Whether there is a last subscript, which is a value.
    index: bool,
    /// Whether being null is a value.
    null: bool,
}

impl Common {
    fn of(t: &Target) -> Option<Common> {
        let Target::Known {
            object,
            subscripts,
            null,
        } = t
        else {
            return None;
        };
        let leading = subscripts.split_last().map_or(&[][..], |(_, all)| all);
        Some(Common {
            object: object.clone(),
            leading: leading.to_vec(),
            index: !subscripts.is_empty(),
            null: null.is_some(),
        })
    }

    fn is_null(&self) -> bool {
        self.object == Object::Null
    }

    /// What both have in common, where that is one object.
    fn and(self, other: Common) -> Option<Common> {
        let null = self.null || other.null;
        let (a, b) = (&self, &other);
        let same = a.object == b.object && a.leading == b.leading && a.index == b.index;
        let mut both = match (a.is_null(), b.is_null()) {
            _ if same => self,
            (true, false) => other,
            (false, true) => self,
            _ => return None,
        };
        both.null = null || !same;
        Some(both)
    }

    /// A target with these values, in the order of [`Lowerer::target_values`].
    pub fn target(&self, values: &mut impl Iterator<Item = Value>) -> Target {
        let mut subscripts = self.leading.clone();
        if self.index {
            let v = values.next();
            subscripts.push(v.map_or(Form::constant(0), |v| Form::leaf(v, true, false, true)));
        }
        Target::Known {
            object: self.object.clone(),
            subscripts,
            null: self.null.then(|| values.next()).flatten(),
        }
    }

    /// Whether a target is no more than this says.
    pub fn holds(&self, t: &Target) -> bool {
        match Common::of(t) {
            Some(c) => self.clone().and(c).as_ref() == Some(self),
            None => false,
        }
    }
}

impl Lowerer<'_> {
    /// What two ways have in common; `None` if they lead to different objects. Where a pointer
    /// has no value nobody may read it.
    pub fn common(&self, a: &Target, b: &Target) -> Option<Common> {
        match (Common::of(a), Common::of(b)) {
            (Some(a), Some(b)) => a.and(b),
            (Some(one), None) if *b == Target::Unset => Some(one),
            (None, Some(one)) if *a == Target::Unset => Some(one),
            _ => None,
        }
    }

    /// As [`Lowerer::common`], of what a pointer is at the start of a loop and after an
    /// iteration.
    pub fn widened(&self, head: &Common, tail: &Target) -> Option<Common> {
        head.clone().and(Common::of(tail)?)
    }

    /// What there is of a pointer at the start of a loop that may change it.
    pub fn at_start(&self, id: PointerId) -> Option<Common> {
        Common::of(&self.env.pointers[id.0])
    }

    /// The values that a target has where its pointer has this in common with others: the last
    /// subscript, and whether it is null.
    pub fn target_values(&mut self, c: &Common, t: &Target) -> Vec<Value> {
        let (last, is_null) = match t {
            Target::Known {
                object,
                subscripts,
                null,
            } => {
                let is_null = match null {
                    Some(v) => *v,
                    None => self.flag_constant(*object == Object::Null),
                };
                (subscripts.last().cloned(), is_null)
            }
            _ => (None, self.flag_constant(false)),
        };
        let mut values = Vec::new();
        if c.index {
            values.push(self.index(&last.unwrap_or_else(|| Form::constant(0))));
        }
        if c.null {
            values.push(is_null);
        }
        values
    }

    /// Whether what is in common is there outside of an op, where `known` are the numbers of
    /// cells and pointers that were there before it.
    pub fn outlives(&self, c: &Common, op: Op, known: (usize, usize)) -> bool {
        let mut leaves = c.leading.iter().flat_map(Form::leaves);
        leaves.all(|v| self.is_outside(v, op)) && self.object_outlives(&c.object, op, known)
    }

    fn is_outside(&self, v: Value, op: Op) -> bool {
        let made = v.def_op();
        let made = made.or_else(|| v.arg_block().and_then(|b| b.parent_op(self.ctx)));
        !made.is_some_and(|o| op.is_ancestor_of(self.ctx, o))
    }

    fn object_outlives(&self, object: &Object, op: Op, known: (usize, usize)) -> bool {
        match object {
            Object::Cell(c) => c.0 < known.0,
            Object::Pointer(p) => p.0 < known.1,
            Object::Memory(m) => self.is_outside(*m, op),
            Object::Record(fields) => {
                let mut all = fields.iter();
                all.all(|f| self.object_outlives(f, op, known))
            }
            Object::Null | Object::Outer(_) | Object::Refused(_) => true,
        }
    }
}
