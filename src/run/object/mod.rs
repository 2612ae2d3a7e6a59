//! Object files of programs, and what C, Fortran and Rust have to know to call them.
//!
//! The entry function becomes a C function of the same name. An index takes an `int64_t`, a number
//! its own type, an array the address of its first element; elements lie without gaps, the last
//! dimension innermost. Sizes that the function's attributes say are computed; others are arguments
//! behind the address. It returns 0, or a number that `NAME_message` tells the meaning of. Arrays must
//! not overlap. Nothing checks that they are as large as the interface says.

mod interface;
mod languages;

use super::executor::Program;
use super::options::RunOptions;
use super::source::{Language, ProgramText};
use super::{RunError, cpu};
use crate::dialects::affine::ApplyOp;
use crate::dialects::func::{self, FuncOp};
use crate::dialects::memref::ReinterpretCastOp;
use crate::dialects::offsets::Mixed;
use crate::ir::affine::AffineMap;
use crate::ir::{Builder, InsertPoint, OpKind, Value};
use crate::targets::native::{
    NativeOptions, ObjectCode, ObjectOptions, OptLevel, PackedEntry, PlainFunction,
};
use interface::{Interface, ParamOf};

/// An object file with what callers need.
#[derive(Debug, Clone)]
pub struct Object {
    /// A relocatable object file. It is linked with `libterrace_runtime.a`, as `terrace cc` does.
    pub bytes: Vec<u8>,
    /// A header for C and C++.
    pub header: String,
    /// A module of Fortran 2003 with an interface block.
    pub fortran: String,
    /// Declarations for Rust, and a function that checks the lengths of slices.
    pub rust: String,
}

/// A part of what `terrace compile` writes of a program for other languages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The object file.
    Object,
    /// The header for C.
    Header,
    /// The module for Fortran.
    Fortran,
    /// The declarations for Rust.
    Rust,
}

impl Part {
    /// Its name on command lines.
    pub const NAMES: [(&'static str, Part); 4] = [
        ("obj", Part::Object),
        ("header", Part::Header),
        ("fortran", Part::Fortran),
        ("rust", Part::Rust),
    ];

    /// How names of such files end. That of Fortran has another stem, since it becomes an object
    /// file too.
    pub fn ending(self) -> &'static str {
        match self {
            Part::Object => ".o",
            Part::Header => ".h",
            Part::Fortran => "_interface.f90",
            Part::Rust => ".rs",
        }
    }
}

impl Object {
    /// A part as the bytes of a file.
    pub fn part(&self, part: Part) -> &[u8] {
        match part {
            Part::Object => &self.bytes,
            Part::Header => self.header.as_bytes(),
            Part::Fortran => self.fortran.as_bytes(),
            Part::Rust => self.rust.as_bytes(),
        }
    }
}

/// Makes an object file of a program in MLIR or formulas.
///
/// # Errors
///
/// What in the program has no code or no form in C.
pub fn object(source: &ProgramText, options: &RunOptions) -> Result<Object, RunError> {
    if source.language == Language::C {
        let m = "`terrace cc -c` makes object files of C; obj, header, fortran and rust are for formulas and MLIR";
        return Err(RunError::Usage(vec![m.to_string()]));
    }
    let parsed = || source.program();
    let mut program = options.instruments.time("Parser", parsed)?;
    super::show_passes(&mut program, source, options, options.target);
    let entry = program.callable(options.entry.as_deref())?;
    let interface = Interface::of(&program, &entry, &source.name).map_err(RunError::Usage)?;
    let wrapper = wrap(&mut program, &interface)?;
    cpu::lower_within(
        &mut program,
        options.numerics.algebra,
        &options.cores.machine,
    )?;
    let failed = |e| cpu::located(&program.ctx, e);
    let at = |m: String| cpu::located(&program.ctx, vec![(program.module.loc(&program.ctx), m)]);
    let mut code = ObjectCode::new(&ObjectOptions {
        native: NativeOptions {
            opt_level: OptLevel::Speed,
            ..NativeOptions::default()
        },
        source: source.name.clone(),
        ..ObjectOptions::default()
    })
    .map_err(at)?;
    let packed = |of: &str| PackedEntry {
        function: wrapper.clone(),
        symbol: format!("terrace_{}_{of}", interface.name),
        behind: 0,
    };
    let (all, v3) = (packed("cpu"), packed("cpu_v3"));
    let (ctx, module) = (&program.ctx, program.module);
    (code.add(ctx, module, std::slice::from_ref(&all))).map_err(failed)?;
    let newer = code.add_v3(ctx, module, std::slice::from_ref(&v3));
    let newer = newer.map_err(failed)?.then_some(v3.symbol);
    let plain = PlainFunction {
        symbol: interface.name.clone(),
        message: interface.message(),
        params: interface.words(),
        entry: all.symbol,
        entry_v3: newer,
    };
    code.plain(ctx, module, &plain).map_err(failed)?;
    let bytes = code.finish().map_err(at)?;
    Ok(Object {
        bytes,
        header: languages::c(&interface),
        fortran: languages::fortran(&interface),
        rust: languages::rust(&interface),
    })
}

/// Adds a function that takes arrays whose sizes are known as addresses, and calls the entry. Gives
/// its name.
fn wrap(program: &mut Program, interface: &Interface) -> Result<String, RunError> {
    let (ctx, module) = (&mut program.ctx, program.module);
    let body = module.body(ctx, 0);
    let found = (body.ops(ctx).into_iter())
        .filter_map(|op| op.cast::<FuncOp>(ctx))
        .find(|f| f.name(ctx) == interface.name);
    let Some(entry) = found else {
        let m = format!("no function '@{}'", interface.name);
        return Err(RunError::Usage(vec![m]));
    };
    let inputs: Vec<_> = entry.inputs(ctx).to_vec();
    let taken = inputs
        .iter()
        .zip(&interface.params)
        .map(|(t, p)| match p.of {
            ParamOf::Array { map: Some(_), .. } => match t.element(ctx) {
                Some(element) => ctx.memref(&[], element),
                None => *t,
            },
            _ => *t,
        });
    let taken: Vec<_> = taken.collect();
    let name = format!("{}.of_addresses", interface.name);
    let loc = entry.op().loc(ctx);
    let mut b = Builder::at_end(ctx, body, loc);
    let (_, block) = FuncOp::build(&mut b, &name, &taken, &[]);
    b.at = InsertPoint::End(block);
    let given = block.args(b.ctx);
    let mut arguments: Vec<Value> = Vec::new();
    for (v, p) in given.iter().zip(&interface.params) {
        let map = match &p.of {
            ParamOf::Array { map: Some(map), .. } => map,
            _ => {
                arguments.push(*v);
                continue;
            }
        };
        let leading = (map.num_dims() + map.num_symbols()) as usize;
        let mut sizes = Vec::new();
        for size in map.results() {
            let one = AffineMap::new(map.num_dims(), map.num_symbols(), vec![size.clone()]);
            sizes.push(Mixed::Value(ApplyOp::build(&mut b, one, &given[..leading])));
        }
        arguments.push(ReinterpretCastOp::build_row_major(&mut b, *v, &sizes));
    }
    let callee = b.ctx.symbol_attr(&interface.name);
    b.op::<func::CallOp>(&arguments, &[], &[("callee", callee)]);
    func::ReturnOp::build(&mut b, &[]);
    Ok(name)
}
