//! SSA values by name.

use super::{PResult, Parser};
use crate::builder::OpState;
use crate::op::Op;
use crate::text::places::{NOT_RECORDED, Span};
use crate::text::token::TokenKind as T;
use crate::types::Type;
use crate::value::Value;
use rustc_hash::{FxHashMap, FxHashSet};

/// An operand as written, before its type is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnresolvedOperand<'a> {
    /// With the `%`.
    pub name: &'a str,
    /// The `#N` behind the name.
    pub number: u32,
    /// Byte of the text where it stands.
    pub pos: u32,
}

#[derive(Clone, Copy)]
struct Entry {
    value: Value,
    pos: u32,
    /// Among the [places](crate::text::places::Places), if they are noted.
    index: u32,
}

/// The values of one region that sees no values from outside.
#[derive(Default)]
struct Isolated<'a> {
    /// Results by name and number.
    values: FxHashMap<&'a str, smallvec::SmallVec<[Option<Entry>; 1]>>,
    /// Names defined in each open region.
    scopes: Vec<Vec<&'a str>>,
}

/// All visible values.
#[derive(Default)]
pub(super) struct Values<'a> {
    isolated: Vec<Isolated<'a>>,
    /// Placeholder values for names used before they are defined.
    forward: FxHashMap<Value, (u32, Op)>,
    /// What placeholders whose name is defined by now stand for. They live until
    /// parsing ends: an op that is still being parsed may hold them as operands.
    replaced: FxHashMap<Value, Value>,
    retired: Vec<(Value, Op)>,
    /// Names that a broken op would have defined.
    poisoned: FxHashSet<&'a str>,
}

impl<'a> Parser<'a> {
    pub(super) fn push_value_scope(&mut self, isolated: bool) {
        if isolated || self.values.isolated.is_empty() {
            self.values.isolated.push(Isolated::default());
        }
        if let Some(i) = self.values.isolated.last_mut() {
            i.scopes.push(Vec::new());
        }
    }

    /// Close a region. Names used but never defined in an isolated one are errors.
    pub(super) fn pop_value_scope(&mut self, isolated: bool) -> PResult<()> {
        let Some(i) = self.values.isolated.last_mut() else {
            return Ok(());
        };
        for name in i.scopes.pop().unwrap_or_default() {
            i.values.remove(name);
        }
        if !isolated && !i.scopes.is_empty() {
            return Ok(());
        }
        let Some(rest) = self.values.isolated.pop() else {
            return Ok(());
        };
        let mut undefined = Vec::new();
        for (name, entries) in rest.values {
            for e in entries.into_iter().flatten() {
                if let Some((pos, op)) = self.values.forward.remove(&e.value) {
                    undefined.push((pos, name, op));
                }
            }
        }
        undefined.sort_by_key(|u| u.0);
        let mut bad = false;
        for (pos, name, _) in &undefined {
            if !self.values.poisoned.contains(name) {
                bad = true;
                self.error(*pos, format!("use of undeclared SSA value name '{name}'"));
                if self.ctx.config.first_error_only {
                    break;
                }
            }
        }
        if bad { Err(super::Failed) } else { Ok(()) }
    }

    /// Close a region that could not be parsed: what is undefined in it may well be
    /// defined in the part that was skipped.
    pub(super) fn drop_value_scope(&mut self, isolated: bool) {
        let Some(i) = self.values.isolated.last_mut() else {
            return;
        };
        for name in i.scopes.pop().unwrap_or_default() {
            i.values.remove(name);
        }
        if isolated || i.scopes.is_empty() {
            self.values.isolated.pop();
        }
    }

    /// Remember names whose op could not be parsed.
    pub(super) fn poison(&mut self, name: &'a str) {
        self.values.poisoned.insert(name);
    }

    /// Give a value its name.
    pub(super) fn define_value(
        &mut self,
        name: &'a str,
        number: u32,
        value: Value,
        pos: u32,
    ) -> PResult<()> {
        let index = self.note_definition(name, number, value, pos);
        let Some(scope) = self.values.isolated.last_mut() else {
            return Ok(());
        };
        let entries = scope.values.entry(name).or_default();
        let n = number as usize;
        if entries.len() <= n {
            entries.resize(n + 1, None);
        }
        let before = entries[n].replace(Entry { value, pos, index });
        if number == 0
            && let Some(s) = scope.scopes.last_mut()
        {
            s.push(name);
        }
        let Some(before) = before else { return Ok(()) };
        let Some((use_pos, placeholder)) = self.values.forward.remove(&before.value) else {
            self.error(pos, format!("redefinition of SSA value '{name}'"));
            self.note(before.pos, "previously defined here");
            return Err(super::Failed);
        };
        let (old, new) = (before.value.ty(self.ctx), value.ty(self.ctx));
        if old != new {
            let (o, n) = (self.ctx.type_text(old), self.ctx.type_text(new));
            self.error(
                pos,
                format!("definition of SSA value '{name}#{number}' has type '{n}'"),
            );
            self.note(use_pos, format!("previously used here with type '{o}'"));
            self.values.retired.push((before.value, placeholder));
            return Err(super::Failed);
        }
        before.value.replace_all_uses(self.ctx, value);
        self.values.replaced.insert(before.value, value);
        self.values.retired.push((before.value, placeholder));
        Ok(())
    }

    /// The index of a value among the places. It is known already if it was used above.
    fn note_definition(&mut self, name: &'a str, number: u32, value: Value, pos: u32) -> u32 {
        let Some(places) = &mut self.places else {
            return NOT_RECORDED;
        };
        let scope = self.values.isolated.last();
        let entry = scope.and_then(|s| s.values.get(name)?.get(number as usize)?.as_ref());
        let used = entry.filter(|e| self.values.forward.contains_key(&e.value));
        let span = Span {
            start: pos,
            end: pos + name.len() as u32,
        };
        let ty = Some(value.ty(self.ctx));
        places.define(used.map(|e| e.index), (name, number), ty, span)
    }

    // ---- for op syntax ----

    /// `%name` or `%name#2`.
    pub fn parse_operand(&mut self) -> PResult<UnresolvedOperand<'a>> {
        match self.parse_optional_operand()? {
            Some(o) => Ok(o),
            None => Err(self.expected("expected SSA operand")),
        }
    }

    /// An operand, `%name` or `%name#N`; `None` if none comes next.
    pub fn parse_optional_operand(&mut self) -> PResult<Option<UnresolvedOperand<'a>>> {
        if !self.at(T::PercentIdentifier) {
            return Ok(None);
        }
        let t = self.advance();
        let name = self.text(t);
        let mut number = 0;
        if self.at(T::HashIdentifier) && self.tok.start == t.end {
            match self.spelling()[1..].parse::<u32>() {
                // No op has as many results; it bounds the table of entries.
                Ok(n) if n < 1 << 20 => number = n,
                _ => return Err(self.error_here("invalid SSA value result number")),
            }
            self.advance();
        }
        Ok(Some(UnresolvedOperand {
            name,
            number,
            pos: t.start,
        }))
    }

    /// Whether the next op's results begin here: `%a, %b:2 =`. An op whose syntax ends in
    /// operands that may be missing would else take them for its own.
    pub(crate) fn at_results_of_next_op(&self) -> bool {
        let mut lexer = self.lexer.clone();
        let mut next = self.tok.kind;
        while next == T::PercentIdentifier {
            next = lexer.lex().kind;
            if next == T::Colon {
                if lexer.lex().kind != T::Integer {
                    return false;
                }
                next = lexer.lex().kind;
            }
            match next {
                T::Equal => return true,
                T::Comma => next = lexer.lex().kind,
                _ => return false,
            }
        }
        false
    }

    /// Operands separated by commas, possibly none.
    pub fn parse_operand_list(&mut self) -> PResult<Vec<UnresolvedOperand<'a>>> {
        let mut v = Vec::new();
        if let Some(o) = self.parse_optional_operand()? {
            v.push(o);
            while self.eat(T::Comma) {
                v.push(self.parse_operand()?);
            }
        }
        Ok(v)
    }

    /// Operands between `open` and `close`, possibly none.
    pub fn parse_delimited_operands(
        &mut self,
        open: T,
        close: T,
    ) -> PResult<Vec<UnresolvedOperand<'a>>> {
        let mut v = Vec::new();
        self.parse_list(open, close, |p| {
            v.push(p.parse_operand()?);
            Ok(())
        })?;
        Ok(v)
    }

    /// The value of an operand, which must be of type `ty`.
    pub fn resolve(&mut self, o: UnresolvedOperand<'a>, ty: Type) -> PResult<Value> {
        let entry = self
            .values
            .isolated
            .last()
            .and_then(|s| s.values.get(o.name))
            .and_then(|v| v.get(o.number as usize).copied().flatten());
        let span = Span {
            start: o.pos,
            end: o.pos + o.name.len() as u32,
        };
        if let Some(e) = entry {
            self.note_place(|places| places.use_value(e.index, span));
            let found = e.value.ty(self.ctx);
            if found == ty {
                return Ok(e.value);
            }
            let (want, have) = (self.ctx.type_text(ty), self.ctx.type_text(found));
            self.error(
                o.pos,
                format!(
                    "use of value '{}' expects different type than prior uses: '{want}' vs '{have}'",
                    o.name
                ),
            );
            self.note(e.pos, "prior use here");
            return Err(super::Failed);
        }
        let Some(scope) = self.values.isolated.last_mut() else {
            return Err(self.error(
                o.pos,
                format!("use of undeclared SSA value name '{}'", o.name),
            ));
        };
        if let Some(v) = scope.values.get(o.name)
            && let Some(Some(first)) = v.first()
            && !self.values.forward.contains_key(&first.value)
        {
            return Err(self.error(o.pos, "reference to invalid result number"));
        }
        // Not defined yet: stand a placeholder in for it.
        let name = self.ctx.intern("builtin.forward_reference");
        let loc = self.loc(o.pos);
        let op = OpState::unregistered(name, loc)
            .results(&[ty])
            .create(self.ctx);
        let value = op.result(self.ctx, 0);
        self.values.forward.insert(value, (o.pos, op));
        let index = match &mut self.places {
            Some(places) => places.use_before(o.name, o.number, Some(ty), span),
            None => NOT_RECORDED,
        };
        if let Some(scope) = self.values.isolated.last_mut() {
            let entries = scope.values.entry(o.name).or_default();
            if entries.len() <= o.number as usize {
                entries.resize(o.number as usize + 1, None);
            }
            entries[o.number as usize] = Some(Entry {
                value,
                pos: o.pos,
                index,
            });
        }
        Ok(value)
    }

    /// The values of operands of the given types, one each; `pos` is where a wrong
    /// number of types is reported.
    pub fn resolve_operands(
        &mut self,
        operands: &[UnresolvedOperand<'a>],
        types: &[Type],
        pos: u32,
    ) -> PResult<Vec<Value>> {
        if operands.len() != types.len() {
            let m = format!(
                "number of operands and types do not match: got {} operands and {} types",
                operands.len(),
                types.len()
            );
            return Err(self.op_error(pos, m));
        }
        operands
            .iter()
            .zip(types)
            .map(|(o, t)| self.resolve(*o, *t))
            .collect()
    }

    /// The values of operands that all have type `ty`.
    pub fn resolve_all(
        &mut self,
        operands: &[UnresolvedOperand<'a>],
        ty: Type,
    ) -> PResult<Vec<Value>> {
        operands.iter().map(|o| self.resolve(*o, ty)).collect()
    }

    /// Put what was defined while an op was being parsed in place of the
    /// placeholders among its operands.
    pub(super) fn update_operands(&self, operands: &mut [Value]) {
        if self.values.replaced.is_empty() {
            return;
        }
        for v in operands {
            if let Some(new) = self.values.replaced.get(v) {
                *v = *new;
            }
        }
    }

    /// Where the value that a name stands for was defined or first used.
    pub(super) fn position_of(&self, o: UnresolvedOperand<'a>) -> Option<u32> {
        let s = self.values.isolated.last()?;
        let e = s.values.get(o.name)?.get(o.number as usize)?.as_ref()?;
        Some(e.pos)
    }

    /// Throw away all placeholders.
    pub(super) fn erase_placeholders(&mut self) {
        for (value, op) in std::mem::take(&mut self.values.retired) {
            placeholder_gone(self, value, op);
        }
        for (value, (_, op)) in std::mem::take(&mut self.values.forward) {
            placeholder_gone(self, value, op);
        }
    }
}

/// Erase a placeholder that still has users: they keep a dead stand-in operand only
/// until the whole failed module is dropped, so detach them.
fn placeholder_gone(p: &mut Parser, value: Value, op: Op) {
    for user in value.users(p.ctx) {
        user.drop_all_references(p.ctx);
    }
    op.erase(p.ctx);
}
