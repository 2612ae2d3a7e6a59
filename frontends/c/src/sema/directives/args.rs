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
            let message = if text.len() > MAX_TEXT {
                "this expression is too long for a directive".to_owned()
            } else {
                format!("`{text}` is not an expression")
            };
            self.error(arg.span, message);
            return None;
        };
        // Naming a variable in a clause does not take its address.
        Some(self.unevaluated(|s| s.expr(&node)))
    }

    fn parse_arg(&self, arg: &Arg) -> Option<Node<Expression>> {
        let lead = arg.text.len() - arg.text.trim_start().len();
        let text = arg.text.trim();
        let start = arg.span.start as usize + lead;
        if let Some(simple) = simple(text, start) {
            return Some(simple);
        }
        // Not by itself an expression, though it looks like a call.
        let types = ["typeof", "__typeof", "__typeof__"];
        if text.len() > MAX_TEXT || words(text).any(|w| types.contains(&w)) {
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
        // A text that the parser of directives made up stands where its last part does.
        let written = self
            .source
            .text()
            .get(arg.span.start as usize..arg.span.end as usize);
        let place = if written == Some(arg.text.as_str()) {
            Origin::Moved(start.wrapping_sub(head.len()))
        } else {
            Origin::At(NodeSpan::span(
                arg.span.start as usize,
                arg.span.end as usize,
            ))
        };
        let fine = place.put(&mut node);
        // Without the brackets that were put around it.
        node.span = NodeSpan::span(start, arg.span.end as usize);
        fine.then_some(node)
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

/// Where an expression that was parsed by itself stands in the text.
#[derive(Clone, Copy)]
enum Origin {
    /// So many bytes further on.
    Moved(usize),
    At(NodeSpan),
}

impl Origin {
    /// Puts an expression's spans there. False if there is something in it that has no
    /// place in a directive.
    fn put(self, node: &mut Node<Expression>) -> bool {
        self.span(&mut node.span);
        match &mut node.node {
            Expression::Identifier(name) => {
                self.span(&mut name.span);
                true
            }
            Expression::Constant(_) | Expression::StringLiteral(_) => true,
            Expression::SizeOfTy(_) | Expression::AlignOf(_) => true,
            Expression::SizeOfVal(s) => self.put(&mut s.node.0),
            Expression::Member(m) => {
                self.span(&mut m.node.identifier.span);
                self.put(&mut m.node.expression)
            }
            Expression::Call(c) => {
                let CallExpression { callee, arguments } = &mut c.node;
                self.put(callee) && arguments.iter_mut().all(|a| self.put(a))
            }
            Expression::UnaryOperator(u) => self.put(&mut u.node.operand),
            Expression::Cast(c) => self.put(&mut c.node.expression),
            Expression::BinaryOperator(b) => {
                self.span(&mut b.span);
                self.put(&mut b.node.lhs) && self.put(&mut b.node.rhs)
            }
            Expression::Conditional(c) => {
                self.put(&mut c.node.condition)
                    && self.put(&mut c.node.then_expression)
                    && self.put(&mut c.node.else_expression)
            }
            Expression::Comma(_)
            | Expression::GenericSelection(_)
            | Expression::CompoundLiteral(_)
            | Expression::OffsetOf(_)
            | Expression::VaArg(_)
            | Expression::Statement(_) => false,
        }
    }

    fn span(self, span: &mut NodeSpan) {
        match self {
            Origin::Moved(by) if !span.is_none() => {
                span.start = span.start.wrapping_add(by);
                span.end = span.end.wrapping_add(by);
            }
            Origin::Moved(_) => {}
            Origin::At(there) => *span = there,
        }
    }
}
