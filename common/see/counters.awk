# The table of counters from what counters.sh or profile.sh leaves, one CSV a step, named by the step
# (awk -f csv.awk -f counters.awk emulator.csv 01_naive.csv ...).  emulator.csv: the loads as the
# source has them, from the emulator's --counts; it may be missing.
# points=1: for the plots, lines of step, TFLOP/s, occupancy, FLOP/byte at L2 and at shared memory.
function cell(x, format) {
    return x == "" ? "-" : sprintf(format, x)
}
function millions(x) {
    return x == "" ? "-" : sprintf("%.2f", x / 1e6)
}
# What a warp waits for most, in cycles for each instruction; being ready and not chosen is no wait.
function top_stall(l,   name, most, top) {
    most = -1
    for (name in stalls)
        if (value[l, name] + 0 > most) {
            most = value[l, name] + 0
            top = stalls[name]
        }
    return sprintf("%s %.2f", top, most)
}
BEGIN {
    pct = ".avg.pct_of_peak_sustained_"
    lds = "smsp__inst_executed_op_shared_ld.sum"
    conflicts = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"
    wavefronts = "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"
    ffma = "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"
    sectors = "lts__t_sectors_srcunit_tex.sum"
    fma_pipe = "sm__pipe_fma_cycles_active" pct "active"
    issue = "smsp__issue_active" pct "active"
}
FNR == 1 {
    csv_header($0, column)
    step = FILENAME
    sub(/.*\//, "", step)
    sub(/\.csv$/, "", step)
    next
}
step == "emulator" {
    csv($0, field)
    source[field[column["step"]]] = field[column["lds_fma"]]
    next
}
{
    csv($0, field)
    l = step SUBSEP field[column["launch"]]
    if (!(l in step_of)) {
        launch[++launches] = l
        step_of[l] = step
    }
    name = field[column["metric"]]
    if (name == "kernel") {
        kernel[l] = field[column["value"]]
        sub(/<.*/, "", kernel[l])
    }
    value[l, name] = field[column["value"]]
    if (name ~ /^smsp__average_warps_issue_stalled_.*_per_issue_active\.ratio$/ &&
        name !~ /_selected_/) {
        stall = name
        sub(/^smsp__average_warps_issue_stalled_/, "", stall)
        sub(/_per_issue_active\.ratio$/, "", stall)
        stalls[name] = stall
    }
}
END {
    if (!launches) {
        print "counters: no report was given; make profile writes them" >"/dev/stderr"
        exit 1
    }
    row = "%-18s %7s %5s %5s %5s %5s %8s %8s %8s %8s %5s %5s  %s\n"
    if (!points) {
        printf row, "", "", "SM", "mem", "occ", "", "LDS", "bank", "LDS/FMA", "in the", "FMA",
               "issue", ""
        printf row, "step", "ms", "%", "%", "%", "regs", "million", "confl.M", "executed", "source",
               "pipe%", "act.%", "top stall"
    }
    for (i = 1; i <= launches; i++) {
        l = launch[i]
        ms = value[l, "gpu__time_duration.sum"] / 1e6
        fmas = value[l, ffma] + 0
        if (points) {
            if (fmas)
                printf "%s %.4g %.4g %.4g %s\n", step_of[l], 2 * fmas / ms / 1e9,
                   value[l, "sm__warps_active" pct "active"], 2 * fmas / (32 * value[l, sectors]),
                   value[l, lds] + 0 ? 2 * fmas / (128 * value[l, wavefronts]) : "NaN"
            continue
        }
        first = i == 1 || step_of[launch[i - 1]] != step_of[l]
        printf row, first ? step_of[l] : "  then " kernel[l], cell(ms, "%.3f"),
               cell(value[l, "sm__throughput" pct "elapsed"], "%.1f"),
               cell(value[l, "gpu__compute_memory_throughput" pct "elapsed"], "%.1f"),
               cell(value[l, "sm__warps_active" pct "active"], "%.1f"),
               cell(value[l, "launch__registers_per_thread"], "%d"),
               millions(value[l, lds]), millions(value[l, conflicts]),
               cell(fmas ? value[l, lds] * 32 / fmas : "", "%.4f"),
               cell(fmas ? source[step_of[l]] : "", "%.4f"), cell(value[l, fma_pipe], "%.1f"),
               cell(value[l, issue], "%.1f"), top_stall(l)
    }
    if (!points)
        print "SM, mem, FMA pipe: % of the peak; occ: warps on an SM, % of 64; issue act.: % of " \
              "cycles; LDS: shared-load instructions of warps;\nin the source: loads as written, " \
              "by the emulator; top stall: what a warp waits for most, in cycles an instruction"
}
