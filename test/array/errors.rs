//! Whatever is wrong is an error that says what was found, what would be right, and where.

use super::support::{assert_made, context};
use terrace::array::{Array, Context, Edge, index, max, stencil, sum};

/// What a failed call says, without the place of the line in this file.
fn said<T: std::fmt::Debug>(r: Result<T, terrace::array::ArrayError>, line: u32) -> String {
    let text = r.unwrap_err().to_string();
    let place = format!("{}:{line}:", file!());
    let rest = text
        .strip_prefix(&place)
        .unwrap_or_else(|| panic!("{text}: not at {place}"));
    rest.split_once(": ").unwrap().1.to_string()
}

fn vectors(cx: &Context) -> (Array<f64>, Array<f64>) {
    (cx.vector(&[1.0; 3]).unwrap(), cx.vector(&[1.0; 4]).unwrap())
}

#[test]
fn operands_of_different_shapes() {
    let cx = context();
    let (x, y) = vectors(&cx);
    let line = line!() + 1;
    let e = (&x + 1.0).sin() * &y;
    let e = (e + &x).exp();
    assert_eq!(
        said(x.set(&e), line),
        "the operands of `*` have the shapes 3 and 4; they must be equal, or one of them a number"
    );
    assert_eq!(said(cx.reduce(sum(&e)), line), said(x.set(e), line));
    assert_made(&cx, 0);
}

#[test]
fn destinations_of_other_shapes() {
    let cx = context();
    let (x, y) = vectors(&cx);
    let line = line!() + 1;
    let r = y.set(&x + 1.0);
    assert_eq!(
        said(r, line),
        "an expression of shape 3 is assigned to an array of shape 4; they must be equal, or the \
         expression a number"
    );
    let line = line!() + 1;
    let both = (x.to(1.0), y.to(2.0));
    let text = said(cx.assign(both), line);
    assert!(
        text.contains("shape 3 is assigned to an array of shape 4"),
        "{text}"
    );
    let a = cx.zeros::<f64>(&[2, 3]).unwrap();
    let line = line!() + 1;
    let r = x.set_reduced(max(&a), &[1]);
    let text = said(r, line);
    assert!(
        text.contains("shape 2 is assigned to an array of shape 3"),
        "{text}"
    );
}

#[test]
fn sums_of_no_array() {
    let cx = context();
    let line = line!() + 1;
    let r = cx.reduce(sum(index(0) * 2));
    assert_eq!(
        said(r, line),
        "`sum` has no array in its operand, so it is not known over how many elements it goes"
    );
    let (x, y) = vectors(&cx);
    let line = line!() + 1;
    let r = cx.reduce((sum(&x), max(&y)));
    let text = said(r, line);
    assert!(
        text.starts_with("the operands of `max` have the shapes 3 and 4"),
        "{text}"
    );
}

#[test]
fn axes_that_are_not() {
    let cx = context();
    let (x, _) = vectors(&cx);
    let line = line!() + 1;
    let r = x.set(index(1).cast());
    assert_eq!(
        said(r, line),
        "axis 1 of an array of shape 3; axes are counted from 0 and there are 1"
    );
    let line = line!() + 1;
    let r = x.set_reduced(sum(&x), &[2]);
    let text = said(r, line);
    assert!(text.starts_with("axis 2 of an array of shape 3"), "{text}");
}

#[test]
fn parts_that_are_not() {
    let cx = context();
    let (x, _) = vectors(&cx);
    let a = cx.zeros::<f64>(&[2, 3]).unwrap();
    let line = line!() + 1;
    let part = x.range(2..5);
    let text = said(x.set(&part * 2.0), line);
    assert_eq!(
        text,
        "the range 2..5 of axis 0 does not lie in an array of shape 3"
    );
    assert_eq!(said(part.set(1.0), line), text);
    assert_eq!(said(part.to_vec(), line), text);
    assert_eq!(said(part.copy_from(&[1.0]), line), text);
    assert_eq!((part.len(), part.shape()), (0, &[][..]));
    let wrong = [
        (a.step_axis(1, 0), "each element number 0 of axis 1"),
        (a.invert_axis(2), "axis 2"),
        (a.index_axis(0, 2), "place 2 of axis 0"),
        (a.permuted_axes(&[0, 0]), "the order [0, 0] of axes"),
        (a.reshaped(&[4]), "the shape 4"),
        (a.transposed().reshaped(&[6]), "the shape 6"),
        (x.broadcast(&[2, 4]), "repeating to the shape 2 x 4"),
    ];
    for (part, asked) in wrong {
        let text = part.to_vec().unwrap_err().to_string();
        assert!(
            text.contains(&format!(": {asked} does not lie in an array of shape ")),
            "{text}"
        );
    }
}

#[test]
fn repeated_elements_are_read_only() {
    let cx = context();
    let (x, _) = vectors(&cx);
    let many = x.broadcast(&[2, 3]);
    let line = line!() + 1;
    let r = many.set(1.0);
    assert_eq!(
        said(r, line),
        "an array of shape 2 x 3 is written whose elements are repeated; it can be read only"
    );
}

#[test]
fn slices_of_other_lengths() {
    let cx = context();
    let (x, _) = vectors(&cx);
    let said = "found a slice of 2 elements for an array of shape 3; it must have 3";
    assert_eq!(x.copy_from(&[1.0, 2.0]).unwrap_err().to_string(), said);
    let r = cx.array(&[2, 2], &[1i32]);
    assert!(
        r.unwrap_err()
            .to_string()
            .contains("of shape 2 x 2; it must have 4")
    );
}

#[test]
fn arrays_that_are_too_large() {
    let r = context().zeros::<f64>(&[usize::MAX / 4, 3]);
    let text = r.unwrap_err().to_string();
    assert!(
        text.ends_with("of f64 has more bytes than an address can count"),
        "{text}"
    );
}

#[test]
fn arrays_of_two_contexts() {
    let (one, other) = (context(), context());
    let x = one.vector(&[1.0]).unwrap();
    let y = other.vector(&[1.0]).unwrap();
    let text = x.set(&x + &y).unwrap_err().to_string();
    assert!(
        text.ends_with(
            "arrays of two contexts meet in one expression; bring one of them over by `to_vec` \
             and `vector`"
        ),
        "{text}"
    );
}

#[test]
fn expressions_that_are_too_large() {
    let cx = context();
    let x = cx.vector(&[1.0]).unwrap();
    let mut e = &x + 1.0;
    for _ in 0..70_000 {
        e = e.sin();
    }
    let text = x.set(e).unwrap_err().to_string();
    let said = "an expression has more than 65536 operations; assign a part of it to an array";
    assert!(text.ends_with(said), "{text}");
}

#[test]
fn errors_name_lines_of_the_user() {
    let (one, other) = (context(), context());
    let a = one.array(&[2, 2], &[1.0, 2.0, 3.0, 4.0]).unwrap();
    let y = other.vector(&[1.0]).unwrap();
    let wide = one.vector(&[1.0]).unwrap().broadcast(&[2]);
    let all = [
        a.set(stencil(&a, Edge::Clamp, |a| a.at([1]))),
        a.set((&a + 1.0).neighbour([0, 1], Edge::Clamp)),
        one.vector(&[1.0]).unwrap().set(&y),
        wide.copy_from(&[1.0, 2.0]),
        other.reduce(sum(&a)).map(|_| ()),
    ];
    for said in all {
        let text = said.unwrap_err().to_string();
        assert!(text.starts_with("test/array/errors.rs:"), "{text}");
    }
}
