//! What `terrace cc --help` says before the system's compiler has its turn.

/// How it is called, and what it is.
pub const USAGE: &str = "\
The system's C compiler, with regions compiled for GPUs and threads. All other options are
the compiler's own; it is $TERRACE_HOST_CC, or $CC, or cc.

Usage: terrace cc [ARGUMENT]...
";

/// Terrace's own options.
pub const OPTIONS: &str = "\
Options of terrace:
  --target-arch=sm_NN,...  The GPU architectures to make PTX for; a program runs the newest
                       that its device can [default: sm_75,sm_90]
  --auto               Look for regions everywhere, not only under directives; they go to
                       the GPU where an estimate of their time, copies included, says that
                       it pays, and wherever TERRACE_TARGET says, if it is set
  --reassociate        Sums of floats may be computed in any order, as -ffast-math and
                       -fassociative-math say too (in OpenACC constructs they always may)
  -ffp-contract=MODE   off, on or fast: round products and sums of GPU code once; -ffast-math
                       means fast, and the machine's approximations of functions
  --fp-contract=MODE, --use-fast-math, --approx-func, --ftz=BOOL, --prec-div=BOOL,
  --prec-sqrt=BOOL, --allow-tf32
                       As for terrace compile: GPU code alone, behind what the compiler's
                       own options say
  --flush-subnormals   Code for the host's cores takes subnormal numbers for zero, as with
                       TERRACE_FLUSH_SUBNORMALS=1 all of a program's regions do
  --cores=FILE         Make loops fast for the cores that FILE describes, as terrace calibrate
                       --target cpu writes it
  --index-bitwidth=32  Index arithmetic in 32 bits; a launch whose arrays are too large for
                       it ends the program with a message
  --explain, -Minfo    Say what became of each region and its loops
  --print-ir-after=PASS,..., --print-ir-before=PASS,..., --print-ir-after-all,
  --print-ir-before-all
                       Print the IR of regions around passes; terrace-opt --list-passes lists
                       them
  --timing             Report the time of each pass over regions
  --terrace-keep=DIR   Keep what is made on the way in DIR
  -acc, -fopenacc      Define _OPENACC; directives are read without it too
  -ta=TARGET, -gpu=CC  As PGI's and NVIDIA's: host, multicore, nvidia:cc90

While a program runs, TERRACE_TARGET=gpu, cpu or host says where its regions run.";
