#!/bin/sh
# What nvcc makes of a kernel for sm_90, for each row that a lesson's "compiled" block asks for: registers,
# spills and instructions, in results/sm_90/compiled.csv.  Rows whose kernel.cu is unchanged are kept.
# usage: compiled.sh NVCC
nvcc=$1
csv=results/sm_90/compiled.csv
command -v "$nvcc" >/dev/null || exit 0
PATH=$PATH:$(dirname "$(command -v "$nvcc")")
command -v nvdisasm >/dev/null || {
    echo "$csv: left as it is, for want of nvdisasm, which is part of the CUDA toolkit" >&2
    exit 0
}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
mkdir -p "${csv%/*}"
echo "step,knobs,threads,registers,spilled,smem,lds4,lds8,lds16,ffma,nvcc,kernel_cksum" >"$tmp/new"
version=$("$nvcc" --version | sed -n 's/.*release \([0-9.]*\),.*/\1/p')
for readme in [0-9][0-9]_*/README.md; do
    step=${readme%/*}
    sum=$(cksum <"$step/kernel.cu" | tr ' ' -)
    sed -n 's/^<!-- compiled: *\(.*\) -->$/\1/p' "$readme" | tr ';' '\n' | grep -v '^ *before *$' | sed 's/^ *//; s/ *$//' |
        sort -u | while read -r knobs; do
        [ "$knobs" != default ] || knobs=
        if ! grep "^$step,$knobs,[0-9].*,$sum\$" "$csv" 2>/dev/null; then
            sh common/lessons/knobs.sh "$step" gpu "$tmp/$step" "$knobs" '' || exit 1
            source=$tmp/$step/$step/kernel.cu
            log=$("$nvcc" -std=c++17 -O3 -arch=sm_90 -Xptxas -v -cubin -o "$tmp/cubin" "$source" 2>&1) || {
                printf '%s\n' "$log" >&2
                exit 1
            }
            # Of two kernels the one with the 16-byte path: <true>, mangled Lb1E.
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
            code=$(nvdisasm -c "$tmp/cubin" | awk '
                /^\.text\./ { wide = !/Lb0E/ }
                !wide { next }
                / LDS\.128 / { n[16]++ } / LDS\.64 / { n[8]++ } / LDS / { n[4]++ } / FFMA / { n["ffma"]++ }
                END { print n[4] + 0 "," n[8] + 0 "," n[16] + 0 "," n["ffma"] + 0 }')
            threads=$({ grep '^#define [A-Z_]* ' "$source"; echo NUM_THREADS; } | cc -E -P - | tail -1)
            echo "$step,$knobs,$(($threads)),$usage,$code,$version,$sum"
        fi
    done >>"$tmp/new" || exit 1
done
cmp -s "$tmp/new" "$csv" || mv "$tmp/new" "$csv"
