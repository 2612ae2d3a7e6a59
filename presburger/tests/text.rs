//! Reading and printing: all that is printed can be read, and nothing panics.

mod support;

use terrace_lit::random::Random;
use terrace_presburger::Relation;

#[test]
fn notations_for_the_same() {
    for (a, b) in [
        ("{ [i] : 2i >= 3 }", "{ [i] : 2 * i >= 3 }"),
        ("{ [i] : i mod 3 = 1 }", "{ [i] : i % 3 = 1 }"),
        ("{ [i, floor(i/4)] }", "{ [i, j] : j = [i/4] }"),
        ("{ [i, floord(i, 4)] }", "{ [i, i // 4] }"),
        ("{ [i, ceil((i + 1)/4)] }", "{ [i, ceild(1 + i, 4)] }"),
        ("{ [i] : not (i = 3) }", "{ [i] : i != 3 }"),
        ("{ [i] : !(i >= 3 || i < 0) }", "{ [i] : 0 <= i && i <= 2 }"),
        ("{ [i] -> [j] : (i + 1) - j = 0 }", "{ S[i] -> T[i + 1] }"),
        ("{ [i, i] }", "{ [i, j = i] }"),
        ("{ [i] : i = 1; [j] : j = 2 }", "{ [i] : 1 <= i <= 2 }"),
        (
            "{ [i] : exists e : i = 2e }",
            "{ [i] : exists (e = floor(i/2) : 2e = i) }",
        ),
        ("{ [i] : not exists e : i = 2e }", "{ [i] : i mod 2 = 1 }"),
        ("{ [i] : -(i + -2) <= - 3 * -i }", "{ [i] : 4i >= 2 }"),
        (
            "{ [i] : (((i >= 1)) and (2 >= (i))) }",
            "{ [i] : 1 <= i <= 2 }",
        ),
    ] {
        let (a, b) = (Relation::parse(a).unwrap(), Relation::parse(b).unwrap());
        assert!(a.is_equal(&b).unwrap(), "{a} is not {b}");
    }
}

#[test]
fn names_are_kept_where_wanted() {
    let text = "[n] -> { [i, j] -> [k] : j >= 0 and k + i >= n }";
    let (relation, names) = Relation::parse_with_names(text).unwrap();
    let printed = relation.named(&names).to_string();
    assert_eq!(printed, "[n] -> { [i, j] -> [k] : j >= 0 and i + k >= n }");
}

#[test]
fn large_numbers() {
    let text = "{ [i0] : i0 >= 170141183460469231731687303715884105727 }";
    assert_eq!(Relation::parse(text).unwrap().to_string(), text);
}

#[test]
fn errors() {
    for (text, expected) in [
        ("", "1:1: expected '{', found the end of the text"),
        (
            "{ [i] : i >= 0",
            "1:15: expected '}', found the end of the text",
        ),
        ("{ [i] } }", "1:9: expected the end of the text, found '}'"),
        ("[n, n] -> { [i] }", "1:5: two parameters 'n'"),
        (
            "{ [i] : i mod 0 = 0 }",
            "1:11: the divisor must be positive, found 0",
        ),
        (
            "[n] -> { [i] : i mod n = 0 }",
            "1:18: the divisor must be a constant",
        ),
        (
            "{ [i] : i # 2 }",
            "1:11: '#' has no meaning in a set or a map",
        ),
        ("{ [i] : (i + 1 }", "1:16: expected ')', found '}'"),
        ("{ [i] : i }", "1:11: expected a comparison, found '}'"),
        (
            "{ [i] : exists : i > 0 }",
            "1:16: expected the name of a quantified variable, found ':'",
        ),
        ("{ [i + 1 = 3] }", "1:4: expected a name before '='"),
    ] {
        let error = Relation::parse(text).unwrap_err();
        assert_eq!(error.to_string(), expected, "{text}");
    }
}

/// Deep nesting is an error, not an overflow of the stack.
#[test]
fn depth_is_limited() {
    for (open, close) in [
        ("(", ")"),
        ("not (", ")"),
        ("-", ""),
        ("exists e : ", ""),
        ("not ", ""),
    ] {
        let text = format!(
            "{{ [i] : {}i >= 0{} }}",
            open.repeat(20_000),
            close.repeat(20_000)
        );
        assert!(Relation::parse(&text).is_err(), "{open}");
    }
    let product = format!("{{ [i] : i = {}1 }}", "2 * ".repeat(20_000));
    assert!(Relation::parse(&product).is_err());
    let sum = format!("{{ [i] : i = {}1 }}", "2 + ".repeat(20_000));
    assert_eq!(
        Relation::parse(&sum).unwrap().to_string(),
        "{ [i0] : i0 = 40001 }"
    );
}

/// Texts with characters taken out, doubled and exchanged.
#[test]
fn broken_texts_do_not_panic() {
    let texts = [
        "[n] -> { [i, j] -> [k] : 0 <= i < n and exists (e : j = 2e) or not (k mod 3 = 1) }",
        "{ S[i, j = floor(i/3)] : (i + 1 >= 0 or 2j != 4) ; S[i, 2 i] : false }",
    ];
    let mut rng = Random(6);
    let mut read = 0;
    for round in 0..6_000 {
        let mut text: Vec<char> = texts[round % 2].chars().collect();
        for _ in 0..rng.between(1, 3) {
            let at = rng.between(0, text.len() as i64 - 1) as usize;
            let other = rng.between(0, text.len() as i64 - 1) as usize;
            match rng.between(0, 3) {
                0 => drop(text.remove(at)),
                1 => text.insert(at, text[other]),
                2 => text.swap(at, other),
                _ => text.truncate(at.max(8)),
            }
        }
        let text: String = text.into_iter().collect();
        match Relation::parse(&text) {
            Ok(relation) => {
                read += 1;
                let printed = relation.to_string();
                assert!(Relation::parse(&printed).is_ok(), "{printed}");
            }
            Err(error) => assert!(error.offset <= text.len(), "{text}"),
        }
    }
    assert!(read > 100, "only {read} could be read");
}
