//! `least_transfers FILE [DIM=N...]`: the bytes of a program's arrays, and the bytes and copies
//! if each comes in at most once and goes out at most once; then a line for each array, its
//! name and bytes.

#[path = "../../test/transfers/least.rs"]
mod least;

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let Some(file) = args.next() else {
        eprintln!("which program? least_transfers FILE [DIM=N...]");
        return ExitCode::from(2);
    };
    let size = |a: String| {
        let (name, n) = a.split_once('=').ok_or(())?;
        Ok((name.to_string(), n.parse().map_err(|_| ())?))
    };
    let Ok(sizes) = args.map(size).collect::<Result<Vec<(String, usize)>, ()>>() else {
        eprintln!("sizes are DIM=N");
        return ExitCode::from(2);
    };
    let text = std::fs::read_to_string(&file).map_err(|e| e.to_string());
    match text.and_then(|t| least::arrays(&file, &t, &sizes)) {
        Ok(arrays) => {
            let all: usize = arrays.iter().map(|a| a.bytes).sum();
            let least: usize = arrays.iter().map(|a| a.copies() * a.bytes).sum();
            let copies: usize = arrays.iter().map(least::Array::copies).sum();
            println!("{all} {least} {copies}");
            for a in &arrays {
                println!("{} {}", a.name, a.bytes);
            }
            ExitCode::SUCCESS
        }
        Err(e) => {
            eprintln!("{file}: {e}");
            ExitCode::FAILURE
        }
    }
}
