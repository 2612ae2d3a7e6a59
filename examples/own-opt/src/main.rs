//! `own-opt`: `terrace-opt` that also knows the dialect `own` and the pass `expand-twice`.

mod expand_twice;
mod own;

fn main() {
    let mut tool = terrace::opt::Tool::new("own-opt");
    tool.dialects.push(&own::DIALECT);
    tool.passes.add(&expand_twice::INFO);
    tool.main();
}
