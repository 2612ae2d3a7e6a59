//! A kernel's file: MLIR with a head of comments.
//!
//! ```text
//! // Matrix product, the sum in memory.
//! // parallel: i j
//! // serial: k
//! // @N@ = 1024, small 32
//! func.func @gemm(%A: memref<@N@x@N@xf64> ...
//! ```
//!
//! `parallel` names the outermost loops of the nest from the outside in, `serial` those of
//! the perfect nest that come next. `@N@` stands for a size.

use crate::dialects::affine::ForOp;
use crate::ir::{Context, Op, OpKind};
use crate::passes::loops::nest::band_of;
use crate::passes::transform::affine_parallelize::parallel_reductions;
use crate::run::executor::Program;
use crate::run::{RunError, entry};

/// Which of its sizes a kernel has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// Some ten to some hundred microseconds on a large GPU.
    Full,
    /// For the emulator.
    Small,
}

/// An affine nest to be mapped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kernel {
    /// The function's name.
    pub name: String,
    pub file: String,
    /// The program with its sizes put in.
    pub text: String,
    /// The parallel loops from the outside in.
    pub parallel: Vec<String>,
    /// The loops in order, from the outside in, that are a perfect nest with them.
    pub serial: Vec<String>,
}

impl Kernel {
    /// Reads a file.
    ///
    /// # Errors
    ///
    /// A head that is none, a program that is none, or loops that are not as the head says.
    pub fn read(file: &str, text: &str, size: Size) -> Result<Kernel, String> {
        let mut filled = text.to_string();
        let (mut parallel, mut serial) = (Vec::new(), Vec::new());
        let head = text
            .lines()
            .enumerate()
            .take_while(|(_, l)| l.starts_with("//") || l.is_empty());
        for (number, line) in head {
            let line = line.trim_start_matches('/').trim();
            let words = |s: &str| s.split_whitespace().map(str::to_string).collect();
            if let Some(names) = line.strip_prefix("parallel:") {
                parallel = words(names);
            } else if let Some(names) = line.strip_prefix("serial:") {
                serial = words(names);
            } else if line.starts_with('@') {
                let (name, value) = size_of(line, size).ok_or_else(|| {
                    format!(
                        "{file}:{}: found `{line}`, expected a size as in `@N@ = 1024, small 32`",
                        number + 1
                    )
                })?;
                filled = filled.replace(&name, &value.to_string());
            }
        }
        if parallel.is_empty() || parallel.len() > 3 {
            return Err(format!(
                "{file}: found {} parallel loops, expected one to three in a line as \
                 `// parallel: i j`",
                parallel.len()
            ));
        }
        let mut kernel = Kernel {
            name: String::new(),
            file: file.to_string(),
            text: filled,
            parallel,
            serial,
        };
        let program = kernel.program()?;
        let (name, _) = kernel.loops(&program)?;
        kernel.name = name;
        Ok(kernel)
    }

    /// The program, parsed.
    ///
    /// # Errors
    ///
    /// What is wrong with the text.
    pub fn program(&self) -> Result<Program, String> {
        Program::new(&self.file, &self.text).map_err(|ds| RunError::Program(ds).to_string())
    }

    /// The function's name, and the loops that the head names, the parallel ones checked
    /// to be parallel.
    ///
    /// No iteration of a parallel loop depends on another, so that iterations with
    /// different values of these variables may run in any order; the mappings keep that of
    /// the serial loops. All mappings are legal then.
    ///
    /// # Errors
    ///
    /// Another nest, or loops that are not parallel.
    pub fn loops(&self, program: &Program) -> Result<(String, Vec<ForOp>), String> {
        let (ctx, file) = (&program.ctx, &self.file);
        let found = entry::public_functions(ctx, program.module);
        let [function] = found[..] else {
            return Err(format!(
                "{file}: found {} functions, expected one",
                found.len()
            ));
        };
        let outermost: Vec<ForOp> = outermost(ctx, function.op());
        let [first] = outermost[..] else {
            let n = outermost.len();
            return Err(format!("{file}: found {n} nests of loops, expected one"));
        };
        let mut band = band_of(ctx, first);
        let named = self.parallel.len() + self.serial.len();
        if band.len() < named {
            return Err(format!(
                "{file}: the nest has {} loops, expected {named} as the head names them",
                band.len()
            ));
        }
        band.truncate(named);
        for (l, name) in band.iter().zip(&self.parallel) {
            if parallel_reductions(ctx, *l, false).is_none() {
                return Err(format!(
                    "{file}: loop '{name}' is said to be parallel, but its iterations depend on \
                     each other"
                ));
            }
        }
        Ok((function.name(ctx).to_string(), band))
    }
}

/// `@N@` and its value in `@N@ = 1024, small 32`.
fn size_of(line: &str, size: Size) -> Option<(String, u64)> {
    let (name, values) = line.split_once('=')?;
    let (full, small) = values.split_once(',')?;
    let small = small.trim().strip_prefix("small")?;
    let value = match size {
        Size::Full => full,
        Size::Small => small,
    };
    Some((name.trim().to_string(), value.trim().parse().ok()?))
}

fn outermost(ctx: &Context, function: Op) -> Vec<ForOp> {
    let ops = function.blocks(ctx).into_iter().flat_map(|b| b.ops(ctx));
    ops.filter_map(|o| o.cast::<ForOp>(ctx)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const COPY: &str = "// parallel: i\n// @N@ = 512, small 8\n\
        func.func @f(%A: memref<@N@xf32>, %B: memref<@N@xf32>) {\n\
        affine.for %i = 0 to @N@ {\n%a = affine.load %A[%i] : memref<@N@xf32>\n\
        affine.store %a, %B[%i] : memref<@N@xf32>\n}\nreturn\n}\n";

    #[test]
    fn sizes_are_put_in_and_loops_checked() {
        let k = Kernel::read("f.mlir", COPY, Size::Small).unwrap();
        assert_eq!((k.name.as_str(), k.parallel.len()), ("f", 1));
        assert!(k.text.contains("memref<8xf32>") && !k.text.contains("@N@x"));
        let full = Kernel::read("f.mlir", COPY, Size::Full).unwrap();
        assert!(full.text.contains("0 to 512"));
    }

    #[test]
    fn wrong_heads_are_refused() {
        let wrong = |from: &str, to: &str| {
            Kernel::read("f.mlir", &COPY.replace(from, to), Size::Small).unwrap_err()
        };
        assert_eq!(
            wrong("small 8", "tiny 8"),
            "f.mlir:2: found `@N@ = 512, tiny 8`, expected a size as in `@N@ = 1024, small 32`"
        );
        assert!(wrong("parallel: i", "parallel:").contains("found 0 parallel loops"));
        assert!(wrong("parallel: i", "parallel: i j").contains("the nest has 1 loops, expected 2"));
        assert!(wrong("%B[%i]", "%B[0]").contains("loop 'i' is said to be parallel"));
        assert!(wrong("return", "retur").contains("error"));
    }
}
