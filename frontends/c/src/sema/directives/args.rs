//! Expressions in directives. The text is parsed as the body of a function, and typed
//! in the scope of the directive.

use lang_c::ast::{
    BlockItem, CallExpression, Constant, Expression, ExternalDeclaration, Identifier, Integer,
    IntegerBase, IntegerSize, IntegerSuffix, Statement, TranslationUnit,
};
use lang_c::span::{Node, Span as NodeSpan};

use crate::directive::Arg;
use crate::parse::parse;
use crate::sema::Sema;
use crate::sema::expr::Operand;
use crate::sema::scope::Entity;
use crate::source::SourceMap;

/// Longer expressions are no use in a directive.
const MAX_TEXT: usize = 2000;

impl Sema<'_> {
    /// The expression of an argument, an object if it designates one; `None` after an
    /// error in its form.
    pub(super) fn directive_expr(&mut self, arg: &Arg) -> Option<Operand> {
        let Some(node) = self.parse_arg(arg) else {
            let text = arg.text.trim();
            let message = if text.is_empty() {
                "an expression is needed here".to_owned()
            } else if text.len() > MAX_TEXT {
                "this expression is too long for a directive".to_owned()
            } else {
                format!("`{text}` is not an expression")
            };
            self.error(arg.span, message);
            return None;
        };
        // Naming a variable in a clause does not take its address.
        self.in_directive = true;
        let operand = self.unevaluated(|s| s.expr(&node));
        self.in_directive = false;
        Some(operand)
    }

    fn parse_arg(&self, arg: &Arg) -> Option<Node<Expression>> {
        let lead = arg.text.len() - arg.text.trim_start().len();
        let text = arg.text.trim();
        let start = arg.span.start as usize + lead;
        if let Some(simple) = simple(text, start) {
            return Some(simple);
        }
        if text.is_empty() || text.len() > MAX_TEXT {
            return None;
        }
        let mut head = String::new();
        for word in words(text) {
            if let Some(Entity::Typedef(_)) = self.scopes.lookup(word)
                && !head.contains(&format!(" {word};"))
            {
                head.push_str(&format!("typedef int {word};"));
            }
        }
        head.push_str("void f(void){(");
        let source = SourceMap::new(format!("{head}{text}\n);}}"));
        let unit = parse(&source).ok()?;
        let mut node = only_expression(unit)?;
        shift(&mut node, start.wrapping_sub(head.len())).then_some(node)
    }
}

/// Names and numbers need no parser.
fn simple(text: &str, start: usize) -> Option<Node<Expression>> {
    let first = text.bytes().next()?;
    let span = NodeSpan::span(start, start + text.len());
    let word = text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    if !word {
        return None;
    }
    if !first.is_ascii_digit() {
        // A type's name is no expression, and a keyword neither.
        let name = Identifier { name: text.into() };
        if text.starts_with("sizeof") || text.starts_with("_Alignof") {
            return None;
        }
        let node = Node::new(name, span);
        return Some(Node::new(Expression::Identifier(Box::new(node)), span));
    }
    let decimal = first != b'0' || text == "0";
    if !decimal || !text.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let integer = Integer {
        base: IntegerBase::Decimal,
        number: text.into(),
        suffix: IntegerSuffix {
            size: IntegerSize::Int,
            unsigned: false,
            imaginary: false,
        },
    };
    let node = Node::new(Constant::Integer(integer), span);
    Some(Node::new(Expression::Constant(Box::new(node)), span))
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .filter(|w| w.starts_with(|c: char| !c.is_ascii_digit()))
}

fn only_expression(unit: TranslationUnit) -> Option<Node<Expression>> {
    let ExternalDeclaration::FunctionDefinition(f) = unit.0.into_iter().next_back()?.node else {
        return None;
    };
    let Statement::Compound(items) = f.node.statement.node else {
        return None;
    };
    let [item] = <[_; 1]>::try_from(items).ok()?;
    match item.node {
        BlockItem::Statement(Node {
            node: Statement::Expression(Some(e)),
            ..
        }) => Some(*e),
        _ => None,
    }
}

/// Moves the spans of an expression to the text of the directive. False if there is
/// something in it that has no place in a directive.
fn shift(node: &mut Node<Expression>, by: usize) -> bool {
    shift_span(&mut node.span, by);
    match &mut node.node {
        Expression::Identifier(name) => {
            shift_span(&mut name.span, by);
            true
        }
        Expression::Constant(_) | Expression::StringLiteral(_) => true,
        Expression::SizeOfTy(_) | Expression::AlignOf(_) => true,
        Expression::SizeOfVal(s) => shift(&mut s.node.0, by),
        Expression::Member(m) => {
            shift_span(&mut m.node.identifier.span, by);
            shift(&mut m.node.expression, by)
        }
        Expression::Call(c) => {
            let CallExpression { callee, arguments } = &mut c.node;
            shift(callee, by) && arguments.iter_mut().all(|a| shift(a, by))
        }
        Expression::UnaryOperator(u) => shift(&mut u.node.operand, by),
        Expression::Cast(c) => shift(&mut c.node.expression, by),
        Expression::BinaryOperator(b) => {
            shift_span(&mut b.span, by);
            shift(&mut b.node.lhs, by) && shift(&mut b.node.rhs, by)
        }
        Expression::Conditional(c) => {
            shift(&mut c.node.condition, by)
                && shift(&mut c.node.then_expression, by)
                && shift(&mut c.node.else_expression, by)
        }
        Expression::Comma(_)
        | Expression::GenericSelection(_)
        | Expression::CompoundLiteral(_)
        | Expression::OffsetOf(_)
        | Expression::VaArg(_)
        | Expression::Statement(_) => false,
    }
}

fn shift_span(span: &mut NodeSpan, by: usize) {
    if !span.is_none() {
        span.start = span.start.wrapping_add(by);
        span.end = span.end.wrapping_add(by);
    }
}
