//! What is said of wrong models, word for word.

use terrace_formulas::read;
use terrace_ir::Context;
use terrace_ir::diag::{Renderer, SourceFile};

fn context() -> Context {
    let mut ctx = Context::new();
    terrace_dialects::register_all(&mut ctx);
    ctx
}

/// All that is said of a text.
fn said(text: &str) -> String {
    let file = SourceFile::new("m.tf", text).unwrap();
    match read(&mut context(), &file) {
        Ok(_) => String::new(),
        Err(all) => Renderer::new(&file).render_all(&all),
    }
}

/// The messages alone, with their places.
fn messages(text: &str) -> Vec<String> {
    let said = said(text);
    said.lines()
        .filter(|l| l.starts_with("m.tf:"))
        .map(|l| l.trim_start_matches("m.tf:").to_string())
        .collect()
}

const HEAD: &str = "model m(N: index; h: real) precision f64\n";

#[test]
fn the_text_is_shown_under_its_message() {
    let text = format!("{HEAD}array U(i: 0..N)\ncompute U(i) = V[i]*h\n");
    assert_eq!(
        said(&text),
        "m.tf:3:16: error: there is no array `V`\ncompute U(i) = V[i]*h\n               ^\n"
    );
}

#[test]
fn several_at_once() {
    let text = format!(
        "{HEAD}array U(i: 0..N\narray V(i: 0..N)\nmacro T(i) = \ncompute V(i) = U[i] +* 2\ncompute V(i) = h\n"
    );
    assert_eq!(
        messages(&text),
        [
            "3:1: error: found `array`, expected `)`",
            "5:1: error: `compute` is a word of the language; expected a formula",
            "5:22: error: found `*`, expected a formula",
        ]
    );
}

#[test]
fn names() {
    let text = format!(
        "{HEAD}array RHO(i: 0..N)\narray RHO(i: 0..N)\ncompute RHO(i) = RH0[i] + g*RHO[i] + RHO + RHO[i,i] + RHO[j] + sqrt(1,2)\n"
    );
    assert_eq!(
        messages(&text),
        [
            "3:7: error: `RHO` is declared twice",
            "2:7: note: the first one is here",
            "4:18: error: there is no array `RH0`; there is `RHO`",
            "4:27: error: `g` is not declared",
            "4:38: error: `RHO` is an array; expected an element, `RHO[i]`",
            "4:44: error: `RHO` has 1 indices, and 2 are given",
            "4:59: error: `j` is no index; there is `i`, `N`",
            "4:64: error: `sqrt` takes 1, and 2 are given",
        ]
    );
}

#[test]
fn subscripts_are_affine() {
    let text = format!("{HEAD}array U(i: 0..N)\ncompute U(i) = U[i*i] + U[h] + U[2.5] + U[U[i]]\n");
    assert_eq!(
        messages(&text),
        [
            "3:18: error: a subscript is a sum of multiples of indices; here two are multiplied",
            "3:27: error: `h` is no index; there is `i`, `N`",
            "3:34: error: this is no subscript; expected a sum of multiples of indices and a whole number",
            "3:43: error: this is no subscript; expected a sum of multiples of indices and a whole number",
        ]
    );
}

#[test]
fn layouts() {
    let text = format!(
        "{HEAD}array U(i: 0..N, k: 0..N) order k\narray V(i: 0..N) bands j 2\narray W(i: 0..N, i: 1..N)\narray X(i: 0..N, k: 0..N) same k, order k i\n"
    );
    assert_eq!(
        messages(&text),
        [
            "2:33: error: `order` leaves out `i`",
            "3:24: error: `j` is no index of `V`, which has `i`",
            "4:18: error: `W` has two indices `i`",
            "5:41: error: `k` has no place in memory; `order` names each other index once",
        ]
    );
}

#[test]
fn statements() {
    let text = format!(
        "{HEAD}array U(i: 0..N)\narray V(i: 0..N)\narray W(i: 1..N)\ncompute U, V (i) = h\ncompute U, V (i) U = h\ncompute U (i) V = h\ncompute U, W (i) U = h W = h\ncompute U(i) carried k parallel i = h\ncompute U(i) carried i parallel i = h\ncompute U(N skip 1 1) = h\ncompute U(i) with t = h; t = h = t\n"
    );
    assert_eq!(
        messages(&text),
        ["5:20: error: several arrays are computed; expected `ARRAY = formula` for each of them"],
        "what is no model is not looked into"
    );
    let text = text
        .replace("compute U, V (i) = h\n", "\n")
        .replace("compute U(N skip 1 1) = h\n", "\n");
    assert_eq!(
        messages(&text),
        [
            "6:12: error: `V` is computed here, and has no formula",
            "7:9: error: `U` is computed here, and has no formula",
            "7:15: error: `V` is not computed here; the statement computes `U`",
            "8:12: error: `W` and `U` have other indices; a statement computes arrays of one range",
            "9:22: error: `k` is no index of the statement, which has `i`",
            "10:1: error: `i` is carried, so its points wait for each other",
            "12:26: error: the temporary `t` is defined twice",
        ]
    );
}

#[test]
fn indices_that_are_never_there() {
    let text = format!(
        "{HEAD}array U(i: 1..N)\narray D(i: 1..N by 2)\ncompute U(i) = U[0]\ncompute U(i) = D[2*i]\ncompute U(i skip 0 1) = U[i+N]\ncompute U(i) = D[i]\nedge U(N+1) = h\n"
    );
    assert_eq!(
        messages(&text),
        [
            "4:16: error: `U` has no such index `i`: with N = 1, i = 1 it is 0, and the array goes from 1 to 1",
            "5:16: error: `D` has only each second index `i` from 1: with N = 2, i = 1 it is 2",
            "6:25: error: `U` has no such index `i`: with N = 2, i = 1 it is 3, and the array goes from 1 to 2",
            "7:16: error: `D` has only each second index `i` from 1: with N = 2, i = 2 it is 2",
            "8:6: error: `U` has no such index `i`: with N = 0 it is 1, and the array goes from 1 to 0",
        ]
    );
}

#[test]
fn what_is_perhaps_there_is_checked_later() {
    let text = format!(
        "{HEAD}array U(i: 1..N)\ncompute U(i) = U[3]\ncompute U(i skip 0 1) = U[i+1]\ncompute U(i skip 1 0) = U[N+1-i] + U[i-1]\n"
    );
    assert_eq!(said(&text), "");
}

/// The range of a statement is wrong for all sizes that it has points for.
#[test]
fn indices_that_are_outside_at_the_ends() {
    let text = format!(
        "{HEAD}array U(i: 1..N)\narray V(i: 0..N, k: 1..N by 2)\ncompute U(i) = U[i-1]\ncompute U(i down step 2) = U[i+2]\ncompute V(i, k skip 1 0) = V[i,k-4]\ncompute V(i skip 2 2, k) = V[i-3,k] + V[N-i-1,k]\ncompute V(N, k) = V[k+1,k]\n"
    );
    assert_eq!(
        messages(&text),
        [
            "4:16: error: `U` has no such index `i`: with N = 1, i = 1 it is 0, and the array goes from 1 to 1",
            "5:28: error: `U` has no such index `i`: with N = 1, i = 1 it is 3, and the array goes from 1 to 1",
            "6:28: error: `V` has no such index `k`: with N = 3, i = 0, k = 3 it is -1, and the array goes from 1 to 3",
            "7:28: error: `V` has no such index `i`: with N = 4, i = 2, k = 1 it is -1, and the array goes from 0 to 4",
        ]
    );
}

#[test]
fn what_sympy_and_maxima_print() {
    let text = format!(
        "{HEAD}array U(i: 1..N)\ncompute U(i) = Max(1, U[i], h) + Min(h, 2, 3, 4) + sign(h) + signum(h) + floor(h) + ceiling(h) + asin(h) + acos(h)\n"
    );
    assert_eq!(said(&text), "");
    let text = format!(
        "{HEAD}array U(i: 1..N)\ncompute U(i) = sine(h) + erf(h) + floor(1, 2) + Max(1) + 1e400\n"
    );
    assert_eq!(
        messages(&text),
        [
            "3:16: error: there is no array or function `sine`; there is `sin`",
            "3:26: error: there is no array or function `erf`; `extern erf(x)` declares one of C",
            "3:35: error: `floor` takes 1, and 2 are given",
            "3:49: error: `Max` takes 2, and 1 are given",
            "3:58: error: the number is too large for f64, whose greatest is 1.7976931348623157e308",
        ]
    );
}

/// What is written by those who know other languages.
#[test]
fn statements_of_other_languages() {
    let text = format!(
        "{HEAD}array U(i: 0..N)\ncompute U(i=1..N) = 2\ncompute U(1..N) = 2\ncompute U(i up skip 1 1 down) = 2\ncompute U(i) = 2h\ncompute U(i) = U[i]'\n"
    );
    let expected = "a statement goes over the whole range of its array, of which `i skip 1 0` leaves elements out";
    let starts =
        "expected an operator, or `model`, `array`, `macro`, `extern`, `compute` or `edge`";
    assert_eq!(
        messages(&text),
        [
            format!("3:12: error: found `=`, expected `,` or `)`: {expected}"),
            format!("4:12: error: found `..`, expected `,` or `)`: {expected}"),
            "5:25: error: an index goes either `up` or `down`".to_string(),
            format!("6:17: error: found `h`, {starts}"),
            format!("7:20: error: found `'`, {starts}"),
        ]
    );
    let text = format!(
        "{HEAD}array U(i: 0..N)\ncompute U(i)\n  with t = 2; s = t\n  r = s + 1\n  U = r*t\n"
    );
    assert_eq!(
        messages(&text),
        [
            "5:3: error: `r` is not computed here; the statement computes `U`. Between temporaries there is `;`"
        ]
    );
}

/// An array may be called like an index, and indices may stand in front of `=`.
#[test]
fn several_indices_in_front_of_a_formula() {
    let text = "model m(N: index)\narray U(i: 1..N, k: 1..N)\ncompute U(i, k) carried i k\n  = 1\ncompute U(i, k) carried i parallel k U = 1\ncompute U(i, k) parallel i k = 2\n";
    assert_eq!(said(text), "");
}

/// Conditions stand where one is asked for, and nowhere else.
#[test]
fn conditions() {
    let text = format!(
        "{HEAD}array U(i: 1..N)\ncompute U(i) = Piecewise((1, (h > 0) & (U[i] < 1) & ~((h < 2) | Eq(h, 3))), (2, Ne(U[i], h)), (3, True)) + if(h < 1 and not (h < 0 or h > 2), 1, 2) + (if (h > 0) & (h < 1) then 1 else 2) + Piecewise((1, False), (2, True))\n"
    );
    assert_eq!(said(&text), "");
    let text = format!(
        "{HEAD}array U(i: 1..N)\ncompute U(i) = (h < 1) + Piecewise((1, h), (2, True)) + if(h + 1, 1, 2) + if(h < 1 & U[i], 1, 2) + U[(i < 2)] + Eq(h, 1)\nmacro T(i) = ~(h < 1)\ncompute U(i) = if(h < 1 < 2, 1, 2)\nmacro V(i) = Piecewise((1, h > 0))\ncompute U(i) = T(i)\n"
    );
    assert_eq!(
        messages(&text),
        [
            "4:14: error: found `~`, expected a formula",
            "5:25: error: found `<`, expected `,`",
            "6:34: error: found `)`, expected `,`: the last case of `Piecewise` has the condition `True`",
        ]
    );
    let text: Vec<&str> = text.lines().take(3).collect();
    assert_eq!(
        messages(&text.join("\n")),
        [
            "3:16: error: this is a condition, and a number is expected; `if(x < y, 1, 0)` makes one of it",
            "3:40: error: this is a number, and a condition is expected, such as `x < y`",
            "3:60: error: this is a number, and a condition is expected, such as `x < y`",
            "3:86: error: this is a number, and a condition is expected, such as `x < y`",
            "3:102: error: this is no subscript; expected a sum of multiples of indices and a whole number",
            "3:113: error: this is a condition, and a number is expected; `if(x < y, 1, 0)` makes one of it",
        ]
    );
}

#[test]
fn parallel_indices_hand_nothing_on() {
    let text = "model m(N, M: index)\narray C(i: 0..N, k: 0..M)\ncompute C(i skip 1 0, k skip 1 0) carried k parallel i = C[i-1,k-1]\n";
    assert_eq!(
        messages(text),
        [
            "3:58: error: `i` is not parallel: this element of `C` is read at one `i` and computed at another",
            "3:58: note: it is read here, with N = 2, M = 2, i = 2, k = 2",
            "3:9: note: it is computed here, with N = 2, M = 2, i = 1, k = 1",
        ]
    );
    let text = "model m(N, M: index)\narray C(i: 0..N, k: 0..M)\ncompute C(i, k skip 1 0) carried k parallel i = C[i,k-1]\ncompute C(i skip 1 0, k) parallel i = C[i-1,k]\n";
    assert_eq!(said(text), "");
}

#[test]
fn deep_and_strange_texts() {
    let deep = format!(
        "{HEAD}array U(i: 0..N)\ncompute U(i) = {}1",
        "(".repeat(5000)
    );
    assert_eq!(
        messages(&deep),
        ["3:216: error: formulas are nested more than 200 deep"]
    );
    assert_eq!(
        messages(""),
        ["1:1: error: the model has no head; expected `model NAME(parameters) precision f32`"]
    );
    assert_eq!(
        messages("model m(N: number)\n, model"),
        [
            "1:12: error: found `number`, expected `index` or `real`",
            "2:8: error: found the end of the file, expected the name of the model",
        ]
    );
}

#[test]
fn functions_of_c() {
    let text = format!(
        "{HEAD}array U(i: 0..N)\nextern f(x, y)\nextern m(x)\nextern U(x)\nextern g(a,b,c,d,e,f,g,h,i)\nextern (x)\nextern e()\ncompute U(i) = f(1) + e(2) + F(1, 2)\n"
    );
    assert_eq!(
        messages(&text),
        [
            "6:8: error: `g` has 9 arguments; functions of C have at most 8",
            "7:8: error: found `(`, expected the name of a function of C",
        ]
    );
    let text = text.replace("extern g(a,b,c,d,e,f,g,h,i)\nextern (x)\n", "");
    assert_eq!(
        messages(&text),
        [
            "4:8: error: `m` is the name of the model",
            "5:8: error: `U` is declared twice",
            "2:7: note: the first one is here",
            "7:16: error: `f` takes 2, and 1 are given",
            "7:23: error: `e` takes 0, and 1 are given",
            "7:30: error: there is no array or function `F`; there is `f`",
        ]
    );
    let text = format!("{HEAD}array U(i: 0..N)\nextern f(x)\ncompute U(i) = f(U[i] + h*i)\n");
    assert_eq!(said(&text), "");
}
