//! No text makes the front end panic: models with words left out, doubled, exchanged and cut off.

use terrace_formulas::lexer::tokens;
use terrace_formulas::read;
use terrace_ir::Context;
use terrace_ir::diag::SourceFile;
use terrace_ir::verify::verify;
use terrace_lit::random::Random;

const MODEL: &str = "model wave(N1, MW: index; h, tau: real) precision f32
array PL (i: 1..N1+1, k: 1..MW+2) bands k 2, order k i
array DR (i: 1..N1+1 by 2, k: 1..MW+1 by 2) positive
array RHO(i: 1..N1+1, k: 1..MW+2) nonnegative
array T0(i: 1..N1+1, k: 1..MW+2) same i
macro T_(i, k) = T0[i,k]
extern mass(x, y)
compute PL(i skip 1 1 step 2, k step 2) parallel i
  with t1 = PL[i+1,k]; t2 = RHO[i,k]; t3 = T_(i,k)
  = t3*t2/2. + 2.*t1*_grp(t2/t3)*h^2
edge RHO(i, MW+1) = ifsign(RHO[i,MW-1], 0.0, 1/2, %e) / (1.0 - sqrt(tau))
compute PL, RHO (i, k skip 1 0 up) carried k parallel i
  with p = 1./(RHO[i,k] - PL[i,k-1]*h)
  PL = if p < 2 then p else -p
  RHO = Piecewise((1, p > 0), (RHO[i,k-1]*i, True))
compute DR(i, k) = mass(DR[i, k], 2.5)
compute DR(i, k) = DR[i, k] + if(h < tau, 1, 2)
";

/// Whether a text is a model; what is one must verify.
fn is_model(text: &str) -> bool {
    let mut ctx = Context::new();
    terrace_dialects::register_all(&mut ctx);
    let file = SourceFile::new("m.tf", text).unwrap();
    match read(&mut ctx, &file) {
        Ok(module) => {
            assert!(verify(&ctx, module), "{text}\n{:?}", ctx.take_diagnostics());
            true
        }
        Err(said) => {
            assert!(!said.is_empty(), "{text}");
            false
        }
    }
}

#[test]
fn the_model_itself() {
    assert!(is_model(MODEL));
}

#[test]
fn words_and_signs() {
    let words: Vec<&str> = (tokens(MODEL).iter())
        .map(|t| &MODEL[t.span.start as usize..t.span.end as usize])
        .collect();
    let mut models = 0;
    for seed in 0..1500 {
        let mut r = Random(seed);
        let mut text = words.clone();
        for _ in 0..1 + r.below(3) {
            let at = r.below(text.len());
            match r.below(5) {
                0 => {
                    text.remove(at);
                }
                1 => text.insert(at, words[r.below(words.len())]),
                2 => text[at] = words[r.below(words.len())],
                3 => {
                    let other = r.below(text.len());
                    text.swap(at, other);
                }
                _ => {
                    text[at] =
                        ["9999999999999", "..", "0", "-", "(", "é", "2", "i", "$"][r.below(9)]
                }
            }
        }
        if r.below(10) == 0 {
            text.truncate(r.below(text.len()));
        }
        models += usize::from(is_model(&text.join(" ")));
    }
    assert!(
        models > 20,
        "{models} of 1500 are models: changes are too large to reach checks"
    );
}
