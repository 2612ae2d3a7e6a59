mod constraints;
mod exprs;
mod maps;
mod operands;
mod parse;
mod random;
mod sets;
mod upstream;
