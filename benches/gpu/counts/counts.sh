#!/usr/bin/env bash
# Counts the memory requests of kernels.cu on a GPU, with ncu, and compiles the
# same kernels to PTX for the emulator:
#
#     benches/gpu/counts/counts.sh OUTDIR
#
# OUTDIR gets ncu.csv and kernels.ptx, which runtime/emulator/tests/Inputs holds; the
# test `ncu` of the emulator compares its own counts with them.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=$1
mkdir -p "$out"
out=$(cd "$out" && pwd)
cd "$here"
nvcc -O3 -arch=sm_80 -lineinfo -ptx kernels.cu -o "$out/kernels.ptx"
# The GPU's own code from that same text.
nvcc -O3 -gencode arch=compute_80,code=compute_80 kernels.cu -o "$out/kernels"
metrics=l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum
metrics+=,l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum
metrics+=,l1tex__t_requests_pipe_lsu_mem_global_op_st.sum
metrics+=,l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum
metrics+=,l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum
metrics+=,l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum
metrics+=,l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum
metrics+=,l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum
metrics+=,smsp__inst_executed_op_shared_ld.sum
metrics+=,smsp__inst_executed_op_shared_st.sum
ncu --metrics "$metrics" --csv --page raw --print-units base "$out/kernels" >"$out/ncu.csv"
rm -f "$out/kernels"
