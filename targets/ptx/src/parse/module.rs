//! Directives, variables and signatures.

use super::Parsed;
use super::body;
use super::cursor::{Cursor, Parse};
use super::lex::Tok;
use super::scope::{Entity, Scopes};
use crate::ids::FuncId;
use crate::machine::Arch;
use crate::modifiers::Space;
use crate::module::{Func, FuncKind, LaunchBounds, Module, Param, Var};
use crate::operand::Sym;
use crate::types::Ty;

/// A module while it is read.
pub(super) struct Reader<'c, 'a> {
    pub cursor: &'c mut Cursor<'a>,
    pub module: Module,
    pub scopes: Scopes<'a>,
    pub lines: Vec<Vec<u32>>,
}

pub(super) fn parse(cursor: &mut Cursor<'_>) -> Parsed {
    let mut reader = Reader {
        cursor,
        module: Module::new(Arch::sm(70)),
        scopes: Scopes::new(),
        lines: Vec::new(),
    };
    let (mut version, mut target) = (false, false);
    while reader.cursor.peek() != Tok::End && !reader.cursor.gave_up() {
        version |= reader.cursor.peek() == Tok::Dot("version");
        target |= reader.cursor.peek() == Tok::Dot("target");
        if reader.top().is_err() {
            reader.recover();
        }
    }
    if reader.cursor.errors.is_empty() && !(version && target) {
        let lacks = if version { ".target" } else { ".version" };
        let _: Parse<()> = reader.cursor.fail(
            0,
            format!("this is not PTX: the directive `{lacks}` is missing"),
        );
    }
    Parsed {
        module: reader.module,
        lines: reader.lines,
    }
}

/// The type of a name without its dot.
pub(super) fn type_named(name: &str) -> Option<Ty> {
    Ty::ALL.into_iter().find(|t| &t.suffix()[1..] == name)
}

/// The state space of a variable.
pub(super) fn space_named(name: &str) -> Option<Space> {
    match name {
        "global" => Some(Space::Global),
        "shared" | "shared::cta" => Some(Space::Shared),
        "local" => Some(Space::Local),
        "const" => Some(Space::Const),
        "param" => Some(Space::Param),
        _ => None,
    }
}

impl<'a> Reader<'_, 'a> {
    /// After an error outside a function: goes on after the statement, or
    /// after the body that follows.
    fn recover(&mut self) {
        self.cursor.skip_statement();
        match self.cursor.peek() {
            Tok::Punct('{') => self.cursor.skip_braces(),
            Tok::Punct('}') => {
                self.cursor.next();
            }
            _ => {}
        }
    }

    fn top(&mut self) -> Parse<()> {
        let Tok::Dot(name) = self.cursor.peek() else {
            return self.cursor.expected("a directive");
        };
        match name {
            "version" => self.version(),
            "target" => self.target(),
            "address_size" => {
                self.cursor.next();
                let at = self.cursor.byte();
                match self.cursor.number("64")? {
                    64 => Ok(()),
                    bits => self.cursor.fail(
                        at,
                        format!("addresses of {bits} bits; only 64 are supported"),
                    ),
                }
            }
            "file" => self.file(),
            "loc" => body::loc(self).map(|_| ()),
            "section" => {
                self.cursor.next();
                self.cursor.next();
                self.cursor.skip_braces();
                Ok(())
            }
            "pragma" | "alias" => {
                self.cursor.skip_statement();
                Ok(())
            }
            _ => self.definition(),
        }
    }

    fn version(&mut self) -> Parse<()> {
        self.cursor.next();
        let at = self.cursor.byte();
        let word = self.cursor.word("a version such as 7.8")?;
        let parts = word
            .split_once('.')
            .and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
        match parts {
            Some(version) => {
                self.module.version = version;
                Ok(())
            }
            None => self.cursor.fail(
                at,
                format!("expected a version such as 7.8, found `{word}`"),
            ),
        }
    }

    fn target(&mut self) -> Parse<()> {
        self.cursor.next();
        let at = self.cursor.byte();
        let word = self.cursor.word("an architecture such as sm_80")?;
        match word.parse() {
            Ok(arch) => self.module.arch = arch,
            Err(message) => return self.cursor.fail(at, message),
        }
        while self.cursor.eat(',') {
            self.cursor.word("an option of the target")?;
        }
        Ok(())
    }

    fn file(&mut self) -> Parse<()> {
        self.cursor.next();
        let at = self.cursor.byte();
        let number = self.cursor.number("a file's number")?;
        let Tok::Str(name) = self.cursor.next() else {
            return self.cursor.expected("a file's name");
        };
        let index = match usize::from(u16::try_from(number).unwrap_or(0)).checked_sub(1) {
            Some(index) => index,
            None => {
                return self
                    .cursor
                    .fail(at, format!("no file can have the number {number}"));
            }
        };
        if self.module.files.len() <= index {
            self.module.files.resize(index + 1, String::new());
        }
        self.module.files[index] = unescape(name);
        // Time and size of the file.
        while self.cursor.eat(',') {
            self.cursor.number("a number")?;
        }
        Ok(())
    }

    fn definition(&mut self) -> Parse<()> {
        let mut visible = false;
        loop {
            match self.cursor.peek() {
                Tok::Dot("visible" | "weak" | "common") => visible = true,
                Tok::Dot("extern") => {}
                _ => break,
            }
            self.cursor.next();
        }
        match self.cursor.peek() {
            Tok::Dot("entry") => self.function(FuncKind::Kernel),
            Tok::Dot("func") => self.function(FuncKind::Device),
            Tok::Dot(name) if space_named(name).is_some_and(|s| s != Space::Param) => {
                for (at, name, var) in self.variables(visible)? {
                    let sym = self.module.add_var(var);
                    self.declare(at, name, Entity::Sym(sym))?;
                }
                Ok(())
            }
            _ => self
                .cursor
                .expected("`.entry`, `.func`, or a variable in `.global`, `.const` or `.shared`"),
        }
    }

    /// Adds a name, which must be new in its scope.
    pub fn declare(&mut self, at: usize, name: &'a str, entity: Entity) -> Parse<()> {
        if self.scopes.add(name, entity) {
            return Ok(());
        }
        self.cursor
            .fail(at, format!("`{name}` is declared a second time"))
    }

    fn function(&mut self, kind: FuncKind) -> Parse<()> {
        self.cursor.next();
        self.scopes.enter();
        let depth = self.scopes.depth();
        let result = self.function_parts(kind);
        // An error may leave scopes of the body open.
        while self.scopes.depth() >= depth {
            self.scopes.leave();
        }
        self.scopes.labels.clear();
        result
    }

    fn function_parts(&mut self, kind: FuncKind) -> Parse<()> {
        let mut func = Func::new("", kind);
        if kind == FuncKind::Device && self.cursor.peek() == Tok::Punct('(') {
            let at = self.cursor.byte();
            self.params(&mut func, true)?;
            func.result = func.args.pop();
            if !func.args.is_empty() || func.result.is_some() && !func.result_vars.is_empty() {
                return self.cursor.fail(at, ONE_RESULT.into());
            }
        }
        let at = self.cursor.byte();
        let name = self.cursor.word("a function's name")?;
        func.name = name.to_string();
        if self.cursor.peek() == Tok::Punct('(') {
            let at = self.cursor.byte();
            self.params(&mut func, false)?;
            if !func.args.is_empty() && !func.params.is_empty() {
                return self.cursor.fail(at, ONE_KIND.into());
            }
        }
        func.bounds = self.bounds()?;
        let id = self.function_named(at, name)?;
        if self.cursor.eat(';') {
            return Ok(());
        }
        if self
            .module
            .funcs
            .get(id)
            .is_some_and(|f| !f.layout.is_empty())
        {
            return self.cursor.fail(at, format!("`{name}` has a body already"));
        }
        let lines = body::parse(self, &mut func)?;
        self.module.funcs[id] = func;
        self.lines[id.index()] = lines;
        Ok(())
    }

    /// The function of a name, which may have been declared before.
    fn function_named(&mut self, at: usize, name: &'a str) -> Parse<FuncId> {
        match self.scopes.find(name) {
            Some(Entity::Func(id)) => Ok(id),
            Some(_) => self
                .cursor
                .fail(at, format!("`{name}` is declared a second time")),
            None => {
                let id = self.module.funcs.alloc(Func::new(name, FuncKind::Device));
                self.lines.push(Vec::new());
                self.scopes.add_to_module(name, Entity::Func(id));
                Ok(id)
            }
        }
    }

    /// The parameters of a function, or in the same form its results.
    fn params(&mut self, func: &mut Func, results: bool) -> Parse<()> {
        self.cursor.expect('(')?;
        if self.cursor.eat(')') {
            return Ok(());
        }
        loop {
            if self.cursor.eat_dot("reg") {
                let ty = self.ty()?;
                let at = self.cursor.byte();
                let name = self.cursor.word("a register's name")?;
                let reg = func.add_arg(ty.reg());
                self.declare(at, name, Entity::Reg(reg))?;
            } else if self.cursor.eat_dot("param") {
                let (at, name, param) = self.param()?;
                let sym = if results {
                    let sym = func.add_var(Var {
                        align: param.align,
                        ..Var::array(
                            name,
                            Space::Param,
                            param.ty,
                            u64::from(param.len.unwrap_or(1)),
                        )
                    });
                    if let Sym::Local(i) = sym {
                        func.result_vars.push(i);
                    }
                    sym
                } else {
                    func.add_param(param)
                };
                self.declare(at, name, Entity::Sym(sym))?;
            } else {
                return self.cursor.expected("`.param` or `.reg`");
            }
            if !self.cursor.eat(',') {
                break;
            }
        }
        self.cursor.expect(')')
    }

    fn param(&mut self) -> Parse<(usize, &'a str, Param)> {
        let mut align = 0;
        let mut ty = Ty::None;
        let mut pointee = None;
        while let Tok::Dot(name) = self.cursor.peek() {
            self.cursor.next();
            match name {
                "align" => {
                    let n = self.cursor.number("an alignment")?;
                    let n = u32::try_from(n).unwrap_or(u32::MAX);
                    match &mut pointee {
                        Some((_, promised)) => *promised = n,
                        None => align = n,
                    }
                }
                "ptr" => pointee = Some((Space::Generic, 1)),
                _ => match (type_named(name), space_named(name), &mut pointee) {
                    (Some(found), ..) => ty = found,
                    (None, Some(space), Some((of, _))) => *of = space,
                    _ => return self.cursor.expected("a parameter's type"),
                },
            }
        }
        let at = self.cursor.byte();
        let name = self.cursor.word("a parameter's name")?;
        if ty == Ty::None {
            return self
                .cursor
                .fail(at, format!("the parameter `{name}` has no type"));
        }
        let array = self.cursor.peek() == Tok::Punct('[');
        let len = self.dimensions()?;
        let param = Param {
            name: name.to_string(),
            ty,
            len: match (array, len) {
                (true, Some(n)) => u32::try_from(n).ok(),
                _ => None,
            },
            align,
            pointee,
            noalias: false,
            range: None,
        };
        Ok((at, name, param))
    }

    pub fn ty(&mut self) -> Parse<Ty> {
        if let Tok::Dot(name) = self.cursor.peek()
            && let Some(ty) = type_named(name)
        {
            self.cursor.next();
            return Ok(ty);
        }
        self.cursor.expected("a type")
    }

    fn bounds(&mut self) -> Parse<LaunchBounds> {
        let mut bounds = LaunchBounds::default();
        while let Tok::Dot(name) = self.cursor.peek() {
            self.cursor.next();
            match name {
                "maxntid" => bounds.max_threads = Some(self.three()?),
                "reqntid" => bounds.required_threads = Some(self.three()?),
                "minnctapersm" => bounds.min_blocks_per_sm = Some(self.small()?),
                "maxnctapersm" => {
                    self.small()?;
                }
                "maxnreg" => bounds.max_registers = Some(self.small()?),
                "noreturn" | "abi_preserve" | "blocksareclusters" => {}
                "pragma" => self.cursor.skip_statement(),
                _ => return self.cursor.expected("a performance directive or the body"),
            }
        }
        Ok(bounds)
    }

    fn small(&mut self) -> Parse<u32> {
        let at = self.cursor.byte();
        let n = self.cursor.number("a number")?;
        match u32::try_from(n) {
            Ok(n) => Ok(n),
            Err(_) => self.cursor.fail(at, format!("{n} is too large")),
        }
    }

    /// One to three numbers; those left out are 1.
    fn three(&mut self) -> Parse<[u32; 3]> {
        let mut dims = [1; 3];
        dims[0] = self.small()?;
        for dim in &mut dims[1..] {
            if !self.cursor.eat(',') {
                break;
            }
            *dim = self.small()?;
        }
        Ok(dims)
    }
}

const ONE_RESULT: &str = "a function returns one register, or variables in `.param` space";
const ONE_KIND: &str = "parameters in registers and in `.param` space together; one kind is right";

fn unescape(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    let mut chars = name.chars();
    while let Some(c) = chars.next() {
        out.push(if c == '\\' {
            chars.next().unwrap_or(c)
        } else {
            c
        });
    }
    out
}
