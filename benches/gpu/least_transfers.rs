//! `least_transfers FILE...`: for each program the bytes of its arrays and the bytes that
//! move if each comes in at most once and goes out at most once, at its own sizes.

#[path = "../../test/transfers/least.rs"]
mod least;

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut code = ExitCode::SUCCESS;
    for file in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&file).map_err(|e| e.to_string());
        match text.and_then(|t| least::arrays(&file, &t)) {
            Ok(arrays) => {
                let all: usize = arrays.iter().map(|a| a.bytes).sum();
                let least: usize = arrays.iter().map(|a| a.copies() * a.bytes).sum();
                let copies: usize = arrays.iter().map(least::Array::copies).sum();
                println!("{all} {least} {copies}");
            }
            Err(e) => {
                eprintln!("{file}: {e}");
                code = ExitCode::FAILURE;
            }
        }
    }
    code
}
