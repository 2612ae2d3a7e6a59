//! `terrace run` and `terrace compile` as a user calls them: on every example, on what
//! MLIR itself prints, and with every mistake on the command line. Results are checked
//! against the interpreter and against the same programs in C.

#[path = "run/boxes.rs"]
mod boxes;
#[path = "run/c_programs.rs"]
mod c_programs;
#[path = "run/calls.rs"]
mod calls;
#[path = "run/command_line.rs"]
mod command_line;
#[path = "run/cost_model.rs"]
mod cost_model;
#[path = "run/data.rs"]
mod data;
#[path = "run/devices.rs"]
mod devices;
#[path = "run/endings.rs"]
mod endings;
#[path = "run/examples.rs"]
mod examples;
#[path = "run/peel.rs"]
mod peel;
#[path = "run/peers.rs"]
mod peers;
#[path = "run/polybench.rs"]
mod polybench;
#[path = "run/predictions.rs"]
mod predictions;
#[path = "run/real.rs"]
mod real;
#[path = "run/reducing.rs"]
mod reducing;
#[path = "run/safety.rs"]
mod safety;
#[path = "run/tools.rs"]
mod tools;
#[path = "run/tune.rs"]
mod tune;
