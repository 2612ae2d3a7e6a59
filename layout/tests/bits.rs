//! Layouts as matrices of bits, against digits.

mod support;

use std::collections::BTreeSet;
use support::{any_layout, covering, meaning, places, small_shape};
use terrace_layout::{BitMatrix, Layout, Memory, Resource, Xor};
use terrace_lit::random::Random;

#[test]
fn matrices_mean_what_digits_mean() {
    let mut rng = Random(21);
    let mut linear = 0;
    for round in 0..6000 {
        let l = match round % 3 {
            0 => any_layout(&mut rng),
            1 => {
                let shape = small_shape(&mut rng);
                covering(&mut rng, &shape, &Resource::ALL)
            }
            _ => covering(&mut rng, &[8, 4, 2], &Resource::ALL),
        };
        let Some(f2) = l.to_f2() else {
            assert!(round % 3 != 2, "{l}");
            continue;
        };
        linear += 1;
        let mut elements = BTreeSet::new();
        for place in places(&l) {
            assert_eq!(f2.element(&place).to_vec(), meaning(&l, &place), "{l}");
            elements.insert(meaning(&l, &place));
        }
        assert_eq!(1 << f2.matrix().rank(), elements.len(), "{l}");
        assert_eq!(f2.to_layout(), Some(l.normal_form()));
        for resource in Resource::ALL {
            assert_eq!(1 << f2.columns_of(resource).len(), l.size(resource), "{l}");
        }
        match f2.matrix().inverse() {
            None => assert!(
                elements.len() < l.places() || f2.matrix().rows() != f2.matrix().columns().len()
            ),
            Some(inverse) => {
                for place in places(&l) {
                    let bits = f2.pack(&place);
                    assert_eq!(inverse.apply(f2.matrix().apply(bits)), bits, "{l}");
                }
            }
        }
    }
    assert!(linear > 2500, "only {linear} layouts were linear");
}

#[test]
fn sums_that_carry_are_not_linear() {
    for text in [
        "<[416], reg = [13 @ (1)], lane = [32 @ (13)]>",
        "<[8], reg = [2 @ (1), 2 @ (3)]>",
        "<[8], reg = [2 @ (1)], lane = [2 @ (1)]>",
        "<[8], reg = [2 @ (-1)]>",
        "<[8], reg = [4 @ (3)]>",
    ] {
        assert!(Layout::parse(text).unwrap().to_f2().is_none(), "{text}");
    }
}

fn random_matrix(rng: &mut Random, rows: usize, columns: usize) -> BitMatrix {
    let column = |rng: &mut Random| rng.between(0, (1 << rows) - 1) as u64;
    BitMatrix::new(rows, (0..columns).map(|_| column(rng)).collect()).unwrap()
}

#[test]
fn algebra_of_matrices() {
    let mut rng = Random(22);
    let mut inverted = 0;
    for _ in 0..3000 {
        let [a, b, c] = std::array::from_fn(|_| rng.between(0, 7) as usize);
        let (f, g) = (random_matrix(&mut rng, b, a), random_matrix(&mut rng, c, b));
        let both = f.then(&g).unwrap();
        let images: BTreeSet<u64> = (0..1 << a).map(|x| f.apply(x)).collect();
        assert_eq!(images.len(), 1 << f.rank());
        for x in 0..1 << a {
            assert_eq!(both.apply(x), g.apply(f.apply(x)));
        }
        let square = random_matrix(&mut rng, a, a);
        let inverse = square.inverse();
        assert_eq!(inverse.is_some(), square.rank() == a);
        if let Some(inverse) = inverse {
            inverted += 1;
            assert!((0..1 << a).all(|x| inverse.apply(square.apply(x)) == x));
        }
    }
    assert!(inverted > 500);
    assert_eq!(BitMatrix::new(2, vec![4]), None);
    assert_eq!(BitMatrix::new(65, vec![]), None);
    let wide = BitMatrix::new(64, vec![1 << 63; 70]).unwrap();
    assert_eq!((wide.rank(), wide.apply(!0), wide.inverse()), (1, 0, None));
    let wrong = BitMatrix::new(3, vec![1]).unwrap();
    assert_eq!(wrong.then(&wrong), None);
}

#[test]
fn buffers_behind_layouts_are_composed() {
    let mut rng = Random(23);
    let mut back = 0;
    for _ in 0..500 {
        let l = covering(&mut rng, &[16, 8], &Resource::ALL);
        let xor = Xor {
            bits: rng.between(1, 3) as u32,
            base: rng.between(0, 2) as u32,
            shift: 3,
        };
        let xor = (!rng.one_in(4)).then_some(xor);
        let memory = Memory::padded(&[16, 8], &[1, 0], 0).unwrap();
        let memory = memory.with_xor(xor).unwrap();
        let f2 = l.to_f2().unwrap();
        let offsets = memory.to_f2(f2.coordinate_bits()).unwrap();
        let all = f2.matrix().then(&offsets).unwrap();
        for place in places(&l) {
            let offset = memory.offset(&meaning(&l, &place));
            assert_eq!(all.apply(f2.pack(&place)), offset as u64, "{l} {memory}");
        }
        // Row-major offsets are coordinates again, after which a swizzle is a layout if it
        // changes no bit that a digit sets.
        let low: Vec<u64> = all.columns().to_vec();
        let swizzled = f2.with_matrix(BitMatrix::new(7, low).unwrap()).unwrap();
        if let Some(digits) = swizzled.to_layout() {
            back += 1;
            for place in places(&l) {
                assert_eq!(digits.element(&place), swizzled.element(&place), "{digits}");
            }
        }
    }
    assert!(back > 50, "{back} were digits");
    let padded = Memory::padded(&[16, 8], &[1, 0], 1).unwrap();
    assert_eq!(padded.to_f2(&[4, 3]), None);
    assert_eq!(padded.to_f2(&[4]), None);
}
