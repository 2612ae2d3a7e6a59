//! Conversions between all pairs of types, held against Rust's `as`.

use super::support::{assert_same, context, floats, integers};

macro_rules! cast {
    ($cx:ident, $host:ident, $x:ident, $from:ty => $($to:ty)*) => {$(
        let r = $cx.zeros::<$to>(&[$host.len()]).unwrap();
        r.set($x.cast::<$to>()).unwrap();
        let expected: Vec<$to> = $host.iter().map(|v| *v as $to).collect();
        let what = concat!(stringify!($from), " as ", stringify!($to));
        assert_same(&r.to_vec().unwrap(), &expected, what);
    )*};
}

macro_rules! from {
    ($($name:ident, $from:ty, $host:expr;)*) => {$(
        #[test]
        fn $name() {
            let cx = context();
            let host: Vec<$from> = $host.iter().map(|v| *v as $from).collect();
            let x = cx.vector(&host).unwrap();
            cast!(cx, host, x, $from => i32 i64 u32 u64 f32 f64);
            let r = cx.zeros::<bool>(&[host.len()]).unwrap();
            r.set(x.cast::<bool>()).unwrap();
            let expected: Vec<bool> = host.iter().map(|v| *v != 0 as $from).collect();
            assert_same(&r.to_vec().unwrap(), &expected, "as bool");
        }
    )*};
}

from! {
    from_f64, f64, floats();
    from_f32, f32, floats();
    from_i64, i64, integers();
    from_i32, i32, integers();
    from_u64, u64, integers();
    from_u32, u32, integers();
}

#[test]
fn from_bool() {
    let cx = context();
    let x = cx.vector(&[false, true]).unwrap();
    let f = cx.zeros::<f32>(&[2]).unwrap();
    f.set(x.cast()).unwrap();
    assert_eq!(f.to_vec().unwrap(), [0.0, 1.0]);
    let u = cx.zeros::<u64>(&[2]).unwrap();
    u.set(x.cast()).unwrap();
    assert_eq!(u.to_vec().unwrap(), [0, 1]);
}

#[test]
fn floats_and_their_bits() {
    let cx = context();
    let host = floats();
    let x = cx.vector(&host).unwrap();
    let bits = cx.zeros::<u64>(&[host.len()]).unwrap();
    bits.set(x.to_bits() ^ 1).unwrap();
    let expected: Vec<u64> = host.iter().map(|v| v.to_bits() ^ 1).collect();
    // A NaN has the bits that the host gave it.
    assert_eq!(bits.to_vec().unwrap(), expected);
    let y = cx.zeros(&[host.len()]).unwrap();
    y.set((&bits ^ 1).float_from_bits()).unwrap();
    assert_same(&y.to_vec().unwrap(), &host, "back");
    let narrow: Vec<f32> = host.iter().map(|v| *v as f32).collect();
    let x = cx.vector(&narrow).unwrap();
    let back = cx.zeros::<f32>(&[host.len()]).unwrap();
    let high = cx.zeros::<bool>(&[host.len()]).unwrap();
    let bits = x.to_bits();
    cx.assign((back.to(bits.float_from_bits()), high.to((bits >> 31).ne(0))))
        .unwrap();
    assert_same(&back.to_vec().unwrap(), &narrow, "back");
    let signs: Vec<bool> = narrow.iter().map(|v| v.to_bits() >> 31 != 0).collect();
    assert_eq!(high.to_vec().unwrap(), signs);
}
