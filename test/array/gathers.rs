//! Elements at places that are computed.

use super::support::context;
use terrace::array::{index, sum};

#[test]
fn elements_are_taken_at_places() {
    let cx = context();
    let x = cx.vector(&[10.0, 20.0, 30.0]).unwrap();
    let p = cx.vector(&[2i64, 0, 1, 1, -5, 99]).unwrap();
    let y = cx.zeros(&[6]).unwrap();
    y.set(x.gather(&p) + 1.0).unwrap();
    // Beside the array it is the nearest one.
    assert_eq!(y.to_vec().unwrap(), [31.0, 11.0, 21.0, 21.0, 11.0, 31.0]);
    // A table of rows, and several of one array.
    let a = cx.zeros(&[2, 3]).unwrap();
    a.set(x.gather(index(1)) * x.gather(index(0) + 1)).unwrap();
    assert_eq!(
        a.to_vec().unwrap(),
        [200.0, 400.0, 600.0, 300.0, 600.0, 900.0]
    );
    assert_eq!(cx.reduce(sum(x.gather(&p))).unwrap(), 120.0);
}

#[test]
fn what_is_gathered_is_read_before_it_is_written() {
    let cx = context();
    let x = cx.vector(&[1, 2, 3, 4]).unwrap();
    x.set(x.gather(3 - index(0))).unwrap();
    assert_eq!(x.to_vec().unwrap(), [4, 3, 2, 1]);
    // Each second one, turned.
    let part = x.step_axis(0, 2).invert_axis(0);
    let y = cx.zeros(&[2]).unwrap();
    y.set(part.gather(index(0))).unwrap();
    assert_eq!(y.to_vec().unwrap(), [2, 4]);
    let found = cx.zeros(&[4]).unwrap();
    found.set(y.gather(index(0) % 2)).unwrap();
    assert_eq!(found.to_vec().unwrap(), [2, 4, 2, 4]);
}

#[test]
fn what_is_not_gathered_from() {
    let cx = context();
    let x = cx.vector(&[1.0]).unwrap();
    let none = cx.vector::<f64>(&[]).unwrap();
    let text = x.set(none.gather(index(0))).unwrap_err().to_string();
    let said = "elements are gathered from an array of shape 0; it must have one axis, and an \
                element";
    assert!(text.ends_with(said), "{text}");
    let text = x.set((&x + 1.0).gather(index(0))).unwrap_err().to_string();
    assert!(
        text.contains("neighbours are elements of an array"),
        "{text}"
    );
}
