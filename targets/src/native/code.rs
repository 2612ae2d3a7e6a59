//! Where machine code goes: into this process's memory, or into an object file.

use super::NativeOptions;
use cranelift_codegen::isa::{Builder, OwnedTargetIsa};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{Module, default_libcall_names};
use cranelift_object::{ObjectBuilder, ObjectModule};
use std::ops::{Deref, DerefMut};

/// A Cranelift module of either kind; all that lowers code sees the trait.
pub(super) enum Code {
    Memory(Box<JITModule>),
    Object(Box<ObjectModule>),
}

impl Deref for Code {
    type Target = dyn Module;

    fn deref(&self) -> &Self::Target {
        match self {
            Code::Memory(m) => m.as_ref(),
            Code::Object(m) => m.as_ref(),
        }
    }
}

impl DerefMut for Code {
    fn deref_mut(&mut self) -> &mut Self::Target {
        match self {
            Code::Memory(m) => m.as_mut(),
            Code::Object(m) => m.as_mut(),
        }
    }
}

impl Code {
    /// Code in memory, which may call the host's functions of these names.
    pub fn memory(options: &NativeOptions, symbols: &[(&str, *const u8)]) -> Result<Code, String> {
        let mut jit = JITBuilder::with_isa(isa(options, false, true)?, default_libcall_names());
        for (name, address) in symbols {
            jit.symbol(*name, *address);
        }
        Ok(Code::Memory(Box::new(JITModule::new(jit))))
    }

    /// An object file that tells its source as `name`. `this_cpu` lets it use all
    /// instructions that this machine has.
    pub fn object(name: &str, options: &NativeOptions, this_cpu: bool) -> Result<Code, String> {
        Code::object_of(name, isa(options, true, this_cpu)?)
    }

    /// The same for every machine of another kind.
    pub fn object_for(name: &str, options: &NativeOptions, triple: &str) -> Result<Code, String> {
        let machine = cranelift_codegen::isa::lookup_by_name(triple)
            .map_err(|e| format!("there is no code generator for '{triple}': {e}"))?;
        Code::object_of(name, finish(machine, options, true)?)
    }

    /// Whether code is made for x86-64.
    pub fn is_x86_64(&self) -> bool {
        self.isa().name() == "x64"
    }

    fn object_of(name: &str, isa: OwnedTargetIsa) -> Result<Code, String> {
        let builder = ObjectBuilder::new(isa, name, default_libcall_names())
            .map_err(|e| format!("cannot begin an object file: {e}"))?;
        Ok(Code::Object(Box::new(ObjectModule::new(builder))))
    }
}

/// The code generator for machines of this kind that have the instructions of x86-64-v3: vectors
/// with three operands, shuffles of bytes, products and extrema of 32-bit lanes.
pub(super) fn x86_64_v3(options: &NativeOptions) -> Result<OwnedTargetIsa, String> {
    let mut machine = machine(false)?;
    // Cranelift's x86-64-v3 has AVX2 and lacks AVX, without which it uses neither.
    for name in ["x86-64-v3", "has_avx"] {
        machine
            .enable(name)
            .map_err(|e| format!("the code generator does not know {name}: {e}"))?;
    }
    finish(machine, options, true)
}

fn isa(options: &NativeOptions, pic: bool, this_cpu: bool) -> Result<OwnedTargetIsa, String> {
    finish(machine(this_cpu)?, options, pic)
}

fn machine(this_cpu: bool) -> Result<Builder, String> {
    cranelift_native::builder_with_options(this_cpu)
        .map_err(|e| format!("this machine has no native code generator: {e}"))
}

fn finish(machine: Builder, options: &NativeOptions, pic: bool) -> Result<OwnedTargetIsa, String> {
    let mut flags = settings::builder();
    let text = |b: bool| if b { "true" } else { "false" };
    for (name, value) in [
        ("use_colocated_libcalls", "false"),
        ("is_pic", text(pic)),
        // What its level for speed does is done before, and once ([`super::order`]).
        ("opt_level", "none"),
        ("enable_verifier", text(options.verify)),
        // Integers of 128 bits as arguments.
        ("enable_llvm_abi_extensions", "true"),
    ] {
        flags
            .set(name, value)
            .map_err(|e| format!("cannot set the code generator's '{name}': {e}"))?;
    }
    machine
        .finish(settings::Flags::new(flags))
        .map_err(|e| format!("cannot make a code generator: {e}"))
}
