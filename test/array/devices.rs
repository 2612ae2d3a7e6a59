//! Arrays whose rows several devices share: the same bits as on one.

use std::process::Command;
use terrace::array::{
    Array, Context, Edge, Element, constant, cpu, emulator, index, iterate, philox, stencil,
};
use terrace::array::{all, count_true, max, min, sum};

fn show<T: Element>(what: &str, a: &Array<T>) {
    let bits: Vec<u128> = a.to_vec().unwrap().iter().map(|v| v.to_bits()).collect();
    println!("{what}: {bits:x?}");
}

/// What is computed on all emulators that the environment asks for, or, where it says so, on the
/// cores and an emulator together.
fn compute(cx: &Context) {
    let n = 103;
    let host: Vec<f64> = (0..n).map(|i| (f64::from(i) * 0.37).sin() * 10.0).collect();
    let x = cx.vector(&host).unwrap();
    let y = cx.zeros::<f64>(&[n as usize]).unwrap();
    let place = index(0).cast::<f64>();
    y.set(2.0 * &x - x.abs().sqrt() + place).unwrap();
    show("elements", &y);
    // Each device has computed its rows.
    assert_eq!(cx.kernels().compiled, cx.devices().len() as u64);
    cx.assign((x.to(&y), y.to(&x))).unwrap();
    show("swapped", &x);
    let [u, _] = philox(5, index(0).cast::<u64>()).uniform();
    y.set(u).unwrap();
    show("random", &y);
    y.set(stencil(&x, Edge::Wrap, |x| {
        x.at([-1]) + x.at([0]) + x.at([2])
    }))
    .unwrap();
    show("stencil", &y);
    y.range(5..90).set(x.range(10..95) * 2.0).unwrap();
    show("parts", &y);
    y.set(x.invert_axis(0)).unwrap();
    show("inverted", &y);
    y.set(x.gather(index(0) * 7 % 103)).unwrap();
    show("gathered", &y);
    y.at(102 - index(0)).set_unique(&x * 3.0).unwrap();
    show("scattered", &y);
    let counts = cx.zeros::<i32>(&[10]).unwrap();
    counts
        .at(x.cast::<i64>().abs() % 7)
        .add(constant(1))
        .unwrap();
    show("counted at places", &counts);
    y.at(index(0) % 5).combine(sum(&x).in_order()).unwrap();
    show("added at places", &y);
    let offsets: Vec<i32> = (0..=n).map(|i| i * 3 - i % 3).collect();
    let many = offsets[n as usize];
    let columns: Vec<i32> = (0..many).map(|k| k * 37 % n).collect();
    let values: Vec<f64> = (0..many).map(|k| f64::from(k) * 0.125).collect();
    let matrix = cx.csr([n as usize; 2], &offsets, &columns, &values);
    y.set(&x - matrix.unwrap().mul(&x)).unwrap();
    show("sparse", &y);
    let order = cx.argsort((x.floor(), -&x)).unwrap();
    show("order", &order);
    y.set(&x).unwrap();
    y.sort().unwrap();
    show("sorted", &y);
    let order = cx.argsort_by(&x, |l, r| l.abs().lt(r.abs())).unwrap();
    show("order by a function", &order);
    y.set_scan_by_key(x.floor(), sum(&x).in_order(), 0).unwrap();
    show("scan by key", &y);
    let (keys, sums) = cx
        .reduce_by_key(x.floor(), (sum(&x).in_order(), max(&x)))
        .unwrap();
    show("keys", &keys);
    show("sums by key", &sums.0);
    show("maxima by key", &sums.1);
    let last = x.index_axis(0, 102);
    y.set(&x / &last).unwrap();
    show("by one element", &y);
    y.set_scan(sum(&x).in_order(), 0).unwrap();
    show("scan", &y);
    let [z] = iterate(20, [&x], |[z]| [0.5 * (&z + 2.0 / &z)]);
    y.set(z).unwrap();
    show("iterated", &y);
    let a = cx.zeros::<i64>(&[7, 5]).unwrap();
    a.set(10 * index(0) + index(1)).unwrap();
    show("rows", &a);
    let b = cx.zeros::<i64>(&[7]).unwrap();
    b.set_reduced(sum(&a), &[1]).unwrap();
    show("sums of rows", &b);
    let c = cx.zeros::<i64>(&[5]).unwrap();
    c.set_reduced(max(&a), &[0]).unwrap();
    show("maxima of columns", &c);
    let t = cx.zeros::<i64>(&[5, 7]).unwrap();
    t.set(a.transposed()).unwrap();
    show("transposed", &t);
    let few = cx.vector(&[3i32, -8]).unwrap();
    let found = cx
        .reduce((sum(&few), min(&few), max(&few), all(few.lt(4))))
        .unwrap();
    println!("few: {found:?}");
    let found = cx.reduce((sum(&a), min(&x), max(&x).in_order()));
    println!("shapes: {}", found.is_err());
    let (s, lo, hi) = cx.reduce((sum(&x).in_order(), min(&x), max(&x))).unwrap();
    println!(
        "of all: {:x} {:x} {:x}",
        s.to_bits(),
        lo.to_bits(),
        hi.to_bits()
    );
    println!(
        "counted: {:?}",
        cx.reduce((count_true(x.gt(0.0)), min(index(0) - x.cast::<i64>())))
    );
    x.copy_from(&host).unwrap();
    x.range(40..60).copy_from(&host[..20]).unwrap();
    show("copied", &x);
}

#[test]
fn one_process() {
    let Ok(devices) = std::env::var("TERRACE_ARRAY_DEVICES") else {
        return;
    };
    let filter = match devices.as_str() {
        "cores" => cpu(),
        "mixed" => cpu() | emulator(),
        _ => emulator(),
    };
    let cx = Context::select(filter).unwrap().without_disk();
    let wanted = match devices.as_str() {
        "cores" => 1,
        "mixed" => 3,
        n => n.parse().unwrap(),
    };
    assert_eq!(cx.devices().len(), wanted);
    compute(&cx);
}

#[test]
fn several_devices_have_the_bits_of_one() {
    let run = |devices: &str, emulators: usize| {
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args(["--exact", "array::devices::one_process", "--nocapture"]);
        child.env("TERRACE_ARRAY_DEVICES", devices);
        child.env("TERRACE_EMULATOR", format!("devices={emulators}"));
        let out = child.output().unwrap();
        let text = String::from_utf8_lossy(&out.stdout).into_owned();
        let errors = String::from_utf8_lossy(&out.stderr).into_owned();
        assert!(out.status.success(), "{devices}: {text}{errors}");
        let shown = text.lines().filter(|l| l.contains(": "));
        shown.map(str::to_string).collect::<Vec<_>>()
    };
    let one = run("1", 1);
    assert!(one.len() >= 30, "{one:?}");
    for (devices, emulators) in [("2", 2), ("3", 3), ("cores", 1), ("mixed", 2)] {
        for (found, expected) in run(devices, emulators).iter().zip(&one) {
            if !found.starts_with("test result") {
                assert_eq!(found, expected, "on {devices}");
            }
        }
    }
}
