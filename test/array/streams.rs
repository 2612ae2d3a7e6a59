//! Calls that are waited for later.

use super::support::{assert_same, context};
use std::sync::mpsc::channel;
use terrace::array::{Array, ArrayError, Stream, constant, index, sum};

fn told(stream: &Stream) -> String {
    stream.wait().unwrap_err().to_string()
}

#[test]
fn calls_are_done_in_order_and_later() {
    let cx = context();
    let x = cx.vector(&[1.0, 2.0, 3.0]).unwrap();
    let stream = cx.stream().unwrap();
    // Nothing is done while the first call waits.
    let (go, gate) = channel::<()>();
    stream.call(move || {
        gate.recv().unwrap();
        Ok(())
    });
    for k in 0..200 {
        stream.assign((x.to(&x * 0.5 + f64::from(k)),));
    }
    let sorted = x.clone();
    stream.call(move || {
        sorted.set(-&sorted)?;
        sorted.sort()
    });
    assert!(!stream.is_done());
    assert_eq!(x.to_vec().unwrap(), [1.0, 2.0, 3.0]);
    go.send(()).unwrap();
    stream.wait().unwrap();
    assert!(stream.is_done());
    let all = |v: f64| -(0..200).fold(v, |v, k| v * 0.5 + f64::from(k));
    assert_same(&x.to_vec().unwrap(), &[3.0, 2.0, 1.0].map(all), "in order");
    stream.wait().unwrap();
}

#[test]
fn errors_come_out_at_the_next_wait() {
    let cx = context();
    let (x, y) = (
        cx.vector(&[1.0, 2.0]).unwrap(),
        cx.vector(&[1.0; 3]).unwrap(),
    );
    let stream = cx.stream().unwrap();
    stream.assign((x.to(&x + 1.0),));
    stream.assign((x.to(&x + &y),));
    stream.assign((x.to(&x + 1.0),));
    let said = told(&stream);
    assert!(
        said.contains("streams.rs") && said.contains("2 and 3"),
        "{said}"
    );
    // What came behind it was not done, and it is told once.
    stream.wait().unwrap();
    assert_eq!(x.to_vec().unwrap(), [2.0, 3.0]);
    stream.assign((x.to(&x + 1.0),));
    stream.wait().unwrap();
    assert_eq!(x.to_vec().unwrap(), [3.0, 4.0]);
    // What a kernel finds.
    let places = cx.vector(&[0i64, 7]).unwrap();
    stream.assign((x.at(&places).to_unique(y.range(0..2)),));
    assert!(told(&stream).contains("place 7 of an array of 2"));
    stream.call(|| panic!("on purpose"));
    assert!(told(&stream).contains("a call of a stream panicked"));
    stream.call(|| Err(ArrayError::Device("of its own".to_string())));
    assert_eq!(told(&stream), "of its own");
}

#[test]
fn streams_are_ordered_where_they_are_told() {
    let cx = context();
    let n = 500;
    let (x, y): (Array<f64>, Array<f64>) = (cx.zeros(&[n]).unwrap(), cx.zeros(&[n]).unwrap());
    let (first, second) = (cx.stream().unwrap(), cx.stream().unwrap());
    for k in 1..=20 {
        first.assign((x.to(index(0).cast::<f64>() * f64::from(k)),));
        second.after(&first);
        second.assign((y.to(&y + &x),));
        // The next round overwrites what the other one reads.
        first.after(&second);
    }
    second.wait().unwrap();
    first.wait().unwrap();
    let expected: Vec<f64> = (0..n).map(|i| i as f64 * 210.0).collect();
    assert_same(&y.to_vec().unwrap(), &expected, "sums");
    // A stream that is not waited for finishes.
    let z = cx.zeros::<f64>(&[4]).unwrap();
    let stream = cx.stream().unwrap();
    for _ in 0..50 {
        stream.assign((z.to(&z + constant(1.0)),));
    }
    drop(stream);
    assert_eq!(cx.reduce(sum(&z)).unwrap(), 200.0);
}

#[test]
fn many_calls_wait_to_get_in() {
    let cx = context();
    let x = cx.zeros::<i64>(&[1]).unwrap();
    let stream = cx.stream().unwrap();
    for _ in 0..3000 {
        stream.assign((x.to(&x + 1),));
    }
    stream.wait().unwrap();
    assert_eq!(x.to_vec().unwrap(), [3000]);
}
