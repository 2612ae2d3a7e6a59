use super::super::{Level, Options};
use super::run;
use crate::module::Module;
use crate::parse::parse;
use crate::print;

/// Kernels that copy `elements` singles that lie next to each other.
fn module(kernels: &[(&str, usize)]) -> Module {
    let mut text = ".version 7.8\n.target sm_90\n.address_size 64\n".to_string();
    for (name, elements) in kernels {
        text += &format!(
            ".visible .entry {name}(.param .u64 .ptr .global .align 4 a, \
             .param .u64 .ptr .global .align 4 b)\n{{\n.reg .b64 %rd<3>; .reg .b32 %f<9>;\n\
             ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b];\n"
        );
        for i in 0..*elements {
            text += &format!("ld.global.b32 %f{i}, [%rd1+{}];\n", 4 * i);
        }
        for i in 0..*elements {
            text += &format!("st.global.b32 [%rd2+{}], %f{i};\n", 4 * i);
        }
        text += "ret;\n}\n";
    }
    parse(&text).expect("the text is PTX").module
}

fn names(module: &Module) -> Vec<&str> {
    module.funcs.iter().map(|(_, f)| f.name.as_str()).collect()
}

fn aligned(align: u32) -> Options {
    Options {
        level: Level::Default,
        aligned: Some(align),
    }
}

#[test]
fn what_gains_by_alignment_is_there_twice() {
    let mut m = module(&[("four", 4), ("one", 1)]);
    let forms = run(&mut m, &aligned(16), None);
    assert_eq!(names(&m), ["four", "one", "four_unaligned"]);
    let [forms] = forms[..] else {
        panic!("{forms:?}")
    };
    let text = |id| print::print_func(&m, &m.funcs[id]);
    assert!(
        text(forms.aligned).contains("ld.global.v4"),
        "{}",
        print(&m)
    );
    assert!(text(forms.aligned).contains(".align 16"), "{}", print(&m));
    assert!(!text(forms.any).contains(".v4") && !text(forms.any).contains(".align 16"));
    // The other kernel does not ask for what it has no use for.
    let one = m.funcs.iter().find(|(_, f)| f.name == "one").map(|f| f.0);
    assert!(!text(one.expect("the kernel")).contains(".align 16"));
}

#[test]
fn the_other_form_has_a_name_of_its_own() {
    let mut m = module(&[("four", 4), ("four_unaligned", 1)]);
    run(&mut m, &aligned(16), None);
    assert_eq!(names(&m), ["four", "four_unaligned", "four_unaligned_"]);
}

#[test]
fn where_nobody_asks_there_is_one_form() {
    let mut m = module(&[("four", 4)]);
    assert!(run(&mut m, &Options::default(), None).is_empty());
    assert_eq!(names(&m), ["four"]);
    assert!(!print(&m).contains(".v4"));
}

#[test]
fn threads_make_the_code_that_one_makes() {
    // Enough instructions for threads.
    let kernels: Vec<(String, usize)> = (0..40).map(|i| (format!("k{i}"), 8)).collect();
    let kernels: Vec<(&str, usize)> = kernels.iter().map(|(n, k)| (n.as_str(), *k)).collect();
    let mut together = module(&kernels);
    run(&mut together, &aligned(16), None);
    let mut alone = module(&kernels[..1]);
    run(&mut alone, &aligned(16), None);
    let of = |m: &Module, name: &str| {
        let (_, func) = m.funcs.iter().find(|(_, f)| f.name == name).expect("it");
        print::print_func(m, func)
    };
    for form in ["", "_unaligned"] {
        let one = of(&alone, &format!("k0{form}"));
        for (k, _) in &kernels {
            let name = format!("{k}{form}");
            let renamed = one.replacen(&format!("k0{form}("), &format!("{name}("), 1);
            assert_eq!(of(&together, &name), renamed);
        }
    }
}

#[test]
fn passes_are_told_in_the_order_of_functions() {
    let mut m = module(&[("two", 2), ("four", 4)]);
    let mut told: Vec<String> = Vec::new();
    let mut tell = |pass: &'static str, m: &Module, id, changes: usize| {
        told.push(format!("{} {pass} {changes}", m.funcs[id].name));
    };
    run(&mut m, &aligned(16), Some(&mut tell));
    // Pairs are joined into one, and fours.
    assert_eq!(told, ["two vectorize 2", "four vectorize 6"]);
}
