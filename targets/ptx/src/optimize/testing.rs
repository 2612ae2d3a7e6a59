//! Text in, a pass, text out.

use crate::check::errors;
use crate::module::{Func, Module};
use crate::optimize::split::split;
use crate::parse::parse;
use crate::print::print_func;

/// A module of one kernel `k(p, n)`: registers `%r0-9` of 32 bits, `%d0-9` of
/// 64, `%f0-9` of f32, `%p0-9` predicates, a shared array `tile` of 1,024
/// bytes, and the lines of its body.
pub fn kernel(body: &str) -> Module {
    let text = format!(
        ".version 7.8\n.target sm_90\n.address_size 64\n\
         .visible .entry k(.param .u64 .ptr .global .align 16 p, .param .u32 n)\n{{\n\
         .reg .pred %p<10>;\n.reg .b32 %r<10>;\n.reg .b64 %d<10>;\n.reg .f32 %f<10>;\n\
         .shared .align 16 .b8 tile[1024];\n\
         {body}\n}}\n"
    );
    let mut module = match parse(&text) {
        Ok(parsed) => parsed.module,
        Err(errors) => panic!("{errors:?}\n{text}"),
    };
    for (_, func) in module.funcs.iter_mut() {
        split(func);
    }
    module
}

/// The kernel after a pass: correct before and after, and the number of
/// changes.
pub fn run(body: &str, pass: impl FnOnce(&Module, &mut Func) -> usize) -> (Module, usize) {
    let mut module = kernel(body);
    assert_eq!(errors(&module), None, "before");
    let id = module.funcs.iter().next().map(|f| f.0).expect("a kernel");
    let empty = Func::new("k", module.funcs[id].kind);
    let mut func = std::mem::replace(&mut module.funcs[id], empty);
    let changes = pass(&module, &mut func);
    module.funcs[id] = func;
    assert_eq!(errors(&module), None, "after");
    (module, changes)
}

/// The lines of the kernel's body after a pass, without declarations.
pub fn after(body: &str, pass: impl FnOnce(&Module, &mut Func) -> usize) -> Vec<String> {
    lines(&run(body, pass).0)
}

/// The lines of the kernel's body, without declarations.
pub fn lines(module: &Module) -> Vec<String> {
    let (_, func) = module.funcs.iter().next().expect("a kernel");
    let text = print_func(module, func);
    text.lines()
        .skip_while(|l| *l != "{")
        .skip(1)
        .map(|l| l.trim().to_string())
        .filter(|l| !l.starts_with(".reg") && !l.starts_with(".shared") && l != "}")
        .collect()
}
