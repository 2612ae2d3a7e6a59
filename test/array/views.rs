//! Parts of arrays and arrays seen otherwise, read and written.

use super::support::context;

#[test]
fn ranges_share_the_memory() {
    let cx = context();
    let x = cx.vector(&[0, 1, 2, 3, 4, 5]).unwrap();
    let middle = x.range(2..4);
    assert_eq!(middle.to_vec().unwrap(), [2, 3]);
    middle.set(&middle * 10).unwrap();
    assert_eq!(x.to_vec().unwrap(), [0, 1, 20, 30, 4, 5]);
    middle.copy_from(&[7, 8]).unwrap();
    assert_eq!(x.to_vec().unwrap(), [0, 1, 7, 8, 4, 5]);
    assert!(x.range(3..3).is_empty());
}

#[test]
fn parts_that_overlap_are_read_before_they_are_written() {
    let cx = context();
    let x = cx.vector(&[0, 1, 2, 3, 4, 5]).unwrap();
    x.range(1..6).set(x.range(0..5)).unwrap();
    assert_eq!(x.to_vec().unwrap(), [0, 0, 1, 2, 3, 4]);
    x.set(x.invert_axis(0)).unwrap();
    assert_eq!(x.to_vec().unwrap(), [4, 3, 2, 1, 0, 0]);
    // Of two outputs that overlap the last one stays.
    cx.assign((x.range(0..3).to(x.range(3..6)), x.range(2..5).to(9)))
        .unwrap();
    assert_eq!(x.to_vec().unwrap(), [1, 0, 9, 9, 9, 0]);
}

#[test]
fn steps_and_inversions() {
    let cx = context();
    let x = cx.vector(&[0, 1, 2, 3, 4, 5, 6]).unwrap();
    assert_eq!(x.step_axis(0, 3).to_vec().unwrap(), [0, 3, 6]);
    assert_eq!(
        x.invert_axis(0).step_axis(0, 2).to_vec().unwrap(),
        [6, 4, 2, 0]
    );
    x.step_axis(0, 2).set(-x.step_axis(0, 2)).unwrap();
    assert_eq!(x.to_vec().unwrap(), [0, 1, -2, 3, -4, 5, -6]);
    x.invert_axis(0)
        .range(0..3)
        .copy_from(&[10, 20, 30])
        .unwrap();
    assert_eq!(x.to_vec().unwrap(), [0, 1, -2, 3, 30, 20, 10]);
}

#[test]
fn axes_are_taken_permuted_and_repeated() {
    let cx = context();
    let a = cx.array(&[2, 3], &[1, 2, 3, 4, 5, 6]).unwrap();
    assert_eq!(a.transposed().to_vec().unwrap(), [1, 4, 2, 5, 3, 6]);
    assert_eq!(a.index_axis(1, 1).to_vec().unwrap(), [2, 5]);
    assert_eq!(a.slice_axis(1, 1..3).to_vec().unwrap(), [2, 3, 5, 6]);
    assert_eq!(a.reshaped(&[3, 2]).to_vec().unwrap(), [1, 2, 3, 4, 5, 6]);
    let row = cx.vector(&[10, 20, 30]).unwrap();
    a.set(&a + row.broadcast(&[2, 3])).unwrap();
    assert_eq!(a.to_vec().unwrap(), [11, 22, 33, 14, 25, 36]);
    let column = row.range(0..2).reshaped(&[2, 1]);
    a.set(&a - column.broadcast(&[2, 3])).unwrap();
    assert_eq!(a.to_vec().unwrap(), [1, 12, 23, -6, 5, 16]);
    let t = cx.zeros::<i32>(&[3, 2]).unwrap();
    t.transposed().set(&a * 2).unwrap();
    assert_eq!(t.to_vec().unwrap(), [2, -12, 24, 10, 46, 32]);
}

#[test]
fn permutations_of_three_axes() {
    let cx = context();
    let host: Vec<i32> = (0..24).collect();
    let a = cx.array(&[2, 3, 4], &host).unwrap();
    let p = a.permuted_axes(&[2, 0, 1]);
    assert_eq!(p.shape(), [4, 2, 3]);
    let mut expected = Vec::new();
    for k in 0..4 {
        for i in 0..2 {
            for j in 0..3 {
                expected.push(host[(i * 3 + j) * 4 + k]);
            }
        }
    }
    assert_eq!(p.to_vec().unwrap(), expected);
    p.set(&p + 100).unwrap();
    let more: Vec<i32> = host.iter().map(|v| v + 100).collect();
    assert_eq!(a.to_vec().unwrap(), more);
}
