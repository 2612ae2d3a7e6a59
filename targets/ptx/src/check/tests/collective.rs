//! Matrix products, asynchronous copies, carries.

use super::*;
use crate::modifiers::{Cache, Evict, FetchSize, Shape};
use crate::print;

/// A kernel with a tile in shared memory and a pointer; what `build` makes of it.
fn kernel(sm: u16, build: impl FnOnce(&mut FuncBuilder<'_>, Sym, Reg)) -> Module {
    let mut module = Module::new(Arch::sm(sm));
    let id = module.add_kernel("k");
    let tile = module.funcs[id].add_var(Var::array("tile", Space::Shared, Ty::B8, 64).aligned(16));
    let data = module.funcs[id].add_param(Param::global_pointer("data", 16));
    let mut b = FuncBuilder::new(&mut module.funcs[id]);
    let pointer = b.ld_param(Ty::U64, data);
    build(&mut b, tile, pointer);
    b.ret();
    module.fit_version();
    module
}

fn text(module: &Module) -> String {
    texts(module).join("\n")
}

#[test]
fn copies_of_sizes_and_places_that_there_are_not() {
    let module = kernel(80, |b, tile, p| {
        b.cp_async(Cache::Ca, tile, p, 16);
        b.cp_async_zero_fill(Cache::Cg, tile, (p, 16), 16, 4);
        b.cp_async_commit();
        b.cp_async_wait(0);
    });
    assert_eq!(text(&module), "");
    assert!(
        print(&module).contains("cp.async.cg.shared.global [tile], [%rd1+16], 16, 4;"),
        "{}",
        print(&module)
    );
    let wrong = text(&kernel(80, |b, tile, p| {
        b.cp_async(Cache::Ca, tile, p, 12);
        b.cp_async(Cache::Cg, tile, p, 8);
        b.cp_async(Cache::Ca, p, tile, 8);
        b.cp_async(Cache::Ca, (tile, 4), p, 8);
        b.cp_async(Cache::Ca, (tile, 56), p, 16);
        b.cp_async_zero_fill(Cache::Ca, tile, p, 4, 8);
    }));
    for expected in [
        "found 12 as operand 3; expected 4 or 8 or 16",
        "found 8 as operand 3; expected 16",
        "found an address in .shared for this access; expected an address in .global",
        "found an address that is 4 modulo 16 for an access of 8 bytes",
        "found an access to bytes 56 to 72 of a symbol of 64 bytes",
        "found 8 bytes to read for a copy of 4; expected at most 4",
    ] {
        assert!(wrong.contains(expected), "{expected} in\n{wrong}");
    }
    let early = text(&kernel(75, |b, tile, p| b.cp_async(Cache::Ca, tile, p, 4)));
    assert!(early.contains("expected target sm_80 or later"), "{early}");
}

#[test]
fn products_with_the_wrong_number_or_type_of_registers() {
    let halves = [Ty::F32, Ty::F16, Ty::F16, Ty::F32];
    let module = kernel(80, |b, tile, _| {
        let a = b.ldmatrix(4, false, tile);
        let bb = b.ldmatrix(2, true, tile);
        let zero = b.mov(Ty::F32, 0.0f32);
        let d = b.mma(Shape::M16n8k16, halves, &a, &bb, &[zero; 4]);
        assert_eq!(d.len(), 4);
        b.mma_to(&d, Shape::M16n8k8, halves, &a[..2], &bb[..1]);
    });
    assert_eq!(text(&module), "");
    let wrong = text(&kernel(80, |b, tile, _| {
        let a = b.ldmatrix(4, false, tile);
        let zero = b.mov(Ty::F64, 0.0f64);
        b.mma(Shape::M16n8k16, halves, &a, &a, &[zero; 4]);
        b.mma(Shape::M16n8k32, halves, &a, &a, &[zero; 4]);
        b.ldmatrix(4, false, (tile, 8));
    }));
    for expected in [
        "found a list of 4 registers as operand 3; expected a list of two registers",
        "found a .f64 register as operand 4 of type .f32",
        "modifier .m16n8k32",
        "found an address that is 8 modulo 16 for an access of 16 bytes",
    ] {
        assert!(wrong.contains(expected), "{expected} in\n{wrong}");
    }
    let doubles = text(&kernel(80, |b, _, _| {
        let x = b.mov(Ty::F64, 1.0f64);
        b.mma(Shape::M8n8k4, [Ty::F64; 4], &[x], &[x], &[x, x]);
        b.mma(Shape::M16n8k4, [Ty::F64; 4], &[x, x], &[x], &[x; 4]);
    }));
    assert_eq!(doubles.lines().count(), 1, "{doubles}");
    assert!(
        doubles.contains("expected target sm_90 or later"),
        "{doubles}"
    );
}

#[test]
fn hints_of_caches_below_their_architecture() {
    let load = |mods: Mods| {
        move |b: &mut FuncBuilder<'_>, _, p: Reg| {
            b.ld_vec(mods, Ty::U32, 1, p);
        }
    };
    let global = Mods {
        space: Space::Global,
        ..Mods::default()
    };
    let last = Mods {
        evict: Evict::Last,
        fetch: FetchSize::B128,
        ..global
    };
    assert_eq!(text(&kernel(75, load(last))), "");
    assert!(print(&kernel(75, load(last))).contains("ld.global.L1::evict_last.L2::128B.u32"),);
    assert!(text(&kernel(70, load(last))).contains("sm_75 or later"));
    let wide = Mods {
        fetch: FetchSize::B256,
        ..global
    };
    assert!(text(&kernel(75, load(wide))).contains("sm_80 or later"));
    let shared = Mods {
        evict: Evict::Last,
        space: Space::Shared,
        ..global
    };
    assert!(text(&kernel(90, load(shared))).contains("on ld"));
}

#[test]
fn carries_stay_in_order_and_are_not_dropped() {
    let mut module = kernel(70, |b, _, _| {
        let x = b.mov(Ty::U32, -1);
        let low = b.add_cc(Ty::U32, x, 1);
        let again = b.add_cc(Ty::U32, x, 1);
        let high = b.addc(Ty::U32, x, 0);
        let _ = (low, again, high);
    });
    for (_, func) in module.funcs.iter_mut() {
        crate::cleanup::run(func);
    }
    let after = print(&module);
    assert_eq!(after.matches("add.cc.u32").count(), 2, "{after}");
    assert!(after.contains("addc.u32"), "{after}");
}
