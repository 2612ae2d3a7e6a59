//! Modules, functions, blocks, registers, variables.

use super::ids::{BlockId, BlockIds, FuncId, FuncIds, InstId, InstIds, Reg, RegIds};
use super::inst::Inst;
use super::modifiers::Space;
use super::operand::Sym;
use super::types::{RegTy, Ty};
use crate::machine::Arch;
use id_arena::Arena;

/// One PTX file.
#[derive(Clone, Debug)]
pub struct Module {
    pub arch: Arch,
    /// PTX version, major and minor.
    pub version: (u8, u8),
    /// Source files that [`super::Loc`] refers to, from 1.
    pub files: Vec<String>,
    /// Variables at module scope: global, constant and shared.
    pub vars: Vec<Var>,
    pub funcs: Arena<Func, FuncIds>,
}

impl Module {
    /// An empty module in the first PTX version that knows the architecture.
    pub fn new(arch: Arch) -> Module {
        Module {
            arch,
            version: arch.ptx_version(),
            files: Vec::new(),
            vars: Vec::new(),
            funcs: Arena::new(),
        }
    }

    /// Adds a kernel without parameters or code.
    pub fn add_kernel(&mut self, name: impl Into<String>) -> FuncId {
        self.funcs.alloc(Func::new(name, FuncKind::Kernel))
    }

    /// Adds a device function without parameters or code.
    pub fn add_device_function(&mut self, name: impl Into<String>) -> FuncId {
        self.funcs.alloc(Func::new(name, FuncKind::Device))
    }

    /// Adds a variable.
    pub fn add_var(&mut self, var: Var) -> Sym {
        self.vars.push(var);
        Sym::Global(u32::try_from(self.vars.len() - 1).unwrap_or(u32::MAX))
    }

    /// The number of a source file, for [`super::Loc`]; adds it if it is new.
    /// 0 (no position) once 65535 files are taken.
    pub fn file(&mut self, name: &str) -> u16 {
        let at = match self.files.iter().position(|f| f == name) {
            Some(at) => at,
            None => {
                self.files.push(name.to_string());
                self.files.len() - 1
            }
        };
        u16::try_from(at + 1).unwrap_or(0)
    }

    /// Raises the PTX version to the first that has every instruction used, and
    /// room for the parameters of every kernel.
    pub fn fit_version(&mut self) {
        let mut version = self.version.max(self.arch.ptx_version());
        let machine = crate::machine::by_arch(self.arch);
        for (_, func) in self.funcs.iter() {
            let room = |version| {
                machine.is_none_or(|m| func.param_bytes() <= m.param_bytes(version).into())
            };
            if !room(version) {
                version = version.max(MANY_PARAMS);
            }
            for inst in func.insts_in_layout() {
                if let Some((_, ptx)) = inst.since() {
                    version = version.max(ptx);
                }
            }
        }
        self.version = version;
    }
}

/// The PTX version from which kernels may have 32,764 bytes of parameters.
const MANY_PARAMS: (u8, u8) = (8, 1);

/// Who calls a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FuncKind {
    /// Launched from the host: `.entry`.
    Kernel,
    /// Called from device code: `.func`.
    Device,
}

/// A kernel parameter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Param {
    pub name: String,
    pub ty: Ty,
    /// Number of elements of an array parameter; none for a scalar.
    pub len: Option<u32>,
    /// Alignment in bytes; 0 means that of the type.
    pub align: u32,
    /// For pointers: the space pointed to and the alignment promised, bytes.
    pub pointee: Option<(Space, u32)>,
    /// For pointers: what is accessed through it and written at all during a
    /// launch is accessed in no other way. PTX text has no word for it.
    pub noalias: bool,
    /// For integers: the least and the greatest value that a launch passes,
    /// read as signed numbers of the type's width. Not part of the text.
    pub range: Option<(i64, i64)>,
}

impl Param {
    /// A scalar.
    pub fn scalar(name: impl Into<String>, ty: Ty) -> Param {
        Param {
            name: name.into(),
            ty,
            len: None,
            align: 0,
            pointee: None,
            noalias: false,
            range: None,
        }
    }

    /// The same, with values from `low` to `high` only.
    pub fn within(mut self, low: i64, high: i64) -> Param {
        self.range = Some((low, high));
        self
    }

    /// A pointer to global memory, aligned to `align` bytes.
    pub fn global_pointer(name: impl Into<String>, align: u32) -> Param {
        Param {
            pointee: Some((Space::Global, align)),
            ..Param::scalar(name, Ty::U64)
        }
    }

    /// Size in bytes.
    pub fn bytes(&self) -> u64 {
        u64::from(self.ty.bytes()) * u64::from(self.len.unwrap_or(1))
    }

    /// Alignment in bytes.
    pub fn alignment(&self) -> u32 {
        self.align.max(self.ty.bytes())
    }
}

/// What a variable holds at the start.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Init {
    /// Zeros in global and constant memory, anything in shared.
    #[default]
    None,
    Ints(Vec<i64>),
    /// Bits of singles.
    F32(Vec<u32>),
    /// Bits of doubles.
    F64(Vec<u64>),
}

impl Init {
    /// Number of elements given.
    pub fn len(&self) -> usize {
        match self {
            Init::None => 0,
            Init::Ints(v) => v.len(),
            Init::F32(v) => v.len(),
            Init::F64(v) => v.len(),
        }
    }

    /// Whether no element is given.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A variable in a state space.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Var {
    pub name: String,
    pub space: Space,
    pub ty: Ty,
    /// Number of elements; none for the dynamically sized shared array, whose
    /// length the launch gives.
    pub len: Option<u64>,
    /// Alignment in bytes; 0 means that of the type.
    pub align: u32,
    pub init: Init,
    /// Whether the host can look it up by name.
    pub visible: bool,
}

impl Var {
    /// A statically sized array without initial values.
    pub fn array(name: impl Into<String>, space: Space, ty: Ty, len: u64) -> Var {
        Var {
            name: name.into(),
            space,
            ty,
            len: Some(len),
            align: 0,
            init: Init::None,
            visible: false,
        }
    }

    /// The shared array whose size is given at launch.
    pub fn dynamic_shared(name: impl Into<String>, align: u32) -> Var {
        Var {
            len: None,
            align,
            ..Var::array(name, Space::Shared, Ty::B8, 0)
        }
    }

    /// The same, aligned to at least `align` bytes.
    pub fn aligned(mut self, align: u32) -> Var {
        self.align = align;
        self
    }

    /// The same, with initial values.
    pub fn with_init(mut self, init: Init) -> Var {
        self.init = init;
        self
    }

    /// Size in bytes; 0 for the dynamic array, saturating.
    pub fn bytes(&self) -> u64 {
        self.len
            .unwrap_or(0)
            .saturating_mul(u64::from(self.ty.bytes()))
    }

    /// Alignment in bytes.
    pub fn alignment(&self) -> u32 {
        self.align.max(self.ty.bytes()).max(1)
    }
}

/// What a kernel promises or asks about its launches.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LaunchBounds {
    /// Most threads of a block in x, y, z: `.maxntid`.
    pub max_threads: Option<[u32; 3]>,
    /// Exactly the threads of a block in x, y, z: `.reqntid`.
    pub required_threads: Option<[u32; 3]>,
    /// Blocks wanted on one SM at a time: `.minnctapersm`.
    pub min_blocks_per_sm: Option<u32>,
    /// Most registers a thread may use: `.maxnreg`.
    pub max_registers: Option<u32>,
    /// Exactly the blocks of a grid in x, y, z, where that is known. Not part
    /// of the text.
    pub grid: Option<[u32; 3]>,
}

/// A virtual register.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RegInfo {
    pub ty: RegTy,
    /// What to call it in the text, if anything; a number is added.
    pub name: Option<Box<str>>,
}

/// A basic block: straight-line code that ends in one unguarded terminator,
/// before which only guarded branches may leave it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Block {
    pub name: Option<Box<str>>,
    pub insts: Vec<InstId>,
}

/// A kernel or device function.
#[derive(Clone, Debug)]
pub struct Func {
    pub name: String,
    pub kind: FuncKind,
    /// Parameters in `.param` space: those of a kernel, or of a device function
    /// that takes none in registers.
    pub params: Vec<Param>,
    /// Parameters of a device function that arrive in registers.
    pub args: Vec<Reg>,
    /// The register that a device function returns, if any.
    pub result: Option<Reg>,
    /// What a device function returns in `.param` space, by position in `vars`.
    pub result_vars: Vec<u32>,
    pub bounds: LaunchBounds,
    /// Variables declared in the function: shared and local arrays, and in `.param`
    /// space what it hands to calls and gets from them.
    pub vars: Vec<Var>,
    pub regs: Arena<RegInfo, RegIds>,
    pub blocks: Arena<Block, BlockIds>,
    /// The blocks that exist, in textual order, the entry first.
    pub layout: Vec<BlockId>,
    pub insts: Arena<Inst, InstIds>,
    /// 64-bit registers that hold signed 32-bit numbers whenever their value
    /// matters, as whoever made the code promises. Not part of the text.
    pub promised: rustc_hash::FxHashSet<Reg>,
}

impl Func {
    /// A function without blocks.
    pub fn new(name: impl Into<String>, kind: FuncKind) -> Func {
        Func {
            name: name.into(),
            kind,
            params: Vec::new(),
            args: Vec::new(),
            result: None,
            result_vars: Vec::new(),
            bounds: LaunchBounds::default(),
            vars: Vec::new(),
            regs: Arena::new(),
            blocks: Arena::new(),
            layout: Vec::new(),
            insts: Arena::new(),
            promised: Default::default(),
        }
    }

    /// Adds a kernel parameter.
    pub fn add_param(&mut self, param: Param) -> Sym {
        self.params.push(param);
        Sym::Param(u32::try_from(self.params.len() - 1).unwrap_or(u32::MAX))
    }

    /// Adds a register parameter of a device function.
    pub fn add_arg(&mut self, ty: RegTy) -> Reg {
        let reg = self.new_reg(ty);
        self.args.push(reg);
        reg
    }

    /// Whether it gets or passes anything in `.param` space by calls.
    pub fn has_call_params(&self) -> bool {
        self.kind == FuncKind::Device && !self.params.is_empty()
            || self.vars.iter().any(|v| v.space == Space::Param)
    }

    /// Adds a variable inside the function.
    pub fn add_var(&mut self, var: Var) -> Sym {
        self.vars.push(var);
        Sym::Local(u32::try_from(self.vars.len() - 1).unwrap_or(u32::MAX))
    }

    /// A fresh register.
    pub fn new_reg(&mut self, ty: RegTy) -> Reg {
        self.regs.alloc(RegInfo { ty, name: None })
    }

    /// A fresh register with a readable name.
    pub fn named_reg(&mut self, ty: RegTy, name: &str) -> Reg {
        self.regs.alloc(RegInfo {
            ty,
            name: Some(name.into()),
        })
    }

    /// A fresh block at the end of the layout.
    pub fn new_block(&mut self, name: &str) -> BlockId {
        let id = self.blocks.alloc(Block {
            name: (!name.is_empty()).then(|| name.into()),
            insts: Vec::new(),
        });
        self.layout.push(id);
        id
    }

    /// Appends an instruction to a block.
    pub fn push(&mut self, block: BlockId, inst: Inst) -> InstId {
        let id = self.insts.alloc(inst);
        self.blocks[block].insts.push(id);
        id
    }

    /// The declared type of a register; none if it is not this function's.
    pub fn reg_ty(&self, reg: Reg) -> Option<RegTy> {
        self.regs.get(reg).map(|r| r.ty)
    }

    /// The instructions in textual order.
    pub fn insts_in_layout(&self) -> impl Iterator<Item = &Inst> {
        self.layout
            .iter()
            .filter_map(|b| self.blocks.get(*b))
            .flat_map(|b| b.insts.iter())
            .filter_map(|i| self.insts.get(*i))
    }

    /// Number of instructions in the layout.
    pub fn inst_count(&self) -> usize {
        self.layout
            .iter()
            .filter_map(|b| self.blocks.get(*b))
            .map(|b| b.insts.len())
            .sum()
    }

    /// Bytes of statically sized shared memory declared in the function, with
    /// the padding of a layout in order of declaration.
    pub fn static_shared_bytes(&self) -> u64 {
        shared_bytes(&self.vars)
    }

    /// Bytes of local memory that the function's variables take, laid out likewise.
    pub fn local_bytes(&self) -> u64 {
        laid_out(&self.vars, Space::Local)
    }

    /// Bytes of parameters, laid out like a C structure.
    pub fn param_bytes(&self) -> u64 {
        self.params.iter().fold(0, |at, p| {
            let align = u64::from(p.alignment().max(1));
            at.div_ceil(align) * align + p.bytes()
        })
    }
}

/// Bytes of the statically sized shared variables among `vars`, saturating.
pub fn shared_bytes(vars: &[Var]) -> u64 {
    laid_out(vars, Space::Shared)
}

fn laid_out(vars: &[Var], space: Space) -> u64 {
    vars.iter()
        .filter(|v| v.space == space && v.len.is_some())
        .fold(0u64, |at, v| {
            let align = u64::from(v.alignment());
            at.div_ceil(align)
                .saturating_mul(align)
                .saturating_add(v.bytes())
        })
}

/// The variable that a symbol names, module scope or function scope.
pub fn var_of<'a>(module: &'a Module, func: &'a Func, sym: Sym) -> Option<&'a Var> {
    match sym {
        Sym::Param(_) => None,
        Sym::Global(i) => module.vars.get(i as usize),
        Sym::Local(i) => func.vars.get(i as usize),
    }
}
