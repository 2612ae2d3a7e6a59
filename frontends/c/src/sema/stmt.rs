//! Statements (C11 6.8).

use lang_c::ast::{
    BlockItem, Expression, ForInitializer, ForStatement, Label, LabeledStatement, Statement,
};
use lang_c::span::Node;

use super::Sema;
use super::decl::Scope;
use super::directives::Sequence;
use super::report::is_error;
use crate::hir::{Leaves, Span, Stmt, StmtKind};
use crate::types::Type;

/// `else if`s of one chain, which are levels of the tree.
const MAX_ELSE_IFS: usize = 1000;

fn stmt(kind: StmtKind, span: Span) -> Stmt {
    Stmt {
        kind,
        span,
        directives: Vec::new(),
    }
}

impl Sema<'_> {
    /// A statement with what belongs to it, without directives before it.
    pub(super) fn statement(&mut self, s: &Node<Statement>) -> Stmt {
        let at = self.span(s.span);
        self.deeper(|this| this.statement_here(s, at))
            .unwrap_or_else(|| {
                let reason = "a statement nested too deep".to_owned();
                stmt(StmtKind::Unsupported(reason), at)
            })
    }

    fn statement_here(&mut self, s: &Node<Statement>, at: Span) -> Stmt {
        match &s.node {
            Statement::Compound(items) => {
                self.scopes.enter();
                let block = self.block(items, at);
                self.scopes.leave();
                block
            }
            Statement::Expression(e) => {
                let result = match e {
                    None => stmt(StmtKind::Empty, at),
                    Some(e) => self.expression_statement(e, at),
                };
                self.directives_misplaced(at);
                result
            }
            Statement::If(_) => self.if_chain(s, at),
            Statement::While(w) => {
                let cond = self.condition(&w.node.expression);
                let head = self.span(w.node.expression.span).end;
                let body = self.loop_body(&w.node.statement, head);
                let body = Box::new(body);
                stmt(StmtKind::While { cond, body }, at)
            }
            Statement::DoWhile(d) => {
                let body = Box::new(self.loop_body(&d.node.statement, at.start));
                let cond = self.condition(&d.node.expression);
                self.directives_misplaced(at);
                // What macros are written as: `do { .. } while (0)`.
                let leaves = Leaves::of(&body);
                let once = self.fold_integer(&cond) == Some(0);
                if once && !leaves.breaks && !leaves.continues {
                    return stmt(StmtKind::Block(vec![*body]), at);
                }
                stmt(StmtKind::DoWhile { body, cond }, at)
            }
            Statement::For(f) => self.for_loop(&f.node, at),
            Statement::Switch(s) => self.switch(&s.node, at),
            Statement::Labeled(l) => self.labeled(&l.node, at),
            Statement::Goto(label) => {
                let name = label.node.name.clone();
                let name_at = self.span(label.span);
                if let Some(f) = &mut self.function {
                    f.gotos.push((name.clone(), name_at));
                }
                stmt(StmtKind::Goto(name), at)
            }
            Statement::Break => {
                let inside = self
                    .function
                    .as_ref()
                    .is_some_and(|f| f.loops > 0 || !f.switches.is_empty());
                self.jump(
                    StmtKind::Break,
                    inside,
                    "`break` has to stand in a loop or a switch",
                    at,
                )
            }
            Statement::Continue => {
                let inside = self.function.as_ref().is_some_and(|f| f.loops > 0);
                self.jump(
                    StmtKind::Continue,
                    inside,
                    "`continue` has to stand in a loop",
                    at,
                )
            }
            Statement::Return(value) => self.return_statement(value.as_deref(), at),
            Statement::Asm(_) => {
                self.directives_misplaced(at);
                stmt(StmtKind::Unsupported("an asm statement".into()), at)
            }
        }
    }

    /// `if`, and the `else if`s behind it without recursion.
    fn if_chain(&mut self, s: &Node<Statement>, at: Span) -> Stmt {
        let mut arms = Vec::new();
        let mut last = None;
        let mut next = Some((s, at.start));
        while let Some((s, head)) = next.take() {
            let here = self.span(s.span);
            let chained = match &s.node {
                Statement::If(i) if arms.len() < MAX_ELSE_IFS => Some(i),
                _ => None,
            };
            // A directive between `else` and `if` makes it a statement of its own.
            let Some(i) = chained.filter(|_| arms.is_empty() || !self.directive_before(here))
            else {
                last = Some(self.inner(s, head));
                break;
            };
            let cond = self.condition(&i.node.condition);
            let then = self.inner(&i.node.then_statement, self.span(i.node.condition.span).end);
            arms.push((here, cond, then));
            let head = self.span(i.node.then_statement.span).end;
            next = i.node.else_statement.as_deref().map(|e| (e, head));
        }
        let mut otherwise = last.map(Box::new);
        let mut whole = stmt(StmtKind::Empty, at);
        while let Some((here, cond, then)) = arms.pop() {
            let kind = StmtKind::If {
                cond,
                then: Box::new(then),
                otherwise: otherwise.take(),
            };
            whole = stmt(kind, here);
            if !arms.is_empty() {
                otherwise = Some(Box::new(std::mem::replace(
                    &mut whole,
                    stmt(StmtKind::Empty, at),
                )));
            }
        }
        whole
    }

    fn jump(&mut self, kind: StmtKind, inside: bool, message: &str, at: Span) -> Stmt {
        if inside {
            return stmt(kind, at);
        }
        self.error(at, message);
        stmt(StmtKind::Unsupported(super::report::ERROR.into()), at)
    }

    /// An expression for what it does. A statement expression in its place is a block,
    /// as glibc's `assert` has it.
    fn expression_statement(&mut self, e: &Node<Expression>, at: Span) -> Stmt {
        match &e.node {
            Expression::Statement(s) => {
                let mut block = self.statement(s);
                block.span = at;
                block
            }
            Expression::Comma(list)
                if matches!(list.last().map(|e| &e.node), Some(Expression::Statement(_))) =>
            {
                let parts = list
                    .iter()
                    .map(|e| match &e.node {
                        Expression::Statement(s) => self.statement(s),
                        _ => {
                            let value = self.value(e);
                            stmt(StmtKind::Expr(value), self.span(e.span))
                        }
                    })
                    .collect();
                stmt(StmtKind::Block(parts), at)
            }
            _ => {
                let value = self.value(e);
                stmt(StmtKind::Expr(value), at)
            }
        }
    }

    /// The items of a compound statement, in the scope that is open.
    pub(super) fn block(&mut self, items: &[Node<BlockItem>], at: Span) -> Stmt {
        let mut sequence = Sequence::default();
        for item in items {
            self.block_item(item, &mut sequence);
        }
        self.directives_in_sequence(at.end, &mut sequence);
        let body = self.end_of_sequence(sequence, at);
        stmt(StmtKind::Block(body), at)
    }

    pub(super) fn block_item(&mut self, item: &Node<BlockItem>, sequence: &mut Sequence) {
        let at = self.span(item.span);
        self.directives_in_sequence(at.start, sequence);
        let next = match &item.node {
            BlockItem::Declaration(d) => {
                let vars = self.declaration(d, Scope::Block);
                self.directives_misplaced(at);
                stmt(StmtKind::Decl(vars), at)
            }
            BlockItem::StaticAssert(_) => stmt(StmtKind::Empty, at),
            BlockItem::Statement(s) => self.statement(s),
        };
        self.add_to_sequence(next, sequence);
    }

    /// A statement in another, with the directives before it; these stand after
    /// `head`, where the other's own text ends.
    pub(super) fn inner(&mut self, s: &Node<Statement>, head: u32) -> Stmt {
        let at = self.span(s.span);
        self.directives_misplaced(Span {
            start: 0,
            end: head,
        });
        let mut sequence = Sequence::default();
        self.directives_in_sequence(at.start, &mut sequence);
        let next = self.statement(s);
        self.add_to_sequence(next, &mut sequence);
        let mut statements = self.end_of_sequence(sequence, at);
        if statements.len() == 1
            && let Some(only) = statements.pop()
        {
            return only;
        }
        // A directive that stands by itself before it.
        stmt(StmtKind::Block(statements), at)
    }

    fn loop_body(&mut self, s: &Node<Statement>, head: u32) -> Stmt {
        if let Some(f) = &mut self.function {
            f.loops += 1;
        }
        // A `break` in here is the loop's, a `case` may still be a switch's outside.
        let body = self.inner(s, head);
        if let Some(f) = &mut self.function {
            f.loops -= 1;
        }
        body
    }

    fn for_loop(&mut self, f: &ForStatement, at: Span) -> Stmt {
        self.scopes.enter();
        let mut head = at.start;
        let init_at = self.span(f.initializer.span);
        let init = match &f.initializer.node {
            ForInitializer::Empty | ForInitializer::StaticAssert(_) => None,
            ForInitializer::Expression(e) => {
                let value = self.value(e);
                Some(Box::new(stmt(StmtKind::Expr(value), self.span(e.span))))
            }
            ForInitializer::Declaration(d) => {
                let vars = self.declaration(d, Scope::Block);
                Some(Box::new(stmt(StmtKind::Decl(vars), init_at)))
            }
        };
        head = head.max(init_at.end);
        let cond = f.condition.as_ref().map(|c| {
            head = head.max(self.span(c.span).end);
            self.condition(c)
        });
        let step = f.step.as_ref().map(|s| {
            head = head.max(self.span(s.span).end);
            self.value(s)
        });
        let body = Box::new(self.loop_body(&f.statement, head));
        self.scopes.leave();
        let kind = StmtKind::For {
            init,
            cond,
            step,
            body,
        };
        stmt(kind, at)
    }

    fn labeled(&mut self, l: &LabeledStatement, at: Span) -> Stmt {
        let Label::Identifier(name) = &l.label.node else {
            // Its switch does not begin here: the labels of its arms were taken off.
            return self.nested_case(l, at);
        };
        let name_at = self.span(name.span);
        let name = name.node.name.clone();
        if let Some(f) = &mut self.function
            && f.labels.insert(name.clone(), name_at).is_some()
        {
            self.error(
                name_at,
                format!("there are two labels `{name}` in this function"),
            );
        }
        let inner = self.inner(&l.statement, self.span(l.label.span).end);
        stmt(StmtKind::Label(name, Box::new(inner)), at)
    }

    fn return_statement(&mut self, value: Option<&Node<Expression>>, at: Span) -> Stmt {
        let result = match &self.function {
            Some(f) => f.result.clone(),
            None => Type::Void,
        };
        let value = value.map(|e| {
            let value = self.value(e);
            // `return f();` of a void function is accepted by gcc.
            if matches!(result, Type::Void) || is_error(&value.ty) {
                value
            } else {
                self.assigned(value, &result, "the value this function returns")
            }
        });
        self.directives_misplaced(at);
        match value {
            Some(v) if matches!(result, Type::Void) => {
                // Its value is dropped.
                let expr = stmt(StmtKind::Expr(v), at);
                stmt(
                    StmtKind::Block(vec![expr, stmt(StmtKind::Return(None), at)]),
                    at,
                )
            }
            value => stmt(StmtKind::Return(value), at),
        }
    }
}
