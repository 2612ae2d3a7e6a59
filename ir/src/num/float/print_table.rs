use super::*;
#[test]
fn mass() {
    let Ok(t) = std::fs::read_to_string("/tmp/num_big.txt") else {
        return;
    };
    let (mut n, mut bad) = (0, 0);
    for l in t.lines() {
        let p: Vec<&str> = l.split(' ').collect();
        let k = FloatKind::from_name(p[0]).unwrap();
        let v = Float::parse_hex(k, &format!("0x{}", p[1])).unwrap();
        n += 1;
        if v.to_string() != p[2] {
            bad += 1;
            if bad < 60 {
                println!("{l}: got {v}");
            }
        }
    }
    println!("{n} {bad}");
    assert_eq!(bad, 0);
}
