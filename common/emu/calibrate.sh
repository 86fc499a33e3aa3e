#!/bin/sh
# Measures with Nsight Compute what the emulator counts: a row a kernel and metric.
# usage: calibrate.sh SIZE OUT PROGRAM...    OUT: the CSV; PROGRAM: build/gpu/01_naive/01_naive ...
size=$1 out=$2
shift 2
. common/see/ncu.sh
# _ld counts cp.async (LDGSTS) as well.  The sass counters look at each instruction and give the same
# number in every run; bank conflicts are only known to the hardware, which counts chance meetings, too.
metrics=$(printf '%s.sum,' \
    l1tex__t_requests_pipe_lsu_mem_global_op_ld l1tex__t_sectors_pipe_lsu_mem_global_op_ld \
    l1tex__t_requests_pipe_lsu_mem_global_op_st l1tex__t_sectors_pipe_lsu_mem_global_op_st \
    smsp__sass_inst_executed_op_shared_ld smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld \
    smsp__sass_inst_executed_op_shared_st smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st \
    smsp__sass_inst_executed_op_ldgsts smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts \
    l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld \
    l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st)
tree=$(mktemp -d) || exit 3
trap 'rm -rf "$tree"' EXIT

{
    echo "# $("$1" --size 0 --check | sed 1q), $(
        ncu --version | sed -n 's/^Version \([0-9.]*\).*/ncu \1/p'), $(date -u +%F), N=$size"
    echo "step,kernel,metric,value"
    for program; do
        collect "$tree/log" --csv --print-units base --print-kernel-base function \
            --metrics "${metrics%,}" "$program" --size "$size" --check
        # The columns that do not depend on the machine.  All fields are quoted, none holds a quote.
        awk -F '","' -v step="$(basename "$program")" '
            !titles && /^"ID",/ { for (i = 1; i <= NF; i++) at[$i] = i; titles = 1; next }
            titles && /^"/ {
                value = $at["Metric Value\""]
                gsub(/[",]/, "", value)
                if ($at["Kernel Name"] != "reference_kernel")
                    print step "," $at["Kernel Name"] "," $at["Metric Name"] "," value
            }' "$tree/log"
    done
} >"$tree/csv" || exit
mkdir -p "$(dirname "$out")" && cp "$tree/csv" "$out"
