//! Modules: PTX text to kernels, with the module's variables in memory.

use super::code::Code;
use super::lower;
use crate::finding::Site;
use crate::memory::Memory;
use std::fmt;
use terrace_ptx::module::{Init, LaunchBounds, Var};
use terrace_ptx::parse::{Parsed, parse};
use terrace_ptx::{FuncKind, Space};

/// Why a module could not be loaded: the places in its text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoadError {
    /// Line (from 1), column (from 1; 0 for the whole line) and what is wrong.
    pub errors: Vec<(u32, u32, String)>,
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (line, column, message)) in self.errors.iter().enumerate() {
            if i > 0 {
                f.write_str("\n")?;
            }
            match column {
                0 => write!(f, "line {line}: {message}")?,
                _ => write!(f, "line {line}, column {column}: {message}")?,
            }
        }
        Ok(())
    }
}

impl std::error::Error for LoadError {}

/// A parameter of a kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parameter {
    pub name: String,
    /// Bytes from the start of the parameters.
    pub offset: u32,
    pub bytes: u32,
}

/// A kernel that can be launched.
pub struct Kernel {
    pub name: String,
    pub parameters: Vec<Parameter>,
    /// Bytes of all parameters, laid out like a C structure.
    pub parameter_bytes: u32,
    pub bounds: LaunchBounds,
    /// Shared memory declared with its size.
    pub static_shared: u32,
    /// Local memory of a thread.
    pub local: u32,
    pub(crate) code: Code,
}

impl Kernel {
    /// Where its instructions stand, in the order of [`crate::Outcome::insts`].
    pub fn sites(&self) -> &[Site] {
        &self.code.sites
    }
}

/// A loaded module. Its variables are allocations of the memory that it was
/// loaded into, and stay until [`Module::unload`].
pub struct Module {
    pub kernels: Vec<Kernel>,
    /// Name, address and bytes of variables in global and constant memory.
    pub variables: Vec<(String, u64, u64)>,
}

impl Module {
    /// Reads a module and places its variables in memory.
    ///
    /// # Errors
    /// What the text has that is not PTX, or not within what is supported, with
    /// the places; or memory that the variables do not fit.
    pub fn load(memory: &Memory, ptx: &str) -> Result<Module, LoadError> {
        let parsed = parse(ptx).map_err(|errors| LoadError {
            errors: errors
                .into_iter()
                .map(|e| (e.line, e.column, e.message))
                .collect(),
        })?;
        let mut module = Module {
            kernels: Vec::new(),
            variables: Vec::new(),
        };
        let addresses = match module.place_variables(memory, &parsed) {
            Ok(addresses) => addresses,
            Err(error) => {
                module.unload(memory);
                return Err(error);
            }
        };
        let mut errors = Vec::new();
        for (id, func) in parsed.module.funcs.iter() {
            if func.kind != FuncKind::Kernel {
                continue;
            }
            match lower::kernel(&parsed, id, &addresses, ptx) {
                Ok(kernel) => module.kernels.push(kernel),
                Err(more) => errors.extend(more),
            }
        }
        if errors.is_empty() {
            return Ok(module);
        }
        module.unload(memory);
        errors.sort();
        errors.dedup();
        Err(LoadError { errors })
    }

    /// Frees the module's variables.
    pub fn unload(&self, memory: &Memory) {
        for (_, address, _) in &self.variables {
            // They are freed here only.
            let _ = memory.free(*address);
        }
    }

    /// A kernel by its name.
    pub fn kernel(&self, name: &str) -> Option<&Kernel> {
        self.kernels.iter().find(|k| k.name == name)
    }

    /// The address of each variable of the module; 0 for shared ones.
    fn place_variables(&mut self, memory: &Memory, parsed: &Parsed) -> Result<Vec<u64>, LoadError> {
        let mut addresses = Vec::new();
        for var in &parsed.module.vars {
            if var.space == Space::Shared {
                addresses.push(0);
                continue;
            }
            let failed = |problem: String| LoadError {
                errors: vec![(1, 0, format!("the variable `{}`: {problem}", var.name))],
            };
            if var.alignment() > 256 {
                return Err(failed(format!(
                    "an alignment of {} bytes; at most 256",
                    var.alignment()
                )));
            }
            let bytes = var.bytes();
            let address = memory
                .alloc_named(bytes, &var.name)
                .map_err(|e| failed(e.to_string()))?;
            self.variables.push((var.name.clone(), address, bytes));
            let image = initial_bytes(var);
            memory
                .write(address, &image)
                .map_err(|e| failed(e.to_string()))?;
            addresses.push(address);
        }
        Ok(addresses)
    }
}

/// What a variable holds at the start: the values given, then zeros.
fn initial_bytes(var: &Var) -> Vec<u8> {
    let size = var.ty.bytes() as usize;
    let mut out = Vec::new();
    let mut push = |value: u64| out.extend_from_slice(&value.to_le_bytes()[..size.min(8)]);
    match &var.init {
        Init::None => {}
        Init::Ints(values) => values.iter().for_each(|v| push(*v as u64)),
        Init::F32(values) => values.iter().for_each(|v| push(u64::from(*v))),
        Init::F64(values) => values.iter().for_each(|v| push(*v)),
    }
    out.resize(usize::try_from(var.bytes()).unwrap_or(0), 0);
    out
}
