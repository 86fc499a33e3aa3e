#!/bin/sh
# What shows the measurements: the disassembly's counts, the profiler's parsers, the pictures.
cd "$(dirname "$0")/.." || exit 1
. tests/tap.sh
lib="-f common/see/csv.awk -f common/see"

skip() { # REASON NAME
    number=$((number + 1))
    echo "ok $number - $2 # SKIP $1"
}

# same NAME: whether $tree/out is what stands in $tree/expected
same() {
    diff "$tree/expected" "$tree/out" >"$tree/diff"
    code=$?
    [ $code -eq 0 ] || cp "$tree/diff" "$tree/out"
    ok $code "$1"
}

# ---- The disassembly ----
cat >"$tree/sass" <<'END'
	.section	.text. void k<(bool)1>(int),"ax",@progbits
        /*0000*/                   FFMA R1, R2, R3, R1 ;
.L_x_0:
        /*0010*/                   LDG.E.CONSTANT R4, desc[UR4][R2.64] ;
        /*0020*/                   BAR.SYNC.DEFER_BLOCKING 0x0 ;
.L_x_1:
        /*0030*/                   LDS.128 R8, [R6+UR4] ;
        /*0040*/                   LDS R5, [R6+UR4+0x10] ;
        /*0050*/                   LDS.64 R5, [R6+UR4+0x10] ;
        /*0060*/              @!P1 LDGSTS.E.BYPASS.LTC128B.128 [R7], desc[UR4][R2.64] ;
        /*0070*/                   FFMA R1, R2, R3, R1 ;
        /*0080*/                   FFMA.FTZ R1, R2, R3, R1 ;
        /*0090*/                   NOP ;
        /*00a0*/               @P0 BRA `(.L_x_1) ;
        /*00b0*/               @P1 BRA `(.L_x_0) ;
        /*00c0*/                   EXIT ;
.L_x_2:
        /*00d0*/                   BRA `(.L_x_2);
	.section	.text. none,"ax",@progbits
        /*0000*/                   EXIT ;
END
echo 'k<1> 7 2 28.6 1/1/1 0/0/0 0/0/0 0/0/1 1.5000 0 0' >"$tree/expected"
awk -f common/see/sass.awk "$tree/sass" | awk '/^k</ {$1 = $1; print}' >"$tree/out"
same "the inner loop, not the one around it; widths, no NOP"
awk -f common/see/sass.awk /dev/null >"$tree/out" 2>&1
[ $? -eq 1 ] && grep -q 'no loop with an FFMA' "$tree/out"
ok $? "a file without a loop is an error"

nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
missing=
command -v "$nvcc" >/dev/null || missing="there is no nvcc"
[ -n "$missing" ] || command -v nvdisasm >/dev/null ||
    [ -x "$(dirname "$(command -v "$nvcc")")/nvdisasm" ] || missing="there is no nvdisasm"

# TM of a step's source; 1 where a thread owns one output
constant() { # STEP NAME
    awk -v name="$2" '$1 == "#define" && $2 == name && $3 ~ /^[0-9]+$/ {value = $3}
                      END {print value ? value : 1}' "$1/kernel.cu"
}

for main in [0-9][0-9]_*/main.c; do
    step=$(dirname "$main")
    name="$step: whole patches of FFMAs, fed by enough floats from shared memory"
    if [ -n "$missing" ]; then
        skip "$missing" "$name"
        continue
    fi
    make -s "sass-${step%%_*}" ARCH=90 >"$tree/out" 2>"$tree/err" || cat "$tree/err" >>"$tree/out"
    # Each k of a TM x TN patch takes TM + TN floats; a kernel for the edges has no patches.
    awk -v tm="$(constant "$step" TM)" -v tn="$(constant "$step" TN)" -v step="$step" '
        /^kernel / {table = 1; next}
        /^LDS, / {table = 0}
        table && $1 ~ /^(sgemm_kernel|stream_k)/ {
            if (split($1, argument, /[<,>]/) > 8) {
                tm = argument[7]
                tn = argument[8]
            }
            split($5, lds, "/")
            floats = lds[1] + 2 * lds[2] + 4 * lds[3]
            seen++
            if ($3 % (tm * tn) != 0 || (step > "03" && floats * tm * tn < (tm + tn) * $3))
                wrong++
        }
        END {exit !seen || wrong}' "$tree/out"
    ok $? "$name"
done

# ---- The profiler ----
cat >"$tree/raw" <<'END'
"ID","Kernel Name","gpu__time_duration.sum","sm__x.max","device__attribute_y","sm__z.avg"
"","","ns","","",""
"0","void f<1, 2>(int, float)","1,234,000","7","8","0.50"
END
cat >"$tree/expected" <<'END'
launch,metric,unit,value
1,kernel,,"f<1, 2>"
1,gpu__time_duration.sum,ns,1234000
1,sm__z.avg,,0.50
END
awk $lib/report.awk "$tree/raw" >"$tree/out"
same "ncu's raw page becomes one metric a line"

mkdir "$tree/reports"
cat >"$tree/reports/05_x.csv" <<'END'
launch,metric,unit,value
1,kernel,,"f<1, 2>"
1,gpu__time_duration.sum,ns,2000000
1,smsp__sass_thread_inst_executed_op_ffma_pred_on.sum,inst,64000000000
1,smsp__inst_executed_op_shared_ld.sum,inst,125000000
1,lts__t_sectors_srcunit_tex.sum,sector,400000000
1,l1tex__data_pipe_lsu_wavefronts_mem_shared.sum,,500000000
1,sm__warps_active.avg.pct_of_peak_sustained_active,%,25
1,smsp__average_warps_issue_stalled_wait_per_issue_active.ratio,inst,0.5
1,smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio,inst,0.75
1,smsp__average_warps_issue_stalled_not_selected_per_issue_active.ratio,inst,9
2,kernel,,"g<1>"
2,gpu__time_duration.sum,ns,1000000
2,smsp__sass_thread_inst_executed_op_ffma_pred_on.sum,inst,0
2,smsp__inst_executed_op_shared_ld.sum,inst,0
2,smsp__average_warps_issue_stalled_wait_per_issue_active.ratio,inst,7
END
printf 'step,M,lds_fma\n05_x,256,0.25\n' >"$tree/reports/emulator.csv"
cat >"$tree/expected" <<'END'
05_x 2.000 - - 25.0 - 125.00 - 0.0625 0.2500 - - barrier 0.75
then g 1.000 - - - - 0.00 - - - - - wait 7.00
END
awk $lib/counters.awk "$tree/reports"/*.csv | awk '/^05_x|^  then/ {$1 = $1; print}' >"$tree/out"
same "the table of counters: loads an FMA, the emulator's beside them, the top stall; a second kernel"
echo '05_x 64 25 10 2' >"$tree/expected"
awk $lib/counters.awk points=1 "$tree/reports"/*.csv >"$tree/out"
same "the points of the roofline: FLOP/byte at L2 and at shared memory"

results=results/h200
cat >"$tree/fmas.awk" <<'END'
{
    csv($0, field)
    if (field[2] == "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum")
        ffma += field[4]
}
END { exit ffma < 4096 * 4096 * 4096 || ffma > 1.01 * 4096 * 4096 * 4096 }
END
for main in [0-9][0-9]_*/main.c; do
    step=$(dirname "$main")
    report=$results/profiles/$step.csv
    name="$report: the FMAs of 4096^3, an occupancy and a speed that can be"
    if [ ! -f "$report" ]; then
        skip "it is not measured" "$name"
        continue
    fi
    # 4096^3 multiply-adds, and no more than the padding of a tile beside them
    awk $lib/counters.awk points=1 "$report" >"$tree/out" 2>&1 &&
        awk -v step="$step" '$1 == step && $2 > 0 && $2 < 67 && $3 > 0 && $3 <= 100 && $4 > 0 {good++}
                             END {exit good != 1}' "$tree/out" &&
        awk -f common/see/csv.awk -f "$tree/fmas.awk" "$report" >>"$tree/out"
    ok $? "$name"
done
name="make counters has every step that is measured, and cuBLAS"
if [ -f $results/profiles/cuBLAS.csv ]; then
    make -s counters BACKEND=emu >"$tree/out" 2>&1 &&
        [ "$(grep -c '^[0-9][0-9]_' "$tree/out")" -ge "$(ls $results/profiles/[0-9]*.csv 2>/dev/null | wc -l)" ] &&
        grep -q '^cuBLAS' "$tree/out"
    ok $? "$name"
else
    skip "nothing is measured" "$name"
fi

mkdir "$tree/bin" "$tree/none"
for tool in awk sed mkdir grep cat paste tr; do ln -s "$(command -v $tool)" "$tree/bin/$tool"; done
PATH=$tree/bin /bin/sh common/see/profile.sh sweep "$tree/p" 4096 05_regtile_2d >"$tree/out" 2>&1
[ $? -eq 3 ] && grep -q 'install.*cuda-nsight-compute' "$tree/out" &&
    grep -q 'results/h200/profiles' "$tree/out"
ok $? "without ncu: the package, and the reports that are here"
printf '#!/bin/sh\necho "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission"; exit 1\n' \
    >"$tree/bin/ncu"
chmod +x "$tree/bin/ncu"
PATH=$tree/bin /bin/sh common/see/profile.sh sweep "$tree/p" 4096 05_regtile_2d >"$tree/out" 2>&1
[ $? -eq 3 ] && grep -q 'NVreg_RestrictProfilingToAdminUsers=0' "$tree/out" &&
    grep -q 'results/h200/profiles' "$tree/out"
ok $? "without permission: how to get it, and the reports that are here"

PATH=$tree/none /bin/sh common/emu/calibrate.sh 64 "$tree/none.csv" true >"$tree/out" 2>&1
[ $? -eq 3 ] && [ ! -f "$tree/none.csv" ] && grep -q 'install.*cuda-nsight-compute' "$tree/out"
ok $? "make calibrate without ncu: the package, no table"
PATH=$tree/bin:$PATH sh common/emu/calibrate.sh 64 "$tree/none.csv" true >"$tree/out" 2>&1
[ $? -eq 3 ] && [ ! -f "$tree/none.csv" ] && grep -q 'NVreg_RestrictProfilingToAdminUsers=0' "$tree/out"
ok $? "make calibrate without permission: how to get it, no table"

cat >"$tree/raw" <<'END'
==PROF== Connected to process 1
"ID","Kernel Name","Grid Size","gpu__time_duration.sum"
"","","","ns"
"0","path_mark()","(1, 1, 1)","10"
"1","void f<1, 2>(int, float)","(64, 64, 1)","1,000"
"2","path_mark()","(2, 1, 1)","10"
"3","pack(int)","(7, 1, 1)","2,000"
"4","void g(int)","(8, 8, 1)","3,000"
END
cat >"$tree/bin/ncu" <<END
#!/bin/sh
echo "\$@" >"$tree/arguments"
cat "$tree/raw"
END
chmod +x "$tree/bin/ncu"
PATH=$tree/bin /bin/sh common/see/counters.sh sweep "$tree/p" 64 01_x 02_x >"$tree/out" 2>&1 &&
    cat "$tree/p/01_x.csv" "$tree/p/02_x.csv" >>"$tree/out"
cat >"$tree/expected" <<'END'
launch,metric,unit,value
1,kernel,,"f<1, 2>"
1,gpu__time_duration.sum,ns,1000
launch,metric,unit,value
1,kernel,,"pack"
1,gpu__time_duration.sum,ns,2000
2,kernel,,"g"
2,gpu__time_duration.sum,ns,3000
END
same "one run of ncu, a file for each step, by the marks between them"
grep -q 'sweep --check --mark --step 01_x,02_x --size 64' "$tree/arguments" &&
    grep -q -- '--metrics gpu__time_duration.sum,.*stalled_wait' "$tree/arguments"
ok $? "ncu is asked for the metrics of the table"
cat >"$tree/raw" <<'END'
==PROF== Connected to process 1
"ID","Process Name","Kernel Name","Metric Name","Metric Unit","Metric Value"
"0","05_x","reference_kernel","l1tex__x.sum","","7"
"1","05_x","f","l1tex__x.sum","","1,234"
"1","05_x","f","smsp__y.sum","","0"
END
PATH=$tree/bin:$PATH sh common/emu/calibrate.sh 64 "$tree/table.csv" true >"$tree/out" 2>&1
sed 1d "$tree/table.csv" >>"$tree/out"
printf 'step,kernel,metric,value\ntrue,f,l1tex__x.sum,1234\ntrue,f,smsp__y.sum,0\n' >"$tree/expected"
same "make calibrate: a row a kernel and metric, without the reference"
make -s profile-05 BACKEND=emu >"$tree/out" 2>&1
[ $? -ne 0 ] && grep -q 'results/h200/profiles' "$tree/out"
ok $? "without a GPU: the reports that are here"

# ---- The pictures ----
# Four SMs, one block each: 1, 4 and 9 tiles take 1, 1 and 3 waves, at 100 TFLOP/s when full.
cat >"$tree/launches.csv" <<'END'
device,sms,step,kernel,threads,registers,smem,bm,bn,bk,tm,tn,resident
a,4,05_x,"f<1, 2>",256,128,0,128,128,8,8,8,1
END
cat >"$tree/sweep.csv" <<'END'
device,step,kernel,M,N,K,gflops,result
a,05_x,"f<1, 2>",128,128,128,20000,pass
a,05_x,"f<1, 2>",256,256,256,100000,pass
a,05_x,"f<1, 2>",255,255,255,1,pass
a,05_x,"f<1, 2>",384,384,384,75000,pass
a,06_x,"f<1, 2>",384,384,384,1,pass
END
printf '128 25\n256 100\n384 75\n\n\n128 20\n256 100\n384 75\n' >"$tree/expected"
awk $lib/waves.awk wanted=05_x "$tree/launches.csv" "$tree/sweep.csv" >"$tree/out"
same "the saw-tooth: tiles of the last wave that nobody needs"

# Two blocks an SM: 4 lone blocks at 256 take 0.8 of the time of 8, so 9 take 1.8 and 16 take 2.
sed 's/,1$/,2/' "$tree/launches.csv" >"$tree/pairs.csv"
cat >"$tree/two.csv" <<'END'
device,step,kernel,M,N,K,gflops,result
a,05_x,"f<1, 2>",256,256,256,62500,pass
a,05_x,"f<1, 2>",384,384,384,62500,pass
a,05_x,"f<1, 2>",512,512,512,100000,pass
END
printf '128 15.62\n256 62.5\n384 62.5\n512 100\n\n\n256 62.5\n384 62.5\n512 100\n' >"$tree/expected"
awk $lib/waves.awk wanted=05_x "$tree/pairs.csv" "$tree/two.csv" >"$tree/out"
same "the saw-tooth where two blocks share an SM: a lone one takes less than a pair"

cat >"$tree/ladder.csv" <<'END'
device,step,kernel,M,N,K,gflops,ratio,result
a,05_x,"f<1, 2>",1024,1024,1024,500,0.5,pass
a,05_x,"f<1, 2>",256,256,256,100,0.25,pass
a,05_x,"f<1, 2>",255,255,255,1,1,pass
a,05_x,"f<1, 2>",256,256,999,7,1,pass
a,06_x,"f<1, 2>",256,256,256,7,0.1,fail
END
printf '# 05_x\n256 0.1\n1024 0.5\n\n\n# 06_x\n0 NaN\n\n\n# cuBLAS\n256 0.4\n1024 1\n' >"$tree/expected"
awk $lib/sweep.awk "$tree/ladder.csv" >"$tree/out"
same "speeds in the order of sizes, cuBLAS's from the ratio; no failed ones"

# 2 * 512^3 FLOP in 512^3 / 16 sectors and 512^3 / 64 bank passes
cat >"$tree/calibration.csv" <<'END'
# a card
step,kernel,metric,value
05_x,f,l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum,8388607
05_x,f,l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum,1
05_x,f,l1tex__t_requests_pipe_lsu_mem_global_op_st.sum,99
05_x,f,smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum,2097152
END
echo '05_x 0.5 12.5 1 1' >"$tree/expected"
awk $lib/traffic.awk size=1024 "$tree/launches.csv" "$tree/ladder.csv" "$tree/calibration.csv" >"$tree/out"
same "the points of the roofline from make calibrate"

PATH=$tree/none /bin/sh common/see/plots.sh $results "$tree/svg" >"$tree/out" 2>&1
[ $? -eq 3 ] && grep -q 'install the package gnuplot-nox' "$tree/out"
ok $? "without gnuplot: the package"
for plot in roofline ladder sweep waves occupancy power; do
    name="$plot.svg from the CSV files in $results"
    if ! command -v gnuplot >/dev/null; then
        skip "there is no gnuplot" "$name"
        continue
    fi
    [ -d "$tree/svg" ] || sh common/see/plots.sh $results "$tree/svg" >"$tree/plots" 2>&1
    cp "$tree/plots" "$tree/out"
    if grep -q "^$plot.svg is left out" "$tree/out"; then
        skip "$(grep "^$plot.svg" "$tree/out")" "$name"
        continue
    fi
    # every step has a label, and the file is whole
    wanted=$(case $plot in
        roofline) echo 01 05 10 TFLOP ;;
        occupancy) echo 01_naive 10_stream_k ;;
        ladder) echo 01_naive 09_big_tile ;;
        waves) echo 09_big_tile predicted ;;
        power) echo zeros random MHz ;;
        *) echo 01_naive 10_stream_k cuBLAS ;;
        esac)
    grep -q '</svg>' "$tree/svg/$plot.svg" &&
        for word in $wanted; do grep -q "$word" "$tree/svg/$plot.svg" || echo "no $word"; done >>"$tree/out" &&
        ! grep -q '^no ' "$tree/out"
    ok $? "$name"
done

echo "1..$number"
exit $failed
