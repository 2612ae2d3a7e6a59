//! What layouts hold, against the definition.

mod support;

use std::collections::BTreeMap;
use support::{any_layout, covering, meaning, places, small_shape};
use terrace_layout::{Digit, Layout, LayoutError, Outside, Place, Resource};
use terrace_lit::random::Random;

fn layout(text: &str) -> Layout {
    Layout::parse(text).unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// The layout of the sums of one unit of matrix products.
const SUMS: &str = "<[128, 128], reg = [2 @ (0,1), 2 @ (8,0), 4 @ (0,8), 4 @ (16,0)], \
                    lane = [4 @ (0,2), 8 @ (1,0)], warp = [4 @ (0,32), 2 @ (64,0)]>";

#[test]
fn layouts_of_the_design() {
    let sums = layout(SUMS);
    assert_eq!(Resource::ALL.map(|r| sums.size(r)), [1, 64, 32, 8, 1]);
    assert!(sums.covers(Outside::Refused) && sums.is_injective());
    let place = Place::thread(3, 5, 6);
    assert_eq!(sums.element(&place).as_slice(), [64 + 8 + 1, 64 + 2 + 1]);
    assert_eq!(sums.holders(&[73, 67]), [place]);

    let row = layout("<[416], reg = [13 @ (1)], lane = [32 @ (13)], warp = [8 @ (0)]>");
    assert!(row.covers(Outside::Refused) && row.is_injective());
    assert_eq!(row.holders(&[14]).len(), 8);

    let cpu = layout("<[8, 24], simd = [8 @ (0,1)], reg = [3 @ (0,8), 8 @ (1,0)]>");
    assert!(cpu.covers(Outside::Refused));
    assert_eq!(cpu.size(Resource::Simd), 8);

    let scalar = layout("<[], lane = [32 @ ()]>");
    assert!(scalar.covers(Outside::Refused));
    assert_eq!(scalar.holders(&[]).len(), 32);
}

#[test]
fn elements_holders_and_questions_against_the_definition() {
    let mut rng = Random(1);
    for round in 0..4000 {
        let l = match round % 2 {
            0 => any_layout(&mut rng),
            _ => {
                let shape = small_shape(&mut rng);
                covering(&mut rng, &shape, &Resource::ALL)
            }
        };
        let mut held: BTreeMap<Vec<i64>, Vec<Place>> = BTreeMap::new();
        for place in places(&l) {
            held.entry(meaning(&l, &place)).or_default().push(place);
        }
        let listed: BTreeMap<Place, Vec<i64>> =
            l.elements().map(|(p, e)| (p, e.to_vec())).collect();
        assert_eq!(listed.len(), l.places(), "{l}");
        for (element, places) in &mut held {
            places.sort();
            assert_eq!(&l.holders(element), places, "{l}");
            for place in places {
                assert_eq!(l.element(place).as_slice(), element.as_slice(), "{l}");
                assert_eq!(&listed[place], element, "{l}");
            }
        }
        assert!(l.holders(&vec![1000; l.rank()]).is_empty() || l.rank() == 0);
        let inside = held.keys().filter(|e| l.contains(e)).count();
        assert_eq!(l.stays_inside(), inside == held.len(), "{l}");
        let all = inside as i64 == l.volume();
        assert_eq!(l.covers(Outside::Allowed), all, "{l}");
        assert_eq!(
            l.covers(Outside::Refused),
            all && inside == held.len(),
            "{l}"
        );
        let copies: i64 = (l.digits_with_resource().filter(|(_, d)| d.is_copies()))
            .map(|(_, d)| d.radix)
            .product();
        let once = held.values().all(|p| p.len() as i64 == copies);
        assert_eq!(l.is_injective(), once, "{l}");
    }
}

/// Another way to write the same digits.
fn rewritten(rng: &mut Random, l: &Layout) -> Layout {
    let mut digits = Vec::new();
    for (resource, digit) in l.digits_with_resource() {
        if rng.one_in(3) {
            let step: Vec<i64> = (0..l.rank()).map(|_| rng.between(0, 9)).collect();
            digits.push((resource, Digit::new(1, &step)));
        }
        let low = (1..=digit.radix).find(|f| *f > 1 && digit.radix % f == 0);
        let low = low.unwrap_or(1);
        let far: Vec<i64> = digit.step.iter().map(|s| s * low).collect();
        digits.push((resource, Digit::new(low, &digit.step)));
        digits.push((resource, Digit::new(digit.radix / low, &far)));
    }
    Layout::new(l.shape(), digits).unwrap()
}

#[test]
fn normal_forms_are_equal_just_where_the_meaning_is() {
    let mut rng = Random(2);
    let table = |l: &Layout| -> Vec<_> {
        Resource::ALL
            .map(|r| (0..l.size(r)).map(|n| l.part(r, n)).collect::<Vec<_>>())
            .to_vec()
    };
    let mut equal = 0;
    for _ in 0..4000 {
        let a = any_layout(&mut rng);
        let b = rewritten(&mut rng, &a);
        assert!(
            a.is_same_as(&b) && a.normal_form() == b.normal_form(),
            "{a} {b}"
        );
        let normal = a.normal_form();
        assert!(normal.is_same_as(&a) && normal.normal_form() == normal);
        // Two of one shape, with few digits, so that some are equal.
        let mut one = || {
            let digits: Vec<_> = (0..rng.between(1, 3))
                .map(|_| {
                    (
                        Resource::Reg,
                        Digit::new(rng.between(1, 3), &[rng.between(0, 2)]),
                    )
                })
                .collect();
            Layout::new(&[4], digits).unwrap()
        };
        let (c, d) = (one(), one());
        assert_eq!(c.is_same_as(&d), table(&c) == table(&d), "{c} {d}");
        equal += usize::from(c.is_same_as(&d) && c != d);
    }
    assert!(equal > 50, "{equal} pairs were equal and written otherwise");
}

#[test]
fn text_is_read_back() {
    let mut rng = Random(3);
    for text in [
        SUMS,
        "<[416], reg = [13 @ (1)], lane = [32 @ (13)], warp = [8 @ (0)]>",
        "<[8, 24], simd = [8 @ (0,1)], reg = [3 @ (0,8), 8 @ (1,0)]>",
        "<[], lane = [32 @ ()]>",
        "<[4]>",
        "<[4], reg = [4 @ (-1)], block = [2 @ (4)]>",
    ] {
        assert_eq!(layout(text).to_string(), text);
    }
    assert_eq!(
        layout(" < [ 4,2 ],lane=[2@( 1 , 0)] , reg =[ ] > ").to_string(),
        "<[4, 2], lane = [2 @ (1,0)]>"
    );
    for _ in 0..2000 {
        let l = any_layout(&mut rng);
        assert_eq!(Layout::parse(&l.to_string()), Ok(l));
    }
}

#[test]
fn errors_in_text_say_where_and_what() {
    for (text, offset, wanted) in [
        ("", 0, "expected `<`, found the end of the text"),
        ("<4", 1, "expected `[`, found `4`"),
        ("<[4", 3, "expected `,` or `]`, found the end of the text"),
        (
            "<[0]>",
            2,
            "expected an extent from 1 to 67108864, found `0`",
        ),
        ("<[4] reg", 5, "expected `,` or `>`, found `reg`"),
        (
            "<[4], ref = []>",
            6,
            "expected `simd`, `reg`, `lane`, `warp` or `block`, found `ref`",
        ),
        (
            "<[4], reg = [], reg = []>",
            16,
            "expected `simd`, `lane`, `warp` or `block`, found `reg`",
        ),
        ("<[4], reg [4 @ (1)]>", 10, "expected `=`, found `[`"),
        (
            "<[4], reg = [0 @ (1)]>",
            13,
            "expected a radix from 1 to 67108864, found `0`",
        ),
        ("<[4], reg = [4 (1)]>", 15, "expected `@`, found `(`"),
        (
            "<[4], reg = [4 @ (x)]>",
            18,
            "expected a coordinate, found `x`",
        ),
        (
            "<[4], reg = [4 @ (1x)]>",
            19,
            "expected `,` or `)`, found `x`",
        ),
        (
            "<[4], reg = [4 @ (99999999999999999999)]>",
            18,
            "expected a number of 64 bits, found `99999999999999999999`",
        ),
        (
            "<[4], reg = [4 @ (1,0)]>",
            17,
            "expected a step of 1 coordinates, as many as the shape has, found a step of 2",
        ),
        ("<[4]> é", 6, "expected the end of the text, found `é`"),
        (
            "<[4], reg = [67108864 @ (0), 2 @ (1)]>",
            0,
            "expected a smaller layout, found a layout of which the number of places must \
             not be more than 67108864",
        ),
    ] {
        let error = Layout::parse(text).unwrap_err();
        assert_eq!(error.offset, offset, "{text}: {error}");
        assert_eq!(
            error.to_string(),
            format!("at offset {offset}: {wanted}"),
            "{text}"
        );
    }
}

#[test]
fn no_text_panics() {
    let mut rng = Random(4);
    let letters: Vec<char> = "<>[](),=@-0123456789 regln\u{e9}\u{1f600}"
        .chars()
        .collect();
    for _ in 0..20_000 {
        let mut text: Vec<char> = any_layout(&mut rng).to_string().chars().collect();
        for _ in 0..rng.between(1, 4) {
            let at = rng.between(0, text.len() as i64 - 1) as usize;
            match rng.between(0, 2) {
                0 => text[at] = *rng.pick(&letters),
                1 => text.insert(at, *rng.pick(&letters)),
                _ => text.truncate(at.max(1)),
            }
        }
        let text: String = text.into_iter().collect();
        match Layout::parse(&text) {
            Ok(l) => assert_eq!(Layout::parse(&l.to_string()), Ok(l)),
            Err(e) => assert!(text.is_char_boundary(e.offset), "{text}: {e}"),
        }
    }
}

#[test]
fn wrong_layouts_are_refused() {
    let one = |shape: &[i64], radix, step: &[i64]| {
        Layout::new(shape, [(Resource::Lane, Digit::new(radix, step))])
    };
    let shown = |e: Result<Layout, LayoutError>| e.unwrap_err().to_string();
    assert_eq!(
        shown(one(&[4, 0], 1, &[0, 0])),
        "dimension 1 has extent 0; it must be at least 1"
    );
    assert_eq!(
        shown(one(&[4], 0, &[1])),
        "a digit of `lane` has radix 0; it must be at least 1"
    );
    assert_eq!(
        shown(one(&[4], 2, &[1, 1])),
        "the step (1,1) of `lane` must have 1 coordinates, as the shape has"
    );
    assert!(shown(one(&[1; 17], 1, &[0; 17])).starts_with("the rank"));
    assert!(shown(one(&[1 << 20, 1 << 20], 1, &[0, 0])).starts_with("the number of elements"));
    assert!(shown(one(&[1], 1 << 40, &[0])).starts_with("the number of places"));
    for step in [i64::MAX, i64::MIN, 1 << 41] {
        assert!(shown(one(&[1], 3, &[step])).starts_with("the box of the elements"));
    }
    assert!(shown(one(&[1, 1], 2, &[1 << 30, -(1 << 30)])).starts_with("the box"));
}

#[test]
fn indices_count_modulo_the_size() {
    let l = layout("<[4], reg = [4 @ (1)]>");
    for lane in 0..32 {
        assert_eq!(l.element(&Place::thread(6, lane, 3)).as_slice(), [2]);
    }
}
