//! Kernels that nvcc compiled: they parse, are optimised again, and compute
//! the same.

use super::{Case, changes, floats, same};

#[test]
fn kernels_of_nvcc_stay_what_they_are() {
    let text = include_str!("../Inputs/counts.ptx");
    let n: usize = 1024 * 1024;
    let order = (0..n as u32).flat_map(|i| (i.wrapping_mul(7919) % 100_003).to_le_bytes());
    let order: Vec<u8> = order.collect();
    let launches: [(&str, [u32; 3], [u32; 3]); 9] = [
        ("strided", [2, 1, 1], [256, 1, 1]),
        ("broadcast", [2, 1, 1], [256, 1, 1]),
        ("transposed", [2, 4, 1], [32, 8, 1]),
        ("vectors", [2, 1, 1], [256, 1, 1]),
        ("stencil2d", [2, 4, 1], [32, 8, 1]),
        ("tile_plain", [2, 2, 1], [32, 8, 1]),
        ("tile_padded", [2, 2, 1], [32, 8, 1]),
        ("shared_wide", [2, 1, 1], [256, 1, 1]),
        ("gathered", [2, 1, 1], [256, 1, 1]),
    ];
    let a = floats(2 * n, 1);
    let zeros = vec![0; 4 * n];
    let case = |(name, grid, block)| {
        let buffers = match name {
            "gathered" => vec![a.clone(), order.clone(), zeros.clone()],
            _ => vec![a.clone(), zeros.clone()],
        };
        Case {
            name,
            grid,
            block,
            buffers,
            numbers: vec![],
        }
    };
    let cases: Vec<Case<'_>> = launches.into_iter().map(case).collect();
    same(text, &cases, &changes());
}
