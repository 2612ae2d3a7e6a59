//! Random numbers from counters, held against the published vectors.

use super::support::{assert_made, context};
use terrace::array::{Expr, constant, index, philox, philox_4x32, sum, threefry, threefry_2x64};

fn words(all: [u32; 4]) -> [Expr<u32>; 4] {
    all.map(constant)
}

/// The known answers that come with Random123, as counter, key and result.
#[test]
fn published_vectors_of_philox() {
    let known: [([u32; 4], [u32; 2], [u32; 4]); 3] = [
        (
            [0; 4],
            [0; 2],
            [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8],
        ),
        (
            [!0; 4],
            [!0; 2],
            [0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd],
        ),
        (
            [0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344],
            [0xa4093822, 0x299f31d0],
            [0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1],
        ),
    ];
    let cx = context();
    let out = cx.zeros::<u32>(&[4]).unwrap();
    for (counter, key, expected) in known {
        let drawn = philox_4x32(words(counter), key.map(constant));
        let all = (0..4)
            .map(|k| out.range(k..k + 1).to(&drawn.words()[k]))
            .collect::<Vec<_>>();
        cx.assign(all).unwrap();
        assert_eq!(out.to_vec().unwrap(), expected);
    }
}

#[test]
fn published_vectors_of_threefry() {
    let known: [([u64; 2], [u64; 2], [u64; 2]); 3] = [
        ([0; 2], [0; 2], [0xc2b6e3a8c2c69865, 0x6f81ed42f350084d]),
        ([!0; 2], [!0; 2], [0xe02cb7c4d95d277a, 0xd06633d0893b8b68]),
        (
            [0x243f6a8885a308d3, 0x13198a2e03707344],
            [0xa4093822299f31d0, 0x082efa98ec4e6c89],
            [0x263c7d30bb0f0af1, 0x56be8361d3311526],
        ),
    ];
    let cx = context();
    let out = cx.zeros::<u64>(&[2]).unwrap();
    for (counter, key, expected) in known {
        let drawn = threefry_2x64(counter.map(constant), key.map(constant)).numbers();
        let all = (0..2)
            .map(|k| out.range(k..k + 1).to(&drawn[k]))
            .collect::<Vec<_>>();
        cx.assign(all).unwrap();
        assert_eq!(out.to_vec().unwrap(), expected);
    }
}

#[test]
fn counters_make_streams_of_their_own() {
    let cx = context();
    let n = 4096;
    let x = cx.zeros::<f64>(&[n]).unwrap();
    for drawn in [
        philox(7, index(0).cast::<u64>()),
        threefry(7, index(0).cast::<u64>()),
    ] {
        let [u, _] = drawn.uniform();
        x.set(&u).unwrap();
        let host = x.to_vec().unwrap();
        assert!(host.iter().all(|v| (0.0..1.0).contains(v)));
        let (s, squares) = cx.reduce((sum(&x), sum(&x * &x))).unwrap();
        let (mean, square) = (s / n as f64, squares / n as f64);
        // Four standard deviations of the means of n.
        assert!((mean - 0.5).abs() < 4.0 * 0.2887 / 64.0, "{mean}");
        assert!((square - 1.0 / 3.0).abs() < 4.0 * 0.2982 / 64.0, "{square}");
        let [a, b] = drawn.normal();
        let (s, squares, product) = {
            x.set(a).unwrap();
            let y = cx.zeros::<f64>(&[n]).unwrap();
            y.set(b).unwrap();
            cx.reduce((sum(&x), sum(&x * &x), sum(&x * &y))).unwrap()
        };
        assert!((s / n as f64).abs() < 4.0 / 64.0, "{s}");
        assert!(
            (squares / n as f64 - 1.0).abs() < 4.0 * std::f64::consts::SQRT_2 / 64.0,
            "{squares}"
        );
        assert!((product / n as f64).abs() < 4.0 / 64.0, "{product}");
    }
}

#[test]
fn another_seed_is_the_same_kernel() {
    let cx = context();
    let x = cx.zeros::<f32>(&[64]).unwrap();
    let mut all = Vec::new();
    for seed in [1u64, 2] {
        let [u, ..] = philox(seed, index(0).cast::<u64>()).uniform_f32();
        x.set(u).unwrap();
        all.push(x.to_vec().unwrap());
    }
    assert_made(&cx, 1);
    assert_ne!(all[0], all[1]);
    assert!(all.iter().flatten().all(|v| (0.0..1.0).contains(v)));
}
