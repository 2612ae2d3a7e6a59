//! Fourier transforms, held against the sums that they are.

use super::support::{assert_made, context};
use terrace::array::{Array, Complex, Context, Expr, complex, constant, fft, fft_along, ifft};
use terrace::array::{ifft_along, index, irfft, irfft_along, rfft, rfft_along, sum};

type C = Complex<f64>;

fn numbers(n: usize) -> Vec<C> {
    let one = |i: usize| C::new((i as f64 * 0.7).sin() * 3.0, (i as f64 * 1.3 + 0.2).cos());
    (0..n).map(one).collect()
}

/// The sum that a transform along an axis is.
fn sums(x: &[C], [outer, n, inner]: [usize; 3]) -> Vec<C> {
    let root = |k: usize| C::from_polar(1.0, -2.0 * std::f64::consts::PI * k as f64 / n as f64);
    let roots: Vec<C> = (0..n).map(root).collect();
    let mut all = vec![C::default(); x.len()];
    for o in 0..outer {
        for k in 0..n {
            for i in 0..inner {
                let at = |j: usize| (o * n + j) * inner + i;
                all[at(k)] = (0..n).map(|j| x[at(j)] * roots[j * k % n]).sum();
            }
        }
    }
    all
}

fn near(found: &[C], expected: &[C], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let most = expected.iter().fold(1.0, |m: f64, z| m.max(z.norm()));
    for (k, (f, e)) in found.iter().zip(expected).enumerate() {
        assert!(
            (f - e).norm() <= 1e-13 * most,
            "{what}: element {k} is {f}, expected {e}"
        );
    }
}

fn set(cx: &Context, sizes: &[usize], e: Expr<C>) -> Vec<C> {
    let z: Array<C> = cx.zeros(sizes).unwrap();
    z.set(e).unwrap();
    z.to_vec().unwrap()
}

fn real(cx: &Context, sizes: &[usize], e: Expr<f64>) -> Vec<C> {
    let z: Array<f64> = cx.zeros(sizes).unwrap();
    z.set(e).unwrap();
    z.to_vec().unwrap().into_iter().map(C::from).collect()
}

/// Products of small factors, and numbers that are none.
const LENGTHS: [usize; 21] = [
    1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 16, 30, 35, 49, 64, 81, 97, 120, 128, 210,
];

#[test]
fn lengths_of_all_kinds() {
    let cx = context();
    for n in LENGTHS {
        let a = numbers(n);
        let x = cx.vector(&a).unwrap();
        let expected = sums(&a, [1, n, 1]);
        near(&set(&cx, &[n], fft(&x)), &expected, &format!("fft of {n}"));
        near(&set(&cx, &[n], ifft(fft(&x))), &a, &format!("back of {n}"));
        let scaled: Vec<C> = expected.iter().map(|z| z.conj() / n as f64).collect();
        near(
            &set(&cx, &[n], ifft(x.conj())),
            &scaled,
            &format!("ifft of {n}"),
        );
    }
}

#[test]
fn real_numbers_have_half_a_transform() {
    let cx = context();
    for n in LENGTHS {
        let a: Vec<C> = numbers(n).iter().map(|z| C::from(z.re)).collect();
        let parts: Vec<f64> = a.iter().map(|z| z.re).collect();
        let x = cx.vector(&parts).unwrap();
        let half = n / 2 + 1;
        let expected = &sums(&a, [1, n, 1])[..half];
        let what = format!("rfft of {n}");
        near(&set(&cx, &[half], rfft(&x)), expected, &what);
        let back = irfft(rfft(&x), n);
        near(&real(&cx, &[n], back), &a, &format!("irfft of {n}"));
        // Real arrays are transformed as complex ones too.
        near(&set(&cx, &[n], fft(&x)), &sums(&a, [1, n, 1]), "fft");
    }
}

#[test]
fn several_dimensions() {
    let cx = context();
    let sizes = [4, 6, 5];
    let a = numbers(120);
    let x = cx.array(&sizes, &a).unwrap();
    let shapes = [[1, 4, 30], [4, 6, 5], [24, 5, 1]];
    for (axis, shape) in shapes.into_iter().enumerate() {
        let found = set(&cx, &sizes, fft_along(&x, &[axis]));
        near(&found, &sums(&a, shape), &format!("axis {axis}"));
        let back = ifft_along(fft_along(&x, &[axis]), &[axis]);
        near(&set(&cx, &sizes, back), &a, "back");
    }
    let two = sums(&sums(&a, shapes[2]), shapes[0]);
    near(&set(&cx, &sizes, fft_along(&x, &[2, 0])), &two, "two axes");
    let three = sums(&two, shapes[1]);
    near(&set(&cx, &sizes, fft(&x)), &three, "all axes");
    near(&set(&cx, &sizes, ifft(fft(&x))), &a, "all axes and back");
    // A chirp along each axis.
    let sizes = [11, 2, 13];
    let a = numbers(286);
    let x = cx.array(&sizes, &a).unwrap();
    let all = [[1, 11, 26], [11, 2, 13], [22, 13, 1]];
    let expected = all.into_iter().fold(a, |a, shape| sums(&a, shape));
    near(&set(&cx, &sizes, fft(&x)), &expected, "chirps");
}

#[test]
fn several_dimensions_of_real_numbers() {
    let cx = context();
    let sizes = [6, 5, 4];
    let a: Vec<C> = numbers(120).iter().map(|z| C::from(z.re)).collect();
    let parts: Vec<f64> = a.iter().map(|z| z.re).collect();
    let x = cx.array(&sizes, &parts).unwrap();
    let shapes = [[1, 6, 20], [6, 5, 4], [30, 4, 1]];
    for axes in [&[0, 1, 2][..], &[2, 1], &[1, 0], &[1]] {
        let last = *axes.last().unwrap();
        let (n, half) = (sizes[last], sizes[last] / 2 + 1);
        let whole = axes.iter().fold(a.clone(), |a, k| sums(&a, shapes[*k]));
        let inner = shapes[last][2];
        let kept = |k: &usize| k / inner % n < half;
        let expected: Vec<C> = (0..120).filter(kept).map(|k| whole[k]).collect();
        let mut shape = sizes;
        shape[last] = half;
        let found = set(&cx, &shape, rfft_along(&x, axes));
        near(&found, &expected, &format!("axes {axes:?}"));
        let back = irfft_along(rfft_along(&x, axes), n, axes);
        near(&real(&cx, &sizes, back), &a, &format!("back {axes:?}"));
    }
}

#[test]
fn expressions_go_in_and_come_out() {
    let cx = context();
    // The solution of u'' = f on a circle.
    let n = 60usize;
    let step = 2.0 * std::f64::consts::PI / n as f64;
    let place = || index(0).cast::<f64>() * step;
    let rhs = cx.zeros::<f64>(&[n]).unwrap();
    rhs.set(place().sin() - 4.0 * (2.0 * place()).cos())
        .unwrap();
    let wave = index(0)
        .lt(n as i64 / 2)
        .select(index(0), index(0) - n as i64);
    let wave = wave.cast::<f64>();
    let k = wave.eq(constant(0.0)).select(0.0, -1.0 / (&wave * &wave));
    let u = cx.zeros::<f64>(&[n]).unwrap();
    u.set(ifft(&k * fft(&rhs)).real() + 1.0).unwrap();
    let expected: Vec<C> = (0..n)
        .map(|i| i as f64 * step)
        .map(|x| C::from((2.0 * x).cos() - x.sin() + 1.0))
        .collect();
    let found: Vec<C> = u.to_vec().unwrap().into_iter().map(C::from).collect();
    near(&found, &expected, "u");
    // What was read is what there is when it is computed, also in place.
    let z = cx.vector(&numbers(n)).unwrap();
    let transformed = fft(&z);
    z.set(2.0 * &z).unwrap();
    let doubled: Vec<C> = numbers(n).iter().map(|z| 2.0 * z).collect();
    let expected = sums(&doubled, [1, n, 1]);
    z.set(&transformed).unwrap();
    near(&z.to_vec().unwrap(), &expected, "in place");
    // In a sum: by Parseval's theorem.
    let x = cx.vector(&numbers(n)).unwrap();
    let (own, other) = (
        cx.reduce(sum(x.norm_sqr())).unwrap(),
        cx.reduce(sum(fft(&x).norm_sqr())).unwrap(),
    );
    assert!((other / n as f64 - own).abs() < 1e-12 * own);
}

#[test]
fn other_lengths_need_no_other_kernels() {
    let cx = context();
    let go = |n: usize| {
        let x = cx.vector(&numbers(n)).unwrap();
        set(&cx, &[n], fft(&x))
    };
    go(64);
    go(512);
    let made = cx.kernels().compiled;
    go(4096);
    assert_made(&cx, made);
}

#[test]
fn single_precision() {
    let cx = context();
    for n in [12usize, 64, 11] {
        let a: Vec<Complex<f32>> = numbers(n)
            .iter()
            .map(|z| Complex::new(z.re as f32, z.im as f32))
            .collect();
        let x = cx.vector(&a).unwrap();
        let y: Array<Complex<f32>> = cx.zeros(&[n]).unwrap();
        y.set(fft(&x)).unwrap();
        let wide: Vec<C> = a.iter().map(|z| C::new(z.re.into(), z.im.into())).collect();
        let found = y.to_vec().unwrap();
        for (f, e) in found.iter().zip(sums(&wide, [1, n, 1])) {
            let f = C::new(f.re.into(), f.im.into());
            assert!((f - e).norm() < 2e-5, "{f} {e}");
        }
        let r: Array<f32> = cx.zeros(&[n]).unwrap();
        r.set(irfft(rfft(x.real()), n)).unwrap();
        for (f, e) in r.to_vec().unwrap().iter().zip(&a) {
            assert!((f - e.re).abs() < 1e-5, "{f} {e}");
        }
    }
}

#[test]
fn what_has_no_transform_says_so() {
    let cx = context();
    let x: Array<C> = cx.zeros(&[4, 6]).unwrap();
    let say = |e: Expr<C>| x.set(e).unwrap_err().to_string();
    let said = say(fft_along(&x, &[2]));
    assert!(
        said.contains("fourier.rs") && said.contains("axis 2"),
        "{said}"
    );
    let said = say(fft(constant(1.0).cast::<f64>()));
    assert!(said.contains("`fft` has no array"), "{said}");
    let said = say(rfft_along(x.real(), &[]));
    assert!(said.contains("`rfft` has no array"), "{said}");
    let said = say(complex(irfft(&x, 6), constant(0.0)));
    assert!(
        said.contains("`irfft` have the shapes 4 x 6 and 4 x 4"),
        "{said}"
    );
    let said = say(fft(&x + cx.zeros::<C>(&[3]).unwrap()));
    assert!(said.contains("4 x 6 and 3"), "{said}");
    // Nothing is transformed where there is nothing.
    let none: Array<C> = cx.zeros(&[0, 6]).unwrap();
    none.set(fft(&none)).unwrap();
    let real: Array<C> = cx.zeros(&[0, 4]).unwrap();
    real.set(rfft(none.real())).unwrap();
}
