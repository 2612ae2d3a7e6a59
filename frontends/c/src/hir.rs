//! A translation unit with names resolved, types known and every conversion written
//! out: what the front end's phases hand to each other.
//!
//! A construct that terrace does not translate is kept as [`StmtKind::Unsupported`] or
//! [`ExprKind::Unsupported`] with the reason in the words of the source: whoever meets
//! it leaves the function, or refuses the region.

mod leaves;
mod print;

use crate::directive::Directive;
use crate::source::SourceMap;
use crate::types::{Record, Type};

pub use leaves::Leaves;
pub use print::{print, print_function};

/// Bytes `start..end` of the preprocessed text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    pub start: u32,
    pub end: u32,
}

/// An index into [`Unit::vars`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VarId(pub u32);

/// An index into [`Unit::directives`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DirectiveId(pub u32);

/// One preprocessed C file.
#[derive(Debug)]
pub struct Unit {
    pub source: SourceMap,
    pub records: Vec<Record>,
    /// Every variable and parameter of the unit.
    pub vars: Vec<Var>,
    /// Functions with a body, in order of their text.
    pub functions: Vec<Function>,
    /// Functions that are declared only, `math.h`'s among them: name and type.
    pub externals: Vec<(String, Type)>,
    pub directives: Vec<Directive>,
    /// Directives that stand outside functions (`declare`, `routine`), in order.
    pub file_directives: Vec<DirectiveId>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Var {
    pub name: String,
    pub ty: Type,
    pub storage: Storage,
    /// The object itself is `const`.
    pub is_const: bool,
    pub is_volatile: bool,
    /// Its address is taken (`&x`), or it is an array that decays other than to be
    /// subscripted.
    pub address_taken: bool,
    /// Where it is declared: its name.
    pub span: Span,
    /// The initialiser of a global or a static variable.
    pub init: Option<Init>,
}

impl Var {
    /// Whether functions other than one may name it.
    pub fn is_global(&self) -> bool {
        matches!(
            self.storage,
            Storage::Global | Storage::FileStatic | Storage::Extern
        )
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Storage {
    /// At file scope, without `static`.
    Global,
    /// At file scope with `static`.
    FileStatic,
    /// Declared `extern` and not defined here.
    Extern,
    /// In a function with `static`.
    LocalStatic,
    Local,
    Param,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Init {
    /// Converted to the object's type.
    Expr(Expr),
    /// Sub-objects in order of the object's layout, `{0: a, 3: b}`; those that are not
    /// named are zero. Nested for arrays of arrays and records.
    List(Vec<(u64, Init)>),
}

#[derive(Debug)]
pub struct Function {
    pub name: String,
    pub is_static: bool,
    pub is_inline: bool,
    pub result: Type,
    pub params: Vec<VarId>,
    pub variadic: bool,
    /// A block. Where the body could not be understood at all, one `Unsupported`.
    pub body: Stmt,
    /// The whole definition.
    pub span: Span,
    /// Its name.
    pub name_span: Span,
    /// `routine` directives that belong to it.
    pub directives: Vec<DirectiveId>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Stmt {
    pub kind: StmtKind,
    pub span: Span,
    /// Directives that stand before the statement and apply to it, outermost first. The
    /// statements between `scop` and `endscop` are one block with that directive.
    pub directives: Vec<DirectiveId>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum StmtKind {
    Empty,
    Expr(Expr),
    /// `{ ... }`. A block that `scop` makes has no braces in the text; its variables
    /// remain visible behind it.
    Block(Vec<Stmt>),
    /// One declaration statement; typedefs and extern declarations give none.
    Decl(Vec<(VarId, Option<Init>)>),
    If {
        cond: Expr,
        then: Box<Stmt>,
        otherwise: Option<Box<Stmt>>,
    },
    For {
        /// An expression or a declaration.
        init: Option<Box<Stmt>>,
        cond: Option<Expr>,
        step: Option<Expr>,
        body: Box<Stmt>,
    },
    While {
        cond: Expr,
        body: Box<Stmt>,
    },
    DoWhile {
        body: Box<Stmt>,
        cond: Expr,
    },
    /// The statements of the body, cut at its labels. An arm runs on into the next
    /// unless it breaks.
    Switch {
        value: Expr,
        arms: Vec<Arm>,
    },
    Break,
    Continue,
    /// The value is converted to the function's type.
    Return(Option<Expr>),
    Goto(String),
    Label(String, Box<Stmt>),
    /// A directive that stands by itself: update, wait, enter data, cache, ...
    Directive(DirectiveId),
    /// Not translated, for this reason: "an asm statement".
    Unsupported(String),
}

/// Part of a switch.
#[derive(Debug, Clone, PartialEq)]
pub struct Arm {
    /// Values; `None` is `default`. Empty only for statements before the first label.
    pub labels: Vec<Option<i128>>,
    pub body: Vec<Stmt>,
}

/// An expression and its type: after lvalue conversion where it is used as a value.
#[derive(Debug, Clone, PartialEq)]
pub struct Expr {
    pub kind: ExprKind,
    pub ty: Type,
    pub span: Span,
}

#[derive(Debug, Clone, PartialEq)]
pub enum ExprKind {
    /// Constants of integer type, enumerators, characters, `sizeof`.
    Int(i128),
    Float(f64),
    /// The bytes of a string, without the zero that ends it; the type is an array that
    /// counts it.
    Str(Vec<u8>),
    Var(VarId),
    /// A function's name, as it is called or its address taken.
    Function(String),
    /// `base[index]`: the base is an array object or a pointer value, the index of any
    /// integer type. `*p` is `Deref`, `*(a + i)` is kept as it is written.
    Index {
        base: Box<Expr>,
        index: Box<Expr>,
    },
    Deref(Box<Expr>),
    /// `base.field`; `p->field` is the member of `Deref(p)`.
    Member {
        base: Box<Expr>,
        field: usize,
    },
    AddressOf(Box<Expr>),
    /// An array as the pointer to its first element (C11 6.3.2.1p3).
    Decay(Box<Expr>),
    /// A conversion to `ty`, written or implied.
    Cast(Box<Expr>),
    Neg(Box<Expr>),
    /// `~`.
    BitNot(Box<Expr>),
    /// `!`, of any scalar; the value is an int.
    Not(Box<Expr>),
    /// Operands have the common type already; shifts have each its own promoted type.
    /// Comparisons give an int.
    Binary {
        op: BinaryOp,
        lhs: Box<Expr>,
        rhs: Box<Expr>,
    },
    /// A pointer moved by an integer number of elements, forward or back.
    PointerAdd {
        pointer: Box<Expr>,
        offset: Box<Expr>,
        subtract: bool,
    },
    PointerDiff {
        lhs: Box<Expr>,
        rhs: Box<Expr>,
    },
    /// `&&` and `||`; the value is an int.
    Logical {
        and: bool,
        lhs: Box<Expr>,
        rhs: Box<Expr>,
    },
    Conditional {
        cond: Box<Expr>,
        then: Box<Expr>,
        otherwise: Box<Expr>,
    },
    /// The value is converted to the object's type, and is that of the object after.
    Assign {
        target: Box<Expr>,
        value: Box<Expr>,
    },
    /// `target op= value`: the target is converted to `compute`, the value has it
    /// already, the result is converted back. `value` of a shift has its own type; of a
    /// pointer it is the number of elements, and `compute` is the pointer's type.
    CompoundAssign {
        op: BinaryOp,
        target: Box<Expr>,
        value: Box<Expr>,
        compute: Type,
    },
    /// `++` and `--`, of arithmetic and pointer objects.
    IncDec {
        increment: bool,
        prefix: bool,
        target: Box<Expr>,
    },
    /// A call of a named function; arguments are converted to the parameters' types.
    Call {
        function: String,
        args: Vec<Expr>,
    },
    Comma(Box<Expr>, Box<Expr>),
    /// `(T){ ... }` in a function: a local variable without a name, which gets this
    /// value where the expression stands.
    Compound {
        var: VarId,
        init: Box<Init>,
    },
    /// Not translated, for this reason: "a call through a pointer".
    Unsupported(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Shl,
    Shr,
    And,
    Or,
    Xor,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl BinaryOp {
    /// As C writes it.
    pub fn symbol(self) -> &'static str {
        match self {
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
            BinaryOp::Rem => "%",
            BinaryOp::Shl => "<<",
            BinaryOp::Shr => ">>",
            BinaryOp::And => "&",
            BinaryOp::Or => "|",
            BinaryOp::Xor => "^",
            BinaryOp::Eq => "==",
            BinaryOp::Ne => "!=",
            BinaryOp::Lt => "<",
            BinaryOp::Le => "<=",
            BinaryOp::Gt => ">",
            BinaryOp::Ge => ">=",
        }
    }
}

impl Unit {
    pub fn var(&self, id: VarId) -> &Var {
        &self.vars[id.0 as usize]
    }

    pub fn directive(&self, id: DirectiveId) -> &Directive {
        &self.directives[id.0 as usize]
    }

    /// The function of this name that has a body.
    pub fn function(&self, name: &str) -> Option<&Function> {
        self.functions.iter().find(|f| f.name == name)
    }

    /// The preprocessed text of a span.
    pub fn text(&self, span: Span) -> &str {
        let all = self.source.text();
        all.get(span.start as usize..span.end as usize)
            .unwrap_or_default()
    }
}

impl Span {
    pub fn new(start: usize, end: usize) -> Span {
        Span {
            start: start as u32,
            end: end as u32,
        }
    }

    /// From the start of this to the end of the other.
    pub fn to(self, end: Span) -> Span {
        Span {
            start: self.start,
            end: end.end.max(self.start),
        }
    }
}
