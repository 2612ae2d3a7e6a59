use super::*;
use crate::random;

fn value(text: &str) -> ArgValue {
    ArgSpec::parse(text).unwrap().value
}

fn problem(text: &str) -> String {
    ArgSpec::parse(text).unwrap_err().to_string()
}

#[test]
fn keys_are_names_or_indices() {
    assert_eq!(ArgSpec::parse("12=1").unwrap().key, ArgKey::Index(12));
    assert_eq!(
        ArgSpec::parse("%arg0=1").unwrap().key,
        ArgKey::Name("arg0".into())
    );
    assert_eq!(
        ArgSpec::parse(" A = 1 ").unwrap().key,
        ArgKey::Name("A".into())
    );
    assert!(problem("A").contains("found no `=`"));
    assert!(problem("=3").contains("found nothing before `=`"));
    assert!(problem("a b=3").contains("found ` ` in the argument's name"));
    assert!(problem("99999999999999999999999=3").contains("larger than any"));
}

#[test]
fn numbers() {
    let int = |v| ArgValue::Number(Number::Int(v));
    assert_eq!(value("n=-42"), int(-42));
    assert_eq!(value("n=0x1F"), int(31));
    assert_eq!(value("n=-0b101"), int(-5));
    assert_eq!(value("n=true"), int(1));
    assert_eq!(value("n=1e-3"), ArgValue::Number(Number::Float(1e-3)));
    assert_eq!(
        value("n=-inf"),
        ArgValue::Number(Number::Float(f64::NEG_INFINITY))
    );
    for wrong in ["1.5.2", "0x", "--3", "0x-1", "+-1", "1_000", "4x8", "one"] {
        assert!(
            problem(&format!("n={wrong}")).contains("expected a number"),
            "{wrong}"
        );
    }
    let huge = value("n=18446744073709551616");
    let error = huge.to_scalar(DType::I64).unwrap_err().to_string();
    assert!(
        error.starts_with("18446744073709551616 does not fit i64"),
        "{error}"
    );
    assert_eq!(value("n=3").to_scalar(DType::F32).unwrap().as_f64(), 3.0);
    assert!(value("n=3.5").to_scalar(DType::I32).is_err());
    assert!(value("n=zeros").to_scalar(DType::I32).is_err());
}

#[test]
fn fills() {
    let fill = |kind, shape: Option<&[usize]>| ArgValue::Fill {
        kind,
        shape: shape.map(<[usize]>::to_vec),
    };
    assert_eq!(value("A=zeros"), fill(FillKind::Zeros, None));
    assert_eq!(value("A=iota:4x8"), fill(FillKind::Iota, Some(&[4, 8])));
    assert_eq!(
        value("A=random:16:7"),
        fill(FillKind::Random(Some(7)), Some(&[16]))
    );
    assert_eq!(
        value("A=dominant:4x4:7"),
        fill(FillKind::Dominant(Some(7)), Some(&[4, 4]))
    );
    assert_eq!(value("A=random::7"), fill(FillKind::Random(Some(7)), None));
    assert_eq!(value("A=@x.npy"), ArgValue::File(PathBuf::from("x.npy")));
    assert!(problem("A=rnadom:4").contains("did you mean `random`?"));
    assert!(problem("A=data.npy").contains("did you mean `@data.npy`?"));
    assert!(problem("A=zeros:4:1").contains("only `random` and `dominant` take a seed"));
    assert!(problem("A=random:4:x").contains("found `x` as the seed"));
    assert!(problem("A=random:4:1:2").contains("found `:2` after the seed"));
    assert!(problem("A=random:4x:1").contains("found `4x` as the shape"));
    assert!(problem("A=zeros:").contains("as the shape"));
    assert!(problem("A=zeros:+4").contains("as the shape"));
    assert!(problem("A=@").contains("found no file name"));
    assert!(problem("A=").contains("found nothing after `=`"));
    assert_eq!(
        OutSpec::parse("C=@c.npy").unwrap(),
        OutSpec::parse("C=c.npy").unwrap()
    );
    assert!(OutSpec::parse("C=").is_err());
}

#[test]
fn arrays_fit_their_parameter() {
    let declared = [Some(4), None];
    let make = |text: &str| value(text).to_buffer(DType::F32, &declared, 2);
    assert_eq!(make("A=iota:4x3").unwrap().get_f64(11), Some(11.0));
    let error = make("A=iota:3x4").unwrap_err().to_string();
    assert_eq!(error, "found an array of shape 3x4, expected 4x?xf32");
    let error = make("A=random").unwrap_err().to_string();
    assert!(error.ends_with("give one, as in `random:4x64`"), "{error}");
    assert!(
        make("A=3")
            .unwrap_err()
            .to_string()
            .starts_with("found a number")
    );
    // The seed is the position unless one is given.
    let explicit = make("A=random:4x5:2").unwrap();
    assert_eq!(make("A=random:4x5").unwrap().bytes(), explicit.bytes());
    let same = value("A=random")
        .to_buffer(DType::F32, &[Some(4), Some(5)], 2)
        .unwrap();
    assert_eq!(same.bytes(), explicit.bytes());
    let rank0 = value("A=iota").to_buffer(DType::I64, &[], 0).unwrap();
    assert_eq!(rank0.len(), 1);
    assert!(
        make("A=@/nonexistent/x.npy")
            .unwrap_err()
            .to_string()
            .contains("cannot open")
    );
    let error = value("A=zeros:4x4611686018427387904").to_buffer(DType::F32, &declared, 0);
    assert!(
        error
            .unwrap_err()
            .to_string()
            .contains("more bytes than memory")
    );
}

#[test]
fn damage_never_panics() {
    const PIECES: [&str; 16] = [
        "A",
        "=",
        ":",
        "x",
        "4",
        "-",
        "0x",
        "random",
        "zeros",
        "iota",
        "@",
        "1e9",
        "é",
        "%",
        " ",
        "99999999999999999999999999999999999999999",
    ];
    let mut accepted = 0;
    for round in 0..20_000u64 {
        let pieces = random::draw(round, 0) % 8;
        let text: String = (1..=pieces)
            .map(|n| PIECES[random::draw(round, n) as usize % PIECES.len()])
            .collect();
        for text in [text.clone(), format!("A={text}")] {
            // Whatever is accepted can be used without a panic, too.
            if let Ok(spec) = ArgSpec::parse(&text) {
                accepted += 1;
                let _ = spec.value.to_scalar(DType::I32);
                let _ = spec.value.to_buffer(DType::I8, &[Some(4), Some(4)], 0);
            }
        }
    }
    assert!(accepted > 100, "{accepted}");
}
