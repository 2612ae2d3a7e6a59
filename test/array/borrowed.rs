//! Elements of the host as arrays for the time of a call.

use super::support::context;
use terrace::array::{Context, sum};

#[test]
fn slices_are_arrays_for_a_call() {
    let cx = context();
    for n in [0usize, 1, 7, 1000] {
        let x: Vec<f64> = (0..n).map(|i| i as f64).collect();
        let mut y = vec![1.0; n + 2];
        // An address that no allocation has.
        let part = &mut y[1..n + 1];
        cx.with_view(&x[..], |x| cx.with_view_mut(part, |y| y.set(2.0 * x + y)))
            .unwrap();
        let mut expected: Vec<f64> = x.iter().map(|x| 2.0 * x + 1.0).collect();
        expected.insert(0, 1.0);
        expected.push(1.0);
        assert_eq!(y, expected);
    }
}

#[test]
fn parts_of_borrowed_elements_are_arrays() {
    let cx = context();
    let mut all = [1, 2, 3, 4, 5, 6];
    let s = cx.with_view_mut(&mut all[..], |a| {
        let a = a.reshaped(&[2, 3]).transposed();
        a.range(1..3).set(a.range(1..3) * 10).unwrap();
        a.index_axis(1, 0).sort().unwrap();
        cx.reduce(sum(&a))
    });
    assert_eq!((all, s.unwrap()), ([1, 20, 30, 4, 50, 60], 165));
}

#[test]
fn what_is_shared_is_not_written() {
    let cx = Context::cpu();
    let x = [1.0, 2.0];
    let text = "an array of elements that are borrowed for reading is written; borrow them by \
                `with_view_mut`";
    cx.with_view(&x[..], |x| {
        for said in [
            x.set(1.0),
            x.copy_from(&[3.0, 4.0]),
            x.sort(),
            x.range(0..1).set(x.range(1..2)),
        ] {
            assert_eq!(said.unwrap_err().to_string(), text);
        }
        assert_eq!(x.to_vec()?, [1.0, 2.0]);
        Ok(())
    })
    .unwrap();
    assert_eq!(x, [1.0, 2.0]);
}

#[test]
fn what_outlives_the_call_holds_nothing() {
    let cx = Context::cpu();
    let y = cx.zeros(&[2]).unwrap();
    let mut x = [1.0, 2.0];
    let (kept, doubled) = cx
        .with_view_mut(&mut x[..], |x| Ok((x.clone(), 2.0 * x)))
        .unwrap();
    let text = "an array of borrowed elements is used after they went back; arrays of `with_view` \
                live no longer than its call";
    let all = [
        kept.to_vec().map(|_| ()),
        kept.set(1.0),
        kept.copy_from(&[1.0, 1.0]),
        y.set(&doubled),
        kept.sort(),
        cx.reduce(sum(&kept)).map(|_| ()),
    ];
    for said in all {
        assert_eq!(said.unwrap_err().to_string(), text);
    }
    assert_eq!(x, [1.0, 2.0]);
    // Also where a panic ends the call.
    let mut kept = None;
    let fails = std::panic::AssertUnwindSafe(|| {
        cx.with_view_mut(&mut x[..], |x| -> Result<(), _> {
            kept = Some(x.clone());
            panic!("as a test");
        })
    });
    assert!(std::panic::catch_unwind(fails).is_err());
    assert_eq!(kept.unwrap().to_vec().unwrap_err().to_string(), text);
}

#[test]
fn a_stream_that_comes_too_late_writes_nothing() {
    let cx = Context::cpu();
    let stream = cx.stream().unwrap();
    let mut x = [1.0; 8];
    let (go, gone) = std::sync::mpsc::channel::<()>();
    stream.call(move || {
        let _ = gone.recv();
        Ok(())
    });
    cx.with_view_mut(&mut x[..], |x| {
        stream.assign((x.to(2.0),));
        Ok(())
    })
    .unwrap();
    go.send(()).unwrap();
    let said = stream.wait().unwrap_err().to_string();
    assert!(said.contains("used after they went back"), "{said}");
    assert_eq!(x, [1.0; 8]);
}

#[cfg(feature = "ndarray")]
mod of_ndarray {
    use super::*;
    use ndarray::{Array2, s};
    use terrace::array::DeviceKind;

    #[test]
    fn views_in_any_order_are_arrays() {
        let cx = context();
        let a = Array2::from_shape_fn((4, 6), |(i, j)| (10 * i + j) as f64);
        let mut b = Array2::zeros((3, 2));
        let view = a.slice(s![..2;-1, 1..;2]).reversed_axes();
        let at = b.slice_mut(s![.., ..;-1]);
        cx.with_view(view, |x| {
            assert_eq!(x.shape(), [3, 2]);
            cx.with_view_mut(at, |y| y.set(x + 0.5))
        })
        .unwrap();
        let expected = Array2::from_shape_fn((3, 2), |(i, j)| a[(1 - (1 - j), 1 + 2 * i)] + 0.5);
        assert_eq!(b, expected);
    }

    #[test]
    fn the_cores_copy_nothing() {
        let cx = context();
        let a = Array2::from_elem((2, 3), 1.0);
        let same = cx.with_view(a.view(), |x| Ok(x.host_address())).unwrap();
        match cx.devices()[0].kind {
            DeviceKind::Cpu => assert_eq!(same, Some(a.as_ptr() as usize)),
            _ => assert_eq!(same, None),
        }
        let turned = a.slice(s![..;-1, ..]);
        let last = cx.with_view(turned, |x| Ok(x.host_address())).unwrap();
        if cx.devices()[0].kind == DeviceKind::Cpu {
            assert_eq!(last, Some(turned.as_ptr() as usize));
        }
    }
}
