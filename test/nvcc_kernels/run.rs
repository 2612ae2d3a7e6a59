//! Compiles a kernel of `benches/gpu/nvcc/kernels` at its small sizes and runs it on the
//! emulator.

use terrace::dialects::gpu::ModuleOp;
use terrace::ir::OpKind;
use terrace::passes::pipeline::{self, GpuPipelineOptions};
use terrace::run::executor::Program;
use terrace::targets::gpu_to_ptx::{GpuBinary, GpuOptions, ParamKind, compile};
use terrace::targets::ptx::optimize::Level;
use terrace_emulator::{Checks, Config, Finding, Launch, Memory, Module, launch};

/// What a buffer holds.
#[derive(Clone, Debug)]
pub enum Data {
    F32(Vec<f32>),
    F64(Vec<f64>),
    I32(Vec<i32>),
    U8(Vec<u8>),
    /// Bits of halves; no kernel leaves any.
    F16(Vec<u16>),
}

impl Data {
    pub fn bytes(&self) -> Vec<u8> {
        match self {
            Data::F32(v) => v.iter().flat_map(|x| x.to_le_bytes()).collect(),
            Data::F64(v) => v.iter().flat_map(|x| x.to_le_bytes()).collect(),
            Data::I32(v) => v.iter().flat_map(|x| x.to_le_bytes()).collect(),
            Data::U8(v) => v.clone(),
            Data::F16(v) => v.iter().flat_map(|x| x.to_le_bytes()).collect(),
        }
    }

    /// The same type from the bytes that a kernel left, as numbers.
    pub fn numbers(&self, bytes: &[u8]) -> Vec<f64> {
        let four = |c: &[u8]| <[u8; 4]>::try_from(c).expect("four bytes");
        match self {
            Data::F32(_) => bytes
                .chunks(4)
                .map(|c| f64::from(f32::from_le_bytes(four(c))))
                .collect(),
            Data::F64(_) => bytes
                .chunks(8)
                .map(|c| f64::from_le_bytes(c.try_into().expect("eight bytes")))
                .collect(),
            Data::I32(_) => bytes
                .chunks(4)
                .map(|c| f64::from(i32::from_le_bytes(four(c))))
                .collect(),
            Data::F16(_) => panic!("halves are not read back"),
            Data::U8(_) => bytes.iter().map(|b| f64::from(*b)).collect(),
        }
    }
}

/// An argument of a kernel.
#[derive(Clone, Debug)]
pub enum Arg {
    Int(i32),
    Float(f32),
    /// Contents and all sizes of the memref.
    Buffer(Data, Vec<usize>),
    /// Memory that nobody has written, of so many bytes.
    Unwritten(usize, Vec<usize>),
}

/// The text with its small sizes put in: lines `// @N@ = 4096, small 64` tell them.
pub fn source(name: &str) -> (String, Vec<(String, usize)>) {
    let path = format!(
        "{}/benches/gpu/nvcc/kernels/{name}.mlir",
        env!("CARGO_MANIFEST_DIR")
    );
    let mut text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
    let sizes: Vec<(String, usize)> = text
        .lines()
        .filter_map(|l| {
            let (name, values) = l.strip_prefix("// @")?.split_once("@ = ")?;
            let small = values.split_once("small ")?.1.trim();
            Some((name.to_string(), small.parse().expect("a size")))
        })
        .collect();
    for (n, v) in &sizes {
        text = text.replace(&format!("@{n}@"), &v.to_string());
    }
    (text, sizes)
}

pub fn compiled(name: &str, level: Level) -> GpuBinary {
    compiled_text(name, &source(name).0, level)
}

pub fn compiled_text(name: &str, text: &str, level: Level) -> GpuBinary {
    let mut p = Program::new(name, text).unwrap_or_else(|d| panic!("{name}: {d:?}"));
    p.run(&pipeline::gpu(&GpuPipelineOptions::default()))
        .unwrap_or_else(|d| panic!("{name}: {d:?}"));
    let modules = p.module.find_all::<ModuleOp>(&p.ctx);
    let options = GpuOptions {
        level,
        loc_lines: true,
        ..GpuOptions::default()
    };
    compile(&p.ctx, modules[0].op(), &options).unwrap_or_else(|e| panic!("{name}: {e:?}"))
}

/// The bytes of each buffer after a launch; all checks of the emulator are on.
pub fn run(binary: &GpuBinary, grid: [u32; 3], block: [u32; 3], args: &[Arg]) -> Vec<Vec<u8>> {
    let memory = Memory::new(1 << 30);
    let module = Module::load(&memory, &binary.ptx).unwrap_or_else(|e| panic!("{e}"));
    let info = &binary.kernels[0];
    let at: Vec<u64> = args
        .iter()
        .map(|a| match a {
            Arg::Int(_) | Arg::Float(_) => 0,
            Arg::Unwritten(n, _) => memory.alloc(*n as u64).expect("memory"),
            Arg::Buffer(d, _) => {
                let bytes = d.bytes();
                let at = memory.alloc(bytes.len() as u64).expect("memory");
                memory.write(at, &bytes).expect("it is allocated");
                at
            }
        })
        .collect();
    let mut params: Vec<u8> = Vec::new();
    for p in &info.params {
        let bytes: Vec<u8> = match *p {
            ParamKind::Pointer { arg } => at[arg].to_le_bytes().to_vec(),
            ParamKind::Size { arg, dim } => match &args[arg] {
                Arg::Buffer(_, s) | Arg::Unwritten(_, s) => (s[dim] as u64).to_le_bytes().to_vec(),
                a => panic!("{a:?} has no size"),
            },
            ParamKind::Stride { arg, dim } => match &args[arg] {
                Arg::Buffer(_, s) | Arg::Unwritten(_, s) => {
                    let stride: usize = s[dim + 1..].iter().product();
                    (stride as u64).to_le_bytes().to_vec()
                }
                a => panic!("{a:?} has no stride"),
            },
            ParamKind::Scalar { arg, .. } => match args[arg] {
                Arg::Int(i) => i.to_le_bytes().to_vec(),
                Arg::Float(f) => f.to_le_bytes().to_vec(),
                ref a => panic!("{a:?} is no scalar"),
            },
            ParamKind::Offset { .. } => panic!("no memref has an offset"),
        };
        params.resize(params.len().next_multiple_of(bytes.len()), 0);
        params.extend(bytes);
    }
    let run = Launch {
        kernel: module.kernel(&info.entry).expect("the kernel"),
        config: Config {
            grid,
            block,
            shared_bytes: 0,
        },
        params: &params,
    };
    let checks = Checks {
        races: true,
        uninitialized: true,
        registers: true,
        ..Checks::default()
    };
    let outcome = launch(&memory, &run, &checks).unwrap_or_else(|e| panic!("{e}"));
    let found: Vec<String> = outcome.findings.iter().map(Finding::to_string).collect();
    assert!(
        outcome.completed && found.is_empty(),
        "{}\n{}",
        found.join("\n"),
        binary.ptx
    );
    args.iter()
        .zip(at)
        .map(|(a, at)| {
            let len = match a {
                Arg::Int(_) | Arg::Float(_) => 0,
                Arg::Unwritten(n, _) => *n,
                Arg::Buffer(d, _) => d.bytes().len(),
            };
            let mut bytes = vec![0; len];
            if len > 0 {
                memory.read(at, &mut bytes).expect("it is allocated");
            }
            bytes
        })
        .collect()
}
