use super::*;
use crate::parse::parse;

fn func(body: &str) -> Func {
    let text = format!(
        ".version 7.8\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u32 n)\n{{\n.reg .b32 %r<9>; .reg .pred %p<4>;\n{body}\n}}"
    );
    parse(&text)
        .unwrap()
        .module
        .funcs
        .iter()
        .next()
        .unwrap()
        .1
        .clone()
}

#[test]
fn a_loop_variable_merges_at_the_head() {
    let f = func(
        "mov.u32 %r1, 0; ld.param.u32 %r2, [n];
         head: setp.ge.u32 %p1, %r1, %r2; @%p1 bra done;
         add.u32 %r3, %r1, 1; mov.u32 %r1, %r3; bra head;
         done: add.u32 %r4, %r1, %r2; ret;",
    );
    let (cfg, defs) = (Cfg::new(&f), Defs::new(&f));
    let values = Values::new(&f, &cfg, &defs);
    let find = |op: crate::Op, nth: usize| {
        let mut all = points(&f).filter(|(_, id)| f.insts[*id].op == op);
        all.nth(nth).unwrap()
    };
    let (at, add) = find(crate::Op::Add, 0);
    let i = f.insts[add].operands[1].as_reg().unwrap();
    let merge = values.found(add, i).unwrap();
    assert_eq!(values.source(merge), Some(Source::Merge(1)));
    assert_eq!(values.at(at, i), Some(merge));
    // The block is left before it writes the register.
    let (_, after) = find(crate::Op::Add, 1);
    let left = values.found(after, i).unwrap();
    assert_eq!(values.inputs(left), [(1, merge)]);
    let (_, back) = find(crate::Op::Mov, 1);
    let (_, first) = find(crate::Op::Mov, 0);
    let mut inputs: Vec<Value> = values.inputs(merge).iter().map(|p| p.1).collect();
    inputs.sort();
    let mut expected = vec![
        values.written(first, i).unwrap(),
        values.written(back, i).unwrap(),
    ];
    expected.sort();
    assert_eq!(inputs, expected);
    assert_eq!(values.at_end(1, i), values.written(back, i));
}

#[test]
fn a_guarded_write_is_a_value_of_its_own() {
    let f = func(
        "mov.u32 %r1, 0; ld.param.u32 %r2, [n]; setp.eq.u32 %p1, %r2, 0;
         @%p1 mov.u32 %r1, 7; add.u32 %r3, %r1, 1; ret;",
    );
    let (cfg, defs) = (Cfg::new(&f), Defs::new(&f));
    let values = Values::new(&f, &cfg, &defs);
    let ids: Vec<InstId> = points(&f).map(|p| p.1).collect();
    let r1 = f.insts[ids[0]].dest().unwrap();
    let (first, guarded) = (values.written(ids[0], r1), values.written(ids[3], r1));
    assert!(first.is_some() && guarded.is_some() && first != guarded);
    assert_eq!(values.found(ids[3], r1), first);
    assert_eq!(values.found(ids[4], r1), guarded);
    assert_eq!(values.inst(&f, guarded.unwrap()).map(|p| p.0), None);
}

#[test]
fn of_many_writes_the_nearest_that_dominates_arrives() {
    // Each condition writes the register again; a merge follows each.
    let mut body = "mov.u32 %r1, 0; ld.param.u32 %r2, [n]; setp.eq.u32 %p1, %r2, 0;".to_string();
    for i in 0..9 {
        body += &format!(
            "@%p1 bra skip{i}; mov.u32 %r1, {i}; add.u32 %r3, %r1, 1; skip{i}: add.u32 %r4, %r1, 2;"
        );
    }
    let mut f = func(&(body + "ret;"));
    crate::optimize::split::split(&mut f);
    let (cfg, defs) = (Cfg::new(&f), Defs::new(&f));
    let values = Values::new(&f, &cfg, &defs);
    let mut last = None;
    let mut seen = 0;
    for (at, id) in points(&f) {
        let inst = &f.insts[id];
        let read = inst.operands.get(1).and_then(|o| o.as_reg());
        match inst.op {
            crate::Op::Mov => last = values.written(id, inst.dest().unwrap()),
            crate::Op::Add => {
                let found = values.found(id, read.unwrap());
                assert_eq!(found, values.at(at, read.unwrap()));
                // Behind the write what it wrote, behind the label the merge.
                let here = match values.source(found.unwrap()) {
                    Some(Source::Merge(b)) => b == at.block,
                    _ => found == last,
                };
                assert!(here);
                seen += 1;
            }
            _ => {}
        }
    }
    assert_eq!(seen, 18);
}
