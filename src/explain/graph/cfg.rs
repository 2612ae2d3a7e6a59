//! The control-flow graph of a function: blocks of statements that run one after
//! another, and the ways between them.

use std::collections::HashMap;

use terrace_c::hir::{Arm, Expr, Function, Span, Stmt, StmtKind, Unit};

use super::Graph;

/// Lines of a block that are shown.
const MAX_LINES: usize = 10;
/// Characters of a line that are shown.
const MAX_WIDTH: usize = 56;

/// The graph of one function. Blocks that nothing leads to are left out.
pub fn cfg(unit: &Unit, f: &Function) -> Graph {
    let mut b = Builder {
        unit,
        graph: Graph::new(f.name.clone()),
        current: None,
        exit: 0,
        breaks: Vec::new(),
        continues: Vec::new(),
        labels: HashMap::new(),
    };
    let entry = b.block();
    b.graph.nodes[entry].lines.push(format!("{}:", f.name));
    b.exit = b.block();
    b.graph.nodes[b.exit].lines.push("end".to_string());
    b.current = Some(entry);
    b.statement(&f.body);
    b.go(b.exit, "");
    reachable(b.graph, entry, b.exit)
}

struct Builder<'a> {
    unit: &'a Unit,
    graph: Graph,
    /// Where the next statement goes; `None` behind a jump.
    current: Option<usize>,
    exit: usize,
    breaks: Vec<usize>,
    continues: Vec<usize>,
    labels: HashMap<&'a str, usize>,
}

impl<'a> Builder<'a> {
    fn block(&mut self) -> usize {
        self.graph.node(Vec::new(), false)
    }

    /// From the current block to another; nothing is current then.
    fn go(&mut self, to: usize, label: &str) {
        if let Some(from) = self.current.take() {
            self.graph.edge(from, to, label);
        }
    }

    fn say(&mut self, span: Span, text: &str) {
        let at = match self.current {
            Some(at) => at,
            // Nothing leads here, but what follows may have labels.
            None => {
                let at = self.block();
                self.current = Some(at);
                at
            }
        };
        let line = self.unit.source.locate(span.start as usize).line;
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut short: String = text.chars().take(MAX_WIDTH).collect();
        if short.len() < text.len() {
            short.push_str("...");
        }
        let lines = &mut self.graph.nodes[at].lines;
        if lines.len() < MAX_LINES {
            lines.push(format!("{line}: {short}"));
        } else if lines.len() == MAX_LINES {
            lines.push("...".to_string());
        }
    }

    fn say_text(&mut self, span: Span) {
        let text = self.unit.text(span);
        // Line markers are no statements.
        let kept: Vec<&str> = text.lines().filter(|l| !l.starts_with("# ")).collect();
        self.say(span, &kept.join(" "));
    }

    fn statements(&mut self, list: &'a [Stmt]) {
        for s in list {
            self.statement(s);
        }
    }

    fn statement(&mut self, s: &'a Stmt) {
        match &s.kind {
            StmtKind::Empty => {}
            StmtKind::Block(list) => self.statements(list),
            StmtKind::Expr(_)
            | StmtKind::Decl(_)
            | StmtKind::Directive(_)
            | StmtKind::Unsupported(_) => self.say_text(s.span),
            StmtKind::If {
                cond,
                then,
                otherwise,
            } => {
                let text = format!("if ({})", self.unit.text(cond.span));
                self.say(s.span, &text);
                self.branch(then, otherwise.as_deref());
            }
            StmtKind::For {
                init,
                cond,
                step,
                body,
            } => {
                if let Some(init) = init {
                    self.statement(init);
                }
                self.for_loop(s.span, cond.as_ref(), step.as_ref(), body);
            }
            StmtKind::While { cond, body } => {
                let text = format!("while ({})", self.unit.text(cond.span));
                let head = self.block();
                let end = self.loop_head(s.span, &text, head, true);
                self.body(body, end, head);
                self.current = Some(end);
            }
            StmtKind::DoWhile { body, cond } => self.do_while(body, cond),
            StmtKind::Switch { value, arms } => {
                let text = format!("switch ({})", self.unit.text(value.span));
                self.say(s.span, &text);
                self.switch(arms);
            }
            StmtKind::Break => match self.breaks.last().copied() {
                Some(to) => self.go(to, "break"),
                None => self.current = None,
            },
            StmtKind::Continue => match self.continues.last().copied() {
                Some(to) => self.go(to, "continue"),
                None => self.current = None,
            },
            StmtKind::Return(_) => {
                self.say_text(s.span);
                self.go(self.exit, "");
            }
            StmtKind::Goto(label) => {
                let to = self.label(label);
                self.go(to, "goto");
            }
            StmtKind::Label(label, s) => {
                let to = self.label(label);
                self.go(to, "");
                self.current = Some(to);
                self.say(s.span, &format!("{label}:"));
                self.statement(s);
            }
        }
    }

    /// What runs where a condition holds that the current block ends with, and where not.
    fn branch(&mut self, then: &'a Stmt, otherwise: Option<&'a Stmt>) {
        let head = self.current;
        let join = self.block();
        let yes = self.block();
        self.go(yes, "yes");
        self.current = Some(yes);
        self.statement(then);
        self.go(join, "");
        self.current = head;
        match otherwise {
            Some(otherwise) => {
                let no = self.block();
                self.go(no, "no");
                self.current = Some(no);
                self.statement(otherwise);
                self.go(join, "");
            }
            None => self.go(join, "no"),
        }
        self.current = Some(join);
    }

    /// A loop whose counter has its first value.
    fn for_loop(
        &mut self,
        span: Span,
        cond: Option<&'a Expr>,
        step: Option<&'a Expr>,
        body: &'a Stmt,
    ) {
        let text = match cond {
            Some(c) => format!("for: {}", self.unit.text(c.span)),
            None => "for".to_string(),
        };
        let (head, next) = (self.block(), self.block());
        let end = self.loop_head(span, &text, head, cond.is_some());
        self.body(body, end, next);
        self.current = Some(next);
        if let Some(step) = step {
            self.say_text(step.span);
        }
        self.go(head, "again");
        self.current = Some(end);
    }

    fn do_while(&mut self, body: &'a Stmt, cond: &'a Expr) {
        let (start, head, end) = (self.block(), self.block(), self.block());
        self.go(start, "");
        self.current = Some(start);
        self.body(body, end, head);
        self.current = Some(head);
        let text = format!("while ({})", self.unit.text(cond.span));
        self.say(cond.span, &text);
        self.go(start, "again");
        self.current = Some(head);
        self.go(end, "done");
        self.current = Some(end);
    }

    fn label(&mut self, label: &'a str) -> usize {
        if let Some(&block) = self.labels.get(label) {
            return block;
        }
        let block = self.block();
        self.labels.insert(label, block);
        block
    }

    /// The block that decides whether the body runs again; returns the one behind the
    /// loop. The body is current then.
    fn loop_head(&mut self, span: Span, text: &str, head: usize, ends: bool) -> usize {
        self.go(head, "");
        self.current = Some(head);
        self.say(span, text);
        let (start, end) = (self.block(), self.block());
        self.go(start, if ends { "yes" } else { "" });
        if ends {
            self.current = Some(head);
            self.go(end, "done");
        }
        self.current = Some(start);
        end
    }

    fn body(&mut self, body: &'a Stmt, end: usize, next: usize) {
        self.breaks.push(end);
        self.continues.push(next);
        self.statement(body);
        self.go(next, "");
        self.breaks.pop();
        self.continues.pop();
    }

    fn switch(&mut self, arms: &'a [Arm]) {
        let head = self.current.take();
        let end = self.block();
        self.breaks.push(end);
        let mut default = false;
        for arm in arms {
            let block = self.block();
            self.go(block, "");
            let names: Vec<String> = arm
                .labels
                .iter()
                .map(|l| match l {
                    Some(value) => value.to_string(),
                    None => "default".to_string(),
                })
                .collect();
            default |= arm.labels.contains(&None);
            if !names.is_empty() {
                self.current = head;
                self.go(block, &names.join(", "));
            }
            self.current = Some(block);
            self.statements(&arm.body);
        }
        self.go(end, "");
        if !default {
            self.current = head;
            self.go(end, "else");
        }
        self.breaks.pop();
        self.current = Some(end);
    }
}

/// Without blocks that cannot be reached, and without empty ones that lead on.
fn reachable(graph: Graph, entry: usize, exit: usize) -> Graph {
    let mut out_edges: Vec<Vec<usize>> = vec![Vec::new(); graph.nodes.len()];
    for (i, e) in graph.edges.iter().enumerate() {
        out_edges[e.from].push(i);
    }
    // Where a block that says nothing and leads to one other stands for that.
    let forward = |mut n: usize| {
        let mut steps = 0;
        while graph.nodes[n].lines.is_empty() && steps <= graph.nodes.len() {
            let [only] = out_edges[n][..] else { break };
            n = graph.edges[only].to;
            steps += 1;
        }
        n
    };
    let mut seen = vec![false; graph.nodes.len()];
    let mut stack = vec![entry];
    seen[entry] = true;
    seen[exit] = true;
    let mut edges = Vec::new();
    while let Some(n) = stack.pop() {
        for &i in &out_edges[n] {
            let mut e = graph.edges[i].clone();
            e.to = forward(e.to);
            if !std::mem::replace(&mut seen[e.to], true) {
                stack.push(e.to);
            }
            edges.push((i, e));
        }
    }
    edges.sort_by_key(|(i, _)| *i);
    let mut new = vec![0; graph.nodes.len()];
    let mut out = Graph::new(graph.title);
    for (i, node) in graph.nodes.into_iter().enumerate() {
        if seen[i] {
            new[i] = out.nodes.len();
            out.nodes.push(node);
        }
    }
    for (_, mut e) in edges {
        e.from = new[e.from];
        e.to = new[e.to];
        out.edges.push(e);
    }
    out
}
