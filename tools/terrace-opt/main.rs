use std::io::Read;
fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let mut ctx = terrace::dialects::context();
    ctx.config.allow_unregistered = args.iter().any(|a| a.ends_with("allow-unregistered-dialect"));
    let file = args.iter().find(|a| !a.starts_with('-')).cloned().unwrap_or("-".into());
    let mut text = String::new();
    if file == "-" { std::io::stdin().read_to_string(&mut text).unwrap(); } else { text = std::fs::read_to_string(&file).unwrap(); }
    let m = terrace::ir::text::parser::parse(&mut ctx, &terrace::ir::text::parser::Source::new(&file, &text));
    for d in ctx.take_diagnostics() { eprintln!("{:?}", d); }
    let Some(m) = m else { std::process::exit(1) };
    let o = terrace::ir::text::printer::PrintOptions { generic: args.iter().any(|a| a.contains("generic")), debug_info: args.iter().any(|a| a.contains("debuginfo")), ..Default::default() };
    print!("{}", terrace::ir::text::printer::print(&ctx, m, &o));
}
