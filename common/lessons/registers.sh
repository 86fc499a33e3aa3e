#!/bin/sh
# Registers and spills of each row that a lesson's "registers" block asks for, as nvcc compiles it for
# sm_90: results/sm_90/registers.csv.  Rows whose kernel.cu is unchanged are kept.
# usage: registers.sh NVCC
nvcc=$1
csv=results/sm_90/registers.csv
command -v "$nvcc" >/dev/null || exit 0
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
mkdir -p "${csv%/*}"
echo "step,knobs,threads,registers,spilled,smem,nvcc,kernel_cksum" >"$tmp/new"
version=$("$nvcc" --version | sed -n 's/.*release \([0-9.]*\),.*/\1/p')
for readme in [0-9][0-9]_*/README.md; do
    step=${readme%/*}
    sum=$(cksum <"$step/kernel.cu" | tr ' ' -)
    sed -n 's/^<!-- registers: *\(.*\) -->$/\1/p' "$readme" | tr ';' '\n' | sed 's/^ *//; s/ *$//' |
        sort -u | while read -r knobs; do
        [ "$knobs" != default ] || knobs=
        if ! grep "^$step,$knobs,.*,$sum\$" "$csv" 2>/dev/null; then
            sh common/lessons/knobs.sh "$step" gpu "$tmp/$step" "$knobs" '' || exit 1
            source=$tmp/$step/$step/kernel.cu
            log=$("$nvcc" -std=c++17 -O3 -arch=sm_90 -Xptxas -v -cubin -o "$tmp/cubin" "$source" 2>&1) || {
                printf '%s\n' "$log" >&2
                exit 1
            }
            # The 16-byte path where there are two.
            usage=$(printf '%s\n' "$log" | awk '
                /Compiling entry function/ { wide = !/Lb0E/ }
                /spill stores/ && wide { spilled = $5 }
                /Used [0-9]+ registers/ && wide {
                    smem = 0
                    for (i = 1; i < NF; i++)
                        if ($i == "bytes" && $(i + 1) ~ /^smem/)
                            smem = $(i - 1)
                    print $5 "," spilled "," smem
                    exit
                }')
            threads=$({ grep '^#define [A-Z_]* ' "$source"; echo NUM_THREADS; } | cc -E -P - | tail -1)
            echo "$step,$knobs,$(($threads)),$usage,$version,$sum"
        fi
    done >>"$tmp/new" || exit 1
done
cmp -s "$tmp/new" "$csv" || mv "$tmp/new" "$csv"
