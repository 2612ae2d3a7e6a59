//! What mlir-opt prints for linalg programs, in loops and in parallel loops.

use super::{array, compiled, results};

fn text(name: &str) -> String {
    let path = format!("{}/../test/real/{name}.mlir", env!("CARGO_MANIFEST_DIR"));
    match std::fs::read_to_string(&path) {
        Ok(t) => t,
        Err(e) => panic!("{path}: {e}"),
    }
}

#[test]
fn matmul() {
    for form in ["lowered", "parallel"] {
        let (_, m) = compiled(&text(&format!("matmul-{form}")));
        let (mut a, mut b): (Vec<f32>, Vec<f32>) = (
            (0..63u8).map(f32::from).collect(),
            (0..77u8).map(|x| f32::from(x) - 30.0).collect(),
        );
        let mut c = vec![2f32; 99];
        let args = [
            array(&mut a, &[9, 7]),
            array(&mut b, &[7, 11]),
            array(&mut c, &[9, 11]),
        ];
        results(&m, "matmul", &args);
        let mut wide: Vec<Vec<f64>> = [&a, &b]
            .map(|v| v.iter().map(|x| f64::from(*x)).collect())
            .to_vec();
        let mut d = vec![2f64; 99];
        let (x, y) = wide.split_at_mut(1);
        let args = [
            array(&mut x[0], &[9, 7]),
            array(&mut y[0], &[7, 11]),
            array(&mut d, &[9, 11]),
        ];
        results(&m, "matmul_dynamic", &args);
        for i in 0..9 {
            for j in 0..11 {
                // Whole numbers, exact in f32.
                let want: f32 = 2.0 + (0..7).map(|k| a[i * 7 + k] * b[k * 11 + j]).sum::<f32>();
                assert_eq!(c[i * 11 + j], want, "{form}");
                assert_eq!(d[i * 11 + j], f64::from(want), "{form}");
            }
        }
    }
}

#[test]
fn batch_matmul_and_reductions() {
    for form in ["lowered", "parallel"] {
        let (_, m) = compiled(&text(&format!("batch_matmul-{form}")));
        let mut a: Vec<f64> = (0..90u8).map(f64::from).collect();
        let mut b: Vec<f64> = (0..72u8).map(|x| 10.0 - f64::from(x)).collect();
        let mut c = vec![0f64; 60];
        let args = [
            array(&mut a, &[3, 5, 6]),
            array(&mut b, &[3, 6, 4]),
            array(&mut c, &[3, 5, 4]),
        ];
        results(&m, "batch_matmul", &args);
        for (at, have) in c.iter().enumerate() {
            let (n, i, j) = (at / 20, at / 4 % 5, at % 4);
            let want: f64 = (0..6)
                .map(|k| a[n * 30 + i * 6 + k] * b[n * 24 + k * 4 + j])
                .sum();
            assert_eq!(*have, want, "{form}");
        }
        let (_, m) = compiled(&text(&format!("reductions-{form}")));
        let mut v: Vec<f64> = (0..78u8).map(f64::from).collect();
        let (mut sums, mut most) = (vec![1f64; 6], vec![30f64; 6]);
        let args = [
            array(&mut v, &[6, 13]),
            array(&mut sums, &[6]),
            array(&mut most, &[6]),
        ];
        results(&m, "reductions_rows", &args);
        for i in 0..6 {
            let row = &v[i * 13..(i + 1) * 13];
            assert_eq!(sums[i], 1.0 + row.iter().sum::<f64>(), "{form}");
            assert_eq!(most[i], row[12].max(30.0), "{form}");
        }
        let (mut x, mut norm) = ([1f32, 2.0, 3.0, 4.0, 5.0, 6.0], [0f32]);
        results(&m, "norm", &[array(&mut x, &[2, 3]), array(&mut norm, &[])]);
        assert_eq!(norm, [91.0], "{form}");
    }
}
