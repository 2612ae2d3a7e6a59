//! Names, variables, parameters and launch bounds against what the machine
//! and PTX allow.

use super::{Finding, Reporter, Rule, Severity};
use crate::inst::Loc;
use crate::machine;
use crate::modifiers::Space;
use crate::module::{FuncKind, Init, Module, Var, shared_bytes};
use crate::names::is_identifier;
use crate::types::{RegTy, Ty};
use rustc_hash::FxHashSet;

fn module_error(findings: &mut Vec<Finding>, rule: Rule, found: String, expected: String) {
    findings.push(Finding {
        severity: Severity::Error,
        rule,
        func: None,
        func_name: String::new(),
        place: None,
        loc: Loc::default(),
        text: String::new(),
        found,
        expected,
    });
}

pub(super) fn check_module(module: &Module, findings: &mut Vec<Finding>) {
    let need = module.arch.ptx_version();
    if module.version < need {
        module_error(
            findings,
            Rule::Arch,
            format!(
                "PTX {}.{} for target {}",
                module.version.0, module.version.1, module.arch
            ),
            format!("PTX {}.{} or later", need.0, need.1),
        );
    }
    let mut names = FxHashSet::default();
    let symbols = module.vars.iter().map(|v| v.name.as_str());
    for name in symbols.chain(module.funcs.iter().map(|(_, f)| f.name.as_str())) {
        check_name(name, &mut names, |found, expected| {
            module_error(findings, Rule::Name, found, expected);
        });
    }
    for var in &module.vars {
        check_var(var, |found, expected| {
            module_error(findings, Rule::Limit, found, expected);
        });
        if var.space == Space::Param {
            module_error(
                findings,
                Rule::StateSpace,
                format!("variable {} in .param at module scope", var.name),
                "global, shared or constant memory".to_string(),
            );
        }
        if var.space == Space::Local {
            module_error(
                findings,
                Rule::StateSpace,
                format!("local variable {} at module scope", var.name),
                "a local variable inside a function".to_string(),
            );
        }
    }
    let Some(machine) = machine::by_arch(module.arch) else {
        return;
    };
    let constant = module
        .vars
        .iter()
        .filter(|v| v.space == Space::Const)
        .fold(0u64, |sum, v| sum.saturating_add(v.bytes()));
    if constant > u64::from(machine.constant_bytes) {
        module_error(
            findings,
            Rule::Limit,
            format!("{constant} bytes of constant memory"),
            format!("at most {}", machine.constant_bytes),
        );
    }
}

fn check_name<'a>(
    name: &'a str,
    seen: &mut FxHashSet<&'a str>,
    mut report: impl FnMut(String, String),
) {
    if !is_identifier(name) {
        report(
            format!("the name '{name}'"),
            "letters, digits, _ and $, not starting with a digit".to_string(),
        );
    } else if !seen.insert(name) {
        report(
            format!("the name '{name}' twice"),
            "distinct names".to_string(),
        );
    }
}

fn check_var(var: &Var, mut report: impl FnMut(String, String)) {
    let name = &var.name;
    if !var.alignment().is_power_of_two() {
        report(
            format!("alignment {} of {name}", var.alignment()),
            "a power of two".to_string(),
        );
    }
    if matches!(var.ty, Ty::None | Ty::Pred | Ty::Tf32) || var.ty.bits() == 0 {
        report(
            format!("elements of type {} in {name}", var.ty),
            "a type that can be stored".to_string(),
        );
    }
    if var.len == Some(0) {
        report(format!("no elements in {name}"), "at least one".to_string());
    }
    if var.len.is_none() && var.space != Space::Shared {
        report(
            format!("no length of {name}"),
            "a length; only shared memory is sized at launch".to_string(),
        );
    }
    if var.init.is_empty() {
        return;
    }
    if !matches!(var.space, Space::Global | Space::Generic | Space::Const) {
        report(
            format!("initial values of {name} in {}", var.space.suffix()),
            "initial values in global or constant memory only".to_string(),
        );
    }
    let given = var.init.len() as u64;
    if var.len.is_some_and(|len| given > len) {
        report(
            format!("{given} initial values in {name}"),
            format!("at most {}", var.len.unwrap_or(0)),
        );
    }
    let fits = match &var.init {
        Init::None => true,
        Init::Ints(values) => {
            let bits = var.ty.bits();
            !var.ty.is_float()
                && values
                    .iter()
                    .all(|v| bits >= 64 || (-(1i64 << (bits - 1))..1i64 << bits).contains(v))
        }
        Init::F32(_) => var.ty == Ty::F32,
        Init::F64(_) => var.ty == Ty::F64,
    };
    if !fits {
        report(
            format!("initial values in {name} that do not fit {}", var.ty),
            format!("values of type {}", var.ty),
        );
    }
}

pub(super) fn check_func(r: &mut Reporter<'_>) {
    let (module, func) = (r.module, r.func);
    let mut found = Vec::new();
    let mut names: FxHashSet<&str> = module.vars.iter().map(|v| v.name.as_str()).collect();
    let symbols = func.params.iter().map(|p| p.name.as_str());
    for name in symbols.chain(func.vars.iter().map(|v| v.name.as_str())) {
        check_name(name, &mut names, |f, e| found.push((Rule::Name, f, e)));
    }
    for var in &func.vars {
        check_var(var, |f, e| found.push((Rule::Limit, f, e)));
        if var.len.is_none() {
            found.push((
                Rule::StateSpace,
                format!("dynamic shared array {} inside a function", var.name),
                "a dynamic shared array at module scope".to_string(),
            ));
        }
        if !matches!(var.space, Space::Shared | Space::Local | Space::Param) {
            found.push((
                Rule::StateSpace,
                format!(
                    "variable {} in {} inside a function",
                    var.name,
                    var.space.suffix()
                ),
                "shared, local or parameter memory".to_string(),
            ));
        }
    }
    for param in &func.params {
        if !param.alignment().is_power_of_two() || param.ty.bits() < 8 || param.len == Some(0) {
            found.push((
                Rule::Limit,
                format!("parameter {} of type {}", param.name, param.ty),
                "elements of at least a byte, aligned to a power of two".to_string(),
            ));
        }
    }
    match func.kind {
        FuncKind::Device => {
            let both = |a: bool, b: bool| a && b;
            if both(!func.params.is_empty(), !func.args.is_empty())
                || both(!func.result_vars.is_empty(), func.result.is_some())
            {
                found.push((
                    Rule::Call,
                    "arguments or results both in registers and in .param".to_string(),
                    "one of the two".to_string(),
                ));
            }
            let of_params = |at: &u32| {
                let var = func.vars.get(*at as usize);
                var.is_some_and(|v| v.space == Space::Param)
            };
            if !func.result_vars.iter().all(of_params) {
                found.push((
                    Rule::Call,
                    "a result that is no variable in .param".to_string(),
                    "a variable of the function in .param".to_string(),
                ));
            }
            for reg in func.args.iter().chain(func.result.as_slice()) {
                if matches!(func.reg_ty(*reg), None | Some(RegTy::Pred)) {
                    found.push((
                        Rule::Call,
                        "a predicate, or no register, as argument or result".to_string(),
                        "a register of 16, 32 or 64 bits".to_string(),
                    ));
                }
            }
        }
        FuncKind::Kernel => {
            if !func.args.is_empty() || func.result.is_some() || !func.result_vars.is_empty() {
                found.push((
                    Rule::Call,
                    "register arguments or a result on a kernel".to_string(),
                    "parameters".to_string(),
                ));
            }
            check_kernel(r, &mut found);
        }
    }
    for (rule, f, e) in found {
        r.push(Severity::Error, rule, None, f, e);
    }
}

fn check_kernel(r: &Reporter<'_>, found: &mut Vec<(Rule, String, String)>) {
    let (module, func) = (r.module, r.func);
    let Some(machine) = machine::by_arch(module.arch) else {
        return;
    };
    let mut limit = |found_: String, expected: String| found.push((Rule::Limit, found_, expected));
    let params = func.param_bytes();
    let most = machine.param_bytes(module.version);
    if params > u64::from(most) {
        limit(
            format!("{params} bytes of parameters"),
            format!(
                "at most {most} in PTX {}.{} on {}",
                module.version.0, module.version.1, module.arch
            ),
        );
    }
    // Module variables count for every kernel, used or not; the assembler
    // counts only those used, so this is the safe side.
    let shared = shared_bytes(&module.vars).saturating_add(func.static_shared_bytes());
    if shared > u64::from(machine.shared_per_block) {
        limit(
            format!("{shared} bytes of static shared memory"),
            format!(
                "at most {} ({} as dynamic shared memory on {})",
                machine.shared_per_block, machine.shared_per_block_opt_in, module.arch
            ),
        );
    }
    let bounds = &func.bounds;
    for (name, dims) in [
        (".maxntid", bounds.max_threads),
        (".reqntid", bounds.required_threads),
    ] {
        let Some(dims) = dims else { continue };
        let threads = dims
            .iter()
            .fold(1u64, |n, d| n.saturating_mul(u64::from(*d)));
        let sides_fit = dims
            .iter()
            .zip(machine.max_block)
            .all(|(d, most)| *d <= most);
        if threads == 0 || threads > u64::from(machine.max_threads_per_block) || !sides_fit {
            let [x, y, z] = machine.max_block;
            limit(
                format!(
                    "{name} {}, {}, {} ({threads} threads)",
                    dims[0], dims[1], dims[2]
                ),
                format!(
                    "1 to {} threads, at most {x}, {y}, {z} on {}",
                    machine.max_threads_per_block, module.arch
                ),
            );
        }
        let warps = threads.div_ceil(u64::from(machine.warp_size));
        let slots = u64::from(machine.max_threads_per_sm / machine.warp_size);
        if let Some(blocks) = bounds.min_blocks_per_sm
            && warps.saturating_mul(u64::from(blocks)) > slots
        {
            limit(
                format!("{blocks} blocks of {threads} threads on one SM"),
                format!(
                    "at most {} threads on one SM of {}",
                    machine.max_threads_per_sm, module.arch
                ),
            );
        }
    }
    if let Some(blocks) = bounds.min_blocks_per_sm
        && !(1..=machine.max_blocks_per_sm).contains(&blocks)
    {
        limit(
            format!(".minnctapersm {blocks}"),
            format!("1 to {}", machine.max_blocks_per_sm),
        );
    }
    if let Some(regs) = bounds.max_registers
        && !(1..=machine.max_registers_per_thread).contains(&regs)
    {
        limit(
            format!(".maxnreg {regs}"),
            format!("1 to {}", machine.max_registers_per_thread),
        );
    }
    if bounds.max_threads.is_some() && bounds.required_threads.is_some() {
        limit(
            ".maxntid and .reqntid together".to_string(),
            "one of them".to_string(),
        );
    }
}
