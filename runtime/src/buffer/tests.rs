use super::*;

#[test]
fn memory_is_aligned_and_shaped() {
    let buffer = HostBuffer::zeros(DType::F32, &[3, 5, 7]).unwrap();
    assert_eq!(buffer.as_ptr() as usize % ALIGNMENT, 0);
    assert_eq!((buffer.len(), buffer.size_in_bytes()), (105, 420));
    assert_eq!(buffer.strides(), [35, 7, 1]);
    assert_eq!(buffer.subscripts(104), [2, 4, 6]);
    let scalar = HostBuffer::zeros(DType::F64, &[]).unwrap();
    assert_eq!(scalar.len(), 1);
    let empty = HostBuffer::zeros(DType::F64, &[0, 1 << 40, 1 << 40]).unwrap();
    assert!(empty.is_empty() && empty.as_slice::<f64>().unwrap().is_empty());
    assert_eq!(empty.strides().len(), 3);
}

#[test]
fn impossible_sizes_are_errors() {
    let error = HostBuffer::zeros(DType::F64, &[1 << 40, 1 << 40]).unwrap_err();
    assert!(matches!(error, BufferError::TooLarge { .. }), "{error}");
    let error = HostBuffer::zeros(DType::F64, &[1 << 60]).unwrap_err();
    assert!(matches!(error, BufferError::TooLarge { .. }), "{error}");
    let error = HostBuffer::zeros(DType::I8, &[1 << 62]).unwrap_err();
    assert!(matches!(error, BufferError::OutOfMemory { .. }), "{error}");
}

#[test]
fn slices_are_typed() {
    let buffer = HostBuffer::from_slice(&[2, 2], &[1.0f64, 2.0, 3.0, 4.0]).unwrap();
    assert_eq!(buffer.as_slice::<f64>().unwrap()[3], 4.0);
    let error = buffer.as_slice::<f32>().unwrap_err().to_string();
    assert_eq!(error, "the elements are f64, which cannot be seen as f32");
    assert!(HostBuffer::from_slice(&[3], &[1i32]).is_err());
    let bits = buffer.reinterpret(DType::I64).unwrap();
    assert_eq!(bits.as_slice::<i64>().unwrap()[0], 1.0f64.to_bits() as i64);
    assert!(bits.reinterpret(DType::I32).is_err());
}

#[test]
fn parts_of_large_arrays_fit_together() {
    let elements = 2 * PART / 8 + 5;
    for dtype in [DType::F64, DType::F32, DType::U16] {
        let fill = Fill::Random { seed: 9 };
        let mut buffer = HostBuffer::filled(dtype, &[elements], fill).unwrap();
        for i in [0, PART / 8 - 1, PART / 8, PART / 4, elements - 1] {
            assert_eq!(buffer.bits(i), Some(fill.element(dtype, i as u64)), "{i}");
        }
        let copy = buffer.try_clone().unwrap();
        assert_eq!(copy.bytes(), buffer.bytes());
        buffer.fill(Fill::Zeros);
        assert!(buffer.bytes().iter().all(|b| *b == 0));
    }
}

#[test]
fn fills_hold_what_they_promise() {
    for dtype in DType::ALL {
        let iota = HostBuffer::filled(dtype, &[300], Fill::Iota).unwrap();
        let expected = match dtype {
            DType::I1 => 1.0,
            DType::I8 => 43.0,
            DType::U8 | DType::BF16 => 43.0,
            _ => 299.0,
        };
        assert_eq!(iota.get_f64(299), Some(expected), "{dtype}");
        assert_eq!(iota.get_f64(300), None);

        let fill = Fill::Random { seed: 3 };
        let random = HostBuffer::filled(dtype, &[2000], fill).unwrap();
        let again = HostBuffer::filled(dtype, &[20, 100], fill).unwrap();
        assert_eq!(random.bytes(), again.bytes());
        let (low, high) = match dtype {
            DType::I1 => (0.0, 1.0),
            d if d.is_float() => (0.0, 0.999_999_999_999),
            DType::I8 | DType::I16 | DType::I32 | DType::I64 => (-8.0, 7.0),
            _ => (0.0, 15.0),
        };
        let values: Vec<f64> = (0..2000).map(|i| random.get_f64(i).unwrap()).collect();
        assert!(values.iter().all(|v| (low..=high).contains(v)), "{dtype}");
        assert!(values.iter().any(|v| *v != values[0]), "{dtype}");
        let other = HostBuffer::filled(dtype, &[2000], Fill::Random { seed: 4 }).unwrap();
        assert_ne!(random.bytes(), other.bytes());
    }
}

#[test]
fn one_value_fills_all() {
    let mut buffer = HostBuffer::zeros(DType::F16, &[5]).unwrap();
    buffer
        .fill_with(Scalar::from_f64(DType::F16, 1.5).unwrap())
        .unwrap();
    assert_eq!(buffer.as_slice::<u16>().unwrap(), [0x3e00; 5]);
    let wrong = buffer.fill_with(Scalar::from_f64(DType::F32, 1.5).unwrap());
    assert_eq!(
        wrong.unwrap_err().to_string(),
        "found elements of type f32, expected f16"
    );
    assert_eq!(
        format!("{buffer:?}"),
        "HostBuffer(5 of f16: 1.5, 1.5, 1.5, 1.5, 1.5)"
    );
}
