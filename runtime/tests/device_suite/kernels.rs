//! The kernels of the suite, as PTX and, for the host's cores, as native functions.

use terrace_runtime::cpu::{NativeKernel, NativeLaunch};

/// `scale`: a[i] = a[i] * s + 1 for i < n, in 1 dimension. `place`: each thread of any
/// launch writes its number, x fastest, to its place. `widths`: parameters of all sizes,
/// added up. `slow`: as `scale` with s = 1, `rounds` times one after the other. `shared`:
/// turns blocks of 128 words round through dynamic shared memory. `wild`: writes to an
/// address. `first`: out = *p.
pub const PTX: &str = "\
.version 6.4
.target sm_70
.address_size 64

.extern .shared .align 16 .b8 dynamic[];

.visible .entry scale(.param .u64 pa, .param .u32 pn, .param .f64 ps)
{
    .reg .pred %p<2>;
    .reg .b32 %r<6>;
    .reg .b64 %rd<5>;
    .reg .f64 %fd<5>;
    ld.param.u64 %rd1, [pa];
    ld.param.u32 %r1, [pn];
    ld.param.f64 %fd1, [ps];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.s32 %r5, %r2, %r3, %r4;
    setp.ge.u32 %p1, %r5, %r1;
    @%p1 bra done;
    cvta.to.global.u64 %rd2, %rd1;
    mul.wide.u32 %rd3, %r5, 8;
    add.s64 %rd4, %rd2, %rd3;
    ld.global.f64 %fd2, [%rd4];
    mov.f64 %fd3, 0d3FF0000000000000;
    fma.rn.f64 %fd4, %fd2, %fd1, %fd3;
    st.global.f64 [%rd4], %fd4;
done:
    ret;
}

.visible .entry slow(.param .u64 pa, .param .u32 pn, .param .u32 prounds)
{
    .reg .pred %p<3>;
    .reg .b32 %r<8>;
    .reg .b64 %rd<5>;
    .reg .f64 %fd<5>;
    ld.param.u64 %rd1, [pa];
    ld.param.u32 %r1, [pn];
    ld.param.u32 %r6, [prounds];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.s32 %r5, %r2, %r3, %r4;
    setp.ge.u32 %p1, %r5, %r1;
    @%p1 bra done;
    cvta.to.global.u64 %rd2, %rd1;
    mul.wide.u32 %rd3, %r5, 8;
    add.s64 %rd4, %rd2, %rd3;
    mov.f64 %fd3, 0d3FF0000000000000;
again:
    setp.eq.u32 %p2, %r6, 0;
    @%p2 bra done;
    ld.volatile.global.f64 %fd2, [%rd4];
    add.rn.f64 %fd4, %fd2, %fd3;
    st.volatile.global.f64 [%rd4], %fd4;
    sub.u32 %r6, %r6, 1;
    bra again;
done:
    ret;
}

.visible .entry place(.param .u64 pa)
{
    .reg .b32 %r<20>;
    .reg .b64 %rd<5>;
    ld.param.u64 %rd1, [pa];
    cvta.to.global.u64 %rd2, %rd1;
    // The block's number, x fastest.
    mov.u32 %r1, %ctaid.z;
    mov.u32 %r2, %nctaid.y;
    mov.u32 %r3, %ctaid.y;
    mad.lo.u32 %r4, %r1, %r2, %r3;
    mov.u32 %r5, %nctaid.x;
    mov.u32 %r6, %ctaid.x;
    mad.lo.u32 %r7, %r4, %r5, %r6;
    // Threads of a block.
    mov.u32 %r8, %ntid.x;
    mov.u32 %r9, %ntid.y;
    mov.u32 %r10, %ntid.z;
    mul.lo.u32 %r11, %r8, %r9;
    mul.lo.u32 %r12, %r11, %r10;
    // The thread's number in its block.
    mov.u32 %r13, %tid.z;
    mov.u32 %r14, %tid.y;
    mad.lo.u32 %r15, %r13, %r9, %r14;
    mov.u32 %r16, %tid.x;
    mad.lo.u32 %r17, %r15, %r8, %r16;
    mad.lo.u32 %r18, %r7, %r12, %r17;
    mul.wide.u32 %rd3, %r18, 4;
    add.s64 %rd4, %rd2, %rd3;
    st.global.u32 [%rd4], %r18;
    ret;
}

.visible .entry widths(
    .param .u64 pout, .param .u8 p8, .param .u16 p16, .param .u32 p32, .param .u64 p64,
    .param .f32 pf, .param .f64 pd
)
{
    .reg .b16 %h<3>;
    .reg .b64 %rd<12>;
    .reg .b32 %r<3>;
    .reg .f32 %f<2>;
    .reg .f64 %fd<3>;
    ld.param.u64 %rd1, [pout];
    cvta.to.global.u64 %rd2, %rd1;
    ld.param.u8 %h1, [p8];
    cvt.u64.u16 %rd3, %h1;
    ld.param.u16 %h2, [p16];
    cvt.u64.u16 %rd4, %h2;
    ld.param.u32 %r1, [p32];
    cvt.u64.u32 %rd5, %r1;
    ld.param.u64 %rd6, [p64];
    ld.param.f32 %f1, [pf];
    cvt.f64.f32 %fd1, %f1;
    cvt.rni.u64.f64 %rd7, %fd1;
    ld.param.f64 %fd2, [pd];
    cvt.rni.u64.f64 %rd8, %fd2;
    add.s64 %rd9, %rd3, %rd4;
    add.s64 %rd9, %rd9, %rd5;
    add.s64 %rd9, %rd9, %rd6;
    add.s64 %rd9, %rd9, %rd7;
    add.s64 %rd9, %rd9, %rd8;
    st.global.u64 [%rd2], %rd9;
    ret;
}

.visible .entry shared(.param .u64 pa)
{
    .reg .b32 %r<12>;
    .reg .b64 %rd<5>;
    ld.param.u64 %rd1, [pa];
    cvta.to.global.u64 %rd2, %rd1;
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    mad.lo.u32 %r4, %r1, %r2, %r3;
    mul.wide.u32 %rd3, %r4, 4;
    add.s64 %rd4, %rd2, %rd3;
    ld.global.u32 %r5, [%rd4];
    mov.u32 %r6, dynamic;
    shl.b32 %r7, %r3, 2;
    add.u32 %r8, %r6, %r7;
    st.shared.u32 [%r8], %r5;
    bar.sync 0;
    sub.u32 %r9, %r2, %r3;
    sub.u32 %r9, %r9, 1;
    shl.b32 %r9, %r9, 2;
    add.u32 %r10, %r6, %r9;
    ld.shared.u32 %r11, [%r10];
    st.global.u32 [%rd4], %r11;
    ret;
}

.visible .entry wild(.param .u64 pa)
{
    .reg .b32 %r<2>;
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [pa];
    mov.u32 %r1, 1;
    st.global.u32 [%rd1], %r1;
    ret;
}
";

/// `meet`: each block notes its number, waits for all others, and adds up what they noted.
pub const MEET: &str = "\
.version 6.4
.target sm_70
.address_size 64

.visible .entry meet(.param .u64 pa, .param .u64 po, .param .u64 pc)
{
    .reg .pred %p<5>;
    .reg .b32 %r<14>;
    .reg .b64 %rd<12>;
    ld.param.u64 %rd1, [pa];
    ld.param.u64 %rd2, [po];
    ld.param.u64 %rd3, [pc];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %nctaid.x;
    mov.u32 %r3, %tid.x;
    mul.wide.u32 %rd4, %r1, 4;
    add.s64 %rd5, %rd1, %rd4;
    add.s64 %rd6, %rd2, %rd4;
    setp.ne.u32 %p1, %r3, 0;
    @%p1 bra met;
    st.global.u32 [%rd5], %r1;
    fence.acq_rel.gpu;
    sub.u32 %r4, %r2, 1;
    sub.u32 %r5, 0x80000000, %r4;
    setp.eq.u32 %p2, %r1, 0;
    selp.b32 %r6, %r5, 1, %p2;
    atom.global.add.u32 %r7, [%rd3], %r6;
wait:
    ld.acquire.gpu.global.u32 %r8, [%rd3];
    xor.b32 %r9, %r7, %r8;
    setp.ge.s32 %p3, %r9, 0;
    @%p3 bra wait;
met:
    bar.sync 0;
    @%p1 bra done;
    mov.u32 %r10, 0;
    mov.u32 %r11, 0;
sum:
    mul.wide.u32 %rd7, %r10, 4;
    add.s64 %rd8, %rd1, %rd7;
    ld.global.u32 %r12, [%rd8];
    add.u32 %r11, %r11, %r12;
    add.u32 %r10, %r10, 1;
    setp.lt.u32 %p4, %r10, %r2;
    @%p4 bra sum;
    st.global.u32 [%rd6], %r11;
done:
    ret;
}
";

/// Reads and writes as the PTX does: volatile, since other streams' threads may only be
/// ordered by the device.
unsafe fn each(launch: &NativeLaunch, f: impl Fn(f64) -> f64) {
    let (at, n) = (launch.word(0) as *mut f64, launch.word(1));
    for i in 0..n.min(launch.threads()) {
        // SAFETY: the caller promises n doubles.
        unsafe {
            let at = at.add(i as usize);
            at.write(f(at.read()));
        }
    }
}

unsafe fn scale(launch: &NativeLaunch) -> Result<(), String> {
    let s = f64::from_bits(launch.word(2));
    // SAFETY: by the contract.
    unsafe { each(launch, |v| v.mul_add(s, 1.0)) };
    Ok(())
}

unsafe fn slow(launch: &NativeLaunch) -> Result<(), String> {
    for _ in 0..launch.word(2) {
        // SAFETY: by the contract.
        unsafe { each(launch, |v| v + 1.0) };
    }
    Ok(())
}

unsafe fn place(launch: &NativeLaunch) -> Result<(), String> {
    let at = launch.word(0) as *mut u32;
    for i in 0..launch.threads() {
        // SAFETY: by the contract a word for each thread.
        unsafe { at.add(i as usize).write(i as u32) };
    }
    Ok(())
}

unsafe fn widths(launch: &NativeLaunch) -> Result<(), String> {
    let integers: u64 = (1..5).map(|i| launch.word(i)).sum();
    let floats = f64::from(f32::from_bits(launch.word(5) as u32)) + f64::from_bits(launch.word(6));
    // SAFETY: by the contract.
    unsafe { (launch.word(0) as *mut u64).write(integers + floats as u64) };
    Ok(())
}

unsafe fn shared(_: &NativeLaunch) -> Result<(), String> {
    Err("there is no shared memory".to_string())
}

unsafe fn wild(launch: &NativeLaunch) -> Result<(), String> {
    // What a device would find.
    Err(format!("a write at {:#x}, a null pointer", launch.word(0)))
}

/// The same for the host's cores.
pub const NATIVE: [(&str, NativeKernel); 6] = [
    ("scale", scale),
    ("slow", slow),
    ("place", place),
    ("widths", widths),
    ("shared", shared),
    ("wild", wild),
];
