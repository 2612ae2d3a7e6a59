//! The reader against files that NumPy 2.4 wrote (`tests/npy`), the writer
//! against the reader and NumPy's own bytes, and both against damage.

use super::*;
use crate::buffer::Fill;
use crate::random;

macro_rules! fixture {
    ($name:literal) => {
        include_bytes!(concat!("../../tests/npy/", $name, ".npy")).as_slice()
    };
}

fn values(bytes: &[u8]) -> (DType, Vec<usize>, Vec<f64>) {
    let buffer = parse(bytes).unwrap();
    let values = (0..buffer.len())
        .filter_map(|i| buffer.get_f64(i))
        .collect();
    (buffer.dtype(), buffer.shape().to_vec(), values)
}

/// A directory of this test alone, removed at its end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("terrace-npy-{}-{name}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Scratch(path)
    }

    fn files(&self) -> Vec<String> {
        let name = |e: io::Result<fs::DirEntry>| e.unwrap().file_name().into_string().unwrap();
        fs::read_dir(&self.0).unwrap().map(name).collect()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn reads_what_numpy_writes() {
    let six = vec![0.5, 1.5, 2.5, 3.5, 4.5, 5.5];
    for bytes in [
        fixture!("f8_2x3_v1"),
        fixture!("f8_2x3_v2"),
        fixture!("f8_2x3_v3"),
    ] {
        assert_eq!(values(bytes), (DType::F64, vec![2, 3], six.clone()));
    }
    let counted: Vec<f64> = (0..24).map(f64::from).collect();
    assert_eq!(
        values(fixture!("f4_2x3x4_fortran")),
        (DType::F32, vec![2, 3, 4], counted)
    );
    assert_eq!(
        values(fixture!("i4_big_endian")),
        (DType::I32, vec![3], vec![1.0, -2.0, 70000.0])
    );
    let both = vec![1.0, 2.0, 3.0, 4.0, 5.0, -6.0];
    assert_eq!(
        values(fixture!("i2_big_fortran")),
        (DType::I16, vec![3, 2], both)
    );
    assert_eq!(
        values(fixture!("b1")),
        (DType::I1, vec![3], vec![1.0, 0.0, 1.0])
    );
    let halves = vec![1.5, -0.25, 65504.0, f64::INFINITY];
    assert_eq!(values(fixture!("f2")), (DType::F16, vec![4], halves));
    assert_eq!(values(fixture!("empty")), (DType::F32, vec![0, 3], vec![]));
    let scalar = parse(fixture!("u8_scalar")).unwrap();
    assert_eq!(scalar.get(0).unwrap().as_int(), i128::from(u64::MAX));
    assert!(scalar.shape().is_empty());
}

#[test]
fn names_what_it_cannot_read() {
    let error = |bytes: &[u8]| parse(bytes).unwrap_err().to_string();
    assert!(error(fixture!("c16")).contains("'<c16' (complex numbers), expected b1"));
    assert!(error(fixture!("struct")).contains("structures"));
    assert!(error(fixture!("unicode")).contains("'<U2' (strings)"));
    assert!(error(b"").contains("ends inside the first 8 bytes"));
    assert!(error(b"PK\x03\x04 a zip file").contains("begins with [50, 4b"));
    assert!(error(b"\x93NUMPY\x04\x00....").contains("version 4.0, expected 1.0, 2.0 or 3.0"));
    assert!(error(b"\x93NUMPY\x02\x00\xff\xff\xff\xff").contains("at most 1048576"));

    let file = |dictionary: &str| {
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((dictionary.len() as u16).to_le_bytes());
        bytes.extend(dictionary.as_bytes());
        error(&bytes)
    };
    assert!(file("{'descr': '<f8', 'shape': (1,)}").contains("lacks the key 'fortran_order'"));
    assert!(file("{'descr': '<f8', 'fortran_order': 0}").contains("expected True or False"));
    assert!(file("{'shape': (1, -2)}").contains("found `-2)}`, expected a dimension's size"));
    assert!(file("{'shape': (99999999999999999999,)}").contains("expected a dimension's size"));
    assert!(file("{'descr': '|f8'").contains("expected '<f8' or '>f8'"));
    assert!(file("{'what': 1}").contains("the key 'what'"));
    assert!(file("{'descr").contains("expected a closing '"));
    let huge = "{'descr': '<f8', 'fortran_order': True, 'shape': (4294967296, 4294967296)}";
    assert!(file(huge).contains("more bytes than memory"));
    let absent = "{'descr': '<f8', 'fortran_order': True, 'shape': (4294967296, 4)}";
    assert!(file(absent).contains("and 0 bytes follow it"));

    let mut long = fixture!("f8_2x3_v1").to_vec();
    long.push(0);
    assert!(error(&long).contains("48 bytes, and 49 bytes follow"));
}

#[test]
fn writes_numpys_bytes() {
    for bytes in [
        fixture!("f8_2x3_v1"),
        fixture!("b1"),
        fixture!("f2"),
        fixture!("empty"),
    ] {
        let buffer = parse(bytes).unwrap();
        let mut written = header_bytes(&buffer);
        written.extend(buffer.bytes());
        assert_eq!(written, bytes);
    }
    // A header too long for version 1 goes into version 2, and reads back.
    let header = header::encode(DType::F32, &[1; 64]);
    assert_eq!((header[6], header.len() % 64), (1, 0));
    let long = header::encode(DType::F32, &vec![1; 30_000]);
    assert_eq!((long[6], long.len() % 64), (2, 0));
    assert!(matches!(parse(&long), Err(NpyError::Format(text)) if text.contains("more than 64")));
}

#[test]
fn every_type_survives_a_file() {
    let scratch = Scratch::new("types");
    let path = scratch.0.join("a.npy");
    for dtype in DType::ALL {
        let buffer = HostBuffer::filled(dtype, &[3, 5], Fill::Random { seed: 1 }).unwrap();
        write(&path, &buffer).unwrap();
        let back = read_as(&path, dtype).unwrap();
        assert_eq!(back.dtype(), dtype);
        assert_eq!(
            (back.shape(), back.bytes()),
            (buffer.shape(), buffer.bytes())
        );
    }
    // The last one was f64.
    let error = read_as(&path, DType::F32).unwrap_err().to_string();
    assert!(
        error.contains("holds f64 (numpy <f8), expected f32 (numpy <f4)"),
        "{error}"
    );
    assert!(error.contains("astype('f4')"), "{error}");
    assert!(read_as(&path, DType::I64).is_err());
    assert_eq!(scratch.files(), ["a.npy"]);
}

#[test]
fn a_failed_write_leaves_nothing() {
    let scratch = Scratch::new("failed");
    let buffer = HostBuffer::zeros(DType::F32, &[4]).unwrap();
    let missing = scratch.0.join("no/such/a.npy");
    assert!(
        write(&missing, &buffer)
            .unwrap_err()
            .to_string()
            .contains("cannot write")
    );
    assert!(write(&scratch.0, &buffer).is_err());
    assert!(scratch.files().is_empty());
    assert!(
        read(&scratch.0)
            .unwrap_err()
            .to_string()
            .contains("is a directory")
    );
    let path = scratch.0.join("bad.npy");
    fs::write(&path, b"text").unwrap();
    let error = read(&path).unwrap_err().to_string();
    assert!(
        error.contains("bad.npy: not a valid .npy array: it ends inside"),
        "{error}"
    );
}

#[cfg(unix)]
#[test]
fn links_and_devices_stay_what_they_are() {
    let scratch = Scratch::new("links");
    let buffer = HostBuffer::filled(DType::F32, &[4], Fill::Iota).unwrap();
    let (real, link) = (scratch.0.join("real.npy"), scratch.0.join("link.npy"));
    fs::write(&real, b"old").unwrap();
    std::os::unix::fs::symlink(&real, &link).unwrap();
    write(&link, &buffer).unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(read(&real).unwrap().get_f64(3), Some(3.0));
    write(Path::new("/dev/null"), &buffer).unwrap();
    assert!(!fs::metadata("/dev/null").unwrap().is_file());
}

#[test]
fn damage_never_panics() {
    let fixtures = [
        fixture!("f8_2x3_v1"),
        fixture!("f8_2x3_v3"),
        fixture!("f4_2x3x4_fortran"),
        fixture!("i2_big_fortran"),
        fixture!("struct"),
    ];
    let mut accepted = 0;
    for round in 0..20_000u64 {
        let draw = |n| random::draw(round, n);
        let mut bytes = fixtures[round as usize % fixtures.len()].to_vec();
        for k in 0..draw(0) % 4 {
            let at = draw(1 + 2 * k) as usize % bytes.len();
            bytes[at] = draw(2 + 2 * k) as u8;
        }
        if draw(20) % 4 == 0 {
            bytes.truncate(draw(21) as usize % (bytes.len() + 1));
        }
        accepted += usize::from(parse(&bytes).is_ok());
    }
    assert!(accepted > 1000, "{accepted}");
    for round in 0..2_000u64 {
        let length = random::draw(round, 0) as usize % 200;
        let noise: Vec<u8> = (0..length)
            .map(|n| random::draw(round, n as u64 + 1) as u8)
            .collect();
        assert!(parse(&noise).is_err());
        let mut behind = b"\x93NUMPY\x01\x00\x40\x00".to_vec();
        behind.extend(
            noise
                .iter()
                .map(|b| b"{}()',: <f8TrueFalsedescr0123456789"[*b as usize % 35]),
        );
        assert!(parse(&behind).is_err());
    }
}
