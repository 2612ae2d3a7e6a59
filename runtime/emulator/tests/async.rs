//! Asynchronous copies: what lands when, and who may look.

mod common;

use common::{Device, clean, kernel, listing, only};
use terrace_emulator::{Checks, Finding, FindingKind, Outcome};

/// `%rd4` is the thread's word of the array `p0`, `%r4` its word of a tile, `%r5` its
/// neighbour's, `%rd6` its word of the result `p1`.
const START: &str = ".shared .align 16 .b8 tile[1024]; mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2;
mov.u32 %r3, tile; add.u32 %r4, %r3, %r2; xor.b32 %r5, %r2, 128; add.u32 %r5, %r5, %r3;
ld.param.u64 %rd1, [p0]; ld.param.u64 %rd2, [p1]; cvt.u64.u32 %rd3, %r2; add.u64 %rd4, %rd1, %rd3;
add.u64 %rd6, %rd2, %rd3;\n";

/// 64 threads, on arrays of 256 and 64 numbers; what the second holds after it.
fn run(body: &str) -> (Outcome, Vec<u32>) {
    let device = Device::new(&kernel(".u64 .u64", &format!("{START}{body}")));
    let a = device.u32s(&(0..256).map(|i| 1000 + i).collect::<Vec<_>>());
    let out = device.u32s(&[0; 64]);
    let checks = Checks {
        steps: 1_000_000,
        ..Checks::default()
    };
    let outcome = device.run_with(1, 64, &[a, out], checks);
    (outcome, device.read_u32s(out, 64))
}

const COPY: &str = "cp.async.ca.shared.global [%r4], [%rd4], 4;";
const GROUP: &str = "cp.async.commit_group;";
const WAIT: &str = "cp.async.wait_group 0;";
const OWN: &str = "ld.shared.u32 %r6, [%r4]; st.global.u32 [%rd6], %r6; ret;";
const NEIGHBOUR: &str = "ld.shared.u32 %r6, [%r5]; st.global.u32 [%rd6], %r6; ret;";

#[test]
fn what_was_waited_for_is_there() {
    let own: Vec<u32> = (0..64).map(|i| 1000 + i).collect();
    let neighbour: Vec<u32> = (0..64).map(|i| 1000 + (i ^ 32)).collect();
    for body in [
        format!("{COPY}{GROUP}{WAIT}{OWN}"),
        // Without a group, all are waited for.
        format!("{COPY}cp.async.wait_all;{OWN}"),
    ] {
        let (outcome, got) = run(&body);
        clean(&outcome);
        assert_eq!(got, own);
    }
    let (outcome, got) = run(&format!("{COPY}{GROUP}{WAIT} bar.sync 0;{NEIGHBOUR}"));
    clean(&outcome);
    assert_eq!(got, neighbour);
    let counts = &outcome.counts;
    assert_eq!((counts.loads.requests, counts.loads.sectors), (2, 8));
    assert_eq!(counts.shared_stores.wavefronts, 2);
}

#[test]
fn a_pipeline_of_two_stages() {
    // Four tiles; while one is summed up the next one is on its way.
    let body = "mov.u32 %r10, 0; mov.u32 %r11, 0;
        cp.async.ca.shared.global [%r4], [%rd4], 4; cp.async.commit_group;
        loop: add.u32 %r12, %r10, 1; and.b32 %r13, %r12, 1; shl.b32 %r13, %r13, 8; add.u32 %r13, %r13, %r4;
        setp.lt.u32 %p1, %r12, 4; mul.wide.u32 %rd8, %r12, 256; add.u64 %rd9, %rd4, %rd8;
        @%p1 cp.async.ca.shared.global [%r13], [%rd9], 4; cp.async.commit_group;
        cp.async.wait_group 1; bar.sync 0;
        and.b32 %r14, %r10, 1; shl.b32 %r14, %r14, 8; add.u32 %r14, %r14, %r5; ld.shared.u32 %r15, [%r14];
        add.u32 %r11, %r11, %r15; bar.sync 0; mov.u32 %r10, %r12; @%p1 bra loop;
        st.global.u32 [%rd6], %r11; ret;";
    let (outcome, got) = run(body);
    clean(&outcome);
    let sum = |i: u32| (0..4).map(|t| 1000 + 64 * t + i).sum::<u32>();
    assert_eq!(got, (0..64).map(|i| sum(i ^ 32)).collect::<Vec<_>>());
    // Without the second barrier the next copy may overtake the neighbour.
    let early = body.replacen("%r15; bar.sync 0;", "%r15;", 1);
    let (outcome, _) = run(&early);
    assert!(
        outcome
            .findings
            .iter()
            .any(|f| f.kind == FindingKind::Race || f.kind == FindingKind::CopyInFlight),
        "{}",
        listing(&outcome)
    );
}

#[test]
fn what_is_not_read_becomes_zero() {
    // 16 bytes a thread of 16, of which 4 times its number is read.
    let body =
        "setp.ge.u32 %p1, %r1, 16; @%p1 bra done; shl.b32 %r6, %r1, 4; add.u32 %r7, %r3, %r6;
        and.b32 %r8, %r1, 3; shl.b32 %r8, %r8, 2; cvt.u64.u32 %rd7, %r6; add.u64 %rd8, %rd1, %rd7;
        cp.async.cg.shared.global [%r7], [%rd8], 16, %r8; cp.async.wait_all;
        ld.shared.v4.u32 {%r10, %r11, %r12, %r13}, [%r7]; add.u64 %rd9, %rd2, %rd7;
        st.global.v4.u32 [%rd9], {%r10, %r11, %r12, %r13};\ndone: ret;";
    let (outcome, got) = run(body);
    clean(&outcome);
    let expected: Vec<u32> = (0..64)
        .map(|i| if i % 4 < i / 4 % 4 { 1000 + i } else { 0 })
        .collect();
    assert_eq!(got, expected);
    // Of nothing the address does not matter.
    let nowhere = "mov.u64 %rd8, 16; mov.u32 %r8, 0;
        cp.async.ca.shared.global [%r4], [%rd8], 4, %r8; cp.async.wait_all;";
    clean(&run(&format!("{nowhere}{OWN}")).0);
}

/// The finding, and what the other place is.
fn in_flight(outcome: &Outcome) -> &Finding {
    let finding = only(outcome, FindingKind::CopyInFlight);
    let other = finding.other.as_ref().unwrap();
    assert!(other.text.contains("cp.async"), "{finding}");
    finding
}

#[test]
fn looking_too_early() {
    // No wait; a wait that leaves the group running; a copy in no group.
    for body in [
        format!("{COPY}{GROUP}{OWN}"),
        format!("{COPY}{GROUP}cp.async.wait_group 1;{OWN}"),
        format!("{COPY}{WAIT}{OWN}"),
    ] {
        let (outcome, _) = run(&body);
        let finding = in_flight(&outcome);
        assert!(finding.site.text.contains("ld.shared"), "{finding}");
        assert_eq!(finding.count, 64);
    }
    // Others wait for their own copies only.
    let (outcome, _) = run(&format!("{COPY}{GROUP}{WAIT}{NEIGHBOUR}"));
    // Whichever comes first, both places are named.
    let named = |f: &Finding| match (f.kind, &f.other) {
        (FindingKind::Race | FindingKind::CopyInFlight, Some(other)) => {
            let texts = [&f.site.text, &other.text];
            ["cp.async", "ld.shared"]
                .iter()
                .all(|t| texts.iter().any(|text| text.contains(t)))
        }
        _ => false,
    };
    assert!(outcome.findings.iter().any(named), "{}", listing(&outcome));
    // A barrier before the wait does not help.
    let (outcome, _) = run(&format!("{COPY}{GROUP} bar.sync 0; {WAIT}{NEIGHBOUR}"));
    assert!(outcome.findings.iter().any(named), "{}", listing(&outcome));
}

#[test]
fn writing_what_is_on_its_way() {
    let (outcome, _) = run(&format!(
        "{COPY}{GROUP} st.shared.u32 [%r4], %r1; {WAIT}{OWN}"
    ));
    assert!(in_flight(&outcome).message.contains("bytes written"));
    let (outcome, _) = run(&format!(
        "{COPY}{GROUP} st.global.u32 [%rd4], %r1; {WAIT}{OWN}"
    ));
    assert!(
        in_flight(&outcome)
            .message
            .contains("out of which a copy of thread (0, 0, 0) runs")
    );
    let (outcome, _) = run(&format!("{COPY}{COPY}{GROUP}{WAIT}{OWN}"));
    in_flight(&outcome);
    // After the wait both may be written.
    clean(
        &run(&format!(
            "{COPY}{GROUP}{WAIT} st.global.u32 [%rd4], %r1; st.shared.u32 [%r4], %r1; {OWN}"
        ))
        .0,
    );
}

#[test]
fn copies_out_of_bounds_and_alignment() {
    let misaligned = run(&format!(
        "cp.async.ca.shared.global [%r4], [%rd4], 8; cp.async.wait_all; {}",
        "ret;"
    ));
    assert_eq!(only(&misaligned.0, FindingKind::Misaligned).count, 32);
    let source = run("add.u64 %rd5, %rd4, 2; cp.async.ca.shared.global [%r4], [%rd5], 4; ret;");
    assert_eq!(only(&source.0, FindingKind::Misaligned).count, 64);
    let past = run("cp.async.ca.shared.global [%r4+1024], [%rd4], 4; ret;");
    assert_eq!(only(&past.0, FindingKind::OutOfBounds).count, 64);
    let source = run("cp.async.ca.shared.global [%r4], [%rd4+1020], 4; ret;");
    assert_eq!(only(&source.0, FindingKind::OutOfBounds).count, 63);
}
