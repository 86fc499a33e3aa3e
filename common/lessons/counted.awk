# A step beside the one before: how many times faster at four sizes, and what Nsight Compute counted in one
# launch of each.  (awk -f csv.awk -f counted.awk sweep.csv ladder.csv 06_x.csv 07_y.csv; the last
# two from profiles/)  Of the two files with times the later one counts.
BEGIN {
    n = split("1024 2048 4096 8192", sizes, " ")
    waits = split("long_scoreboard=global memory;short_scoreboard=shared memory;barrier=the others of the block;" \
                  "dispatch_stall=the dispatch;math_pipe_throttle=the FMA pipe;mio_throttle=the queue to memory;" \
                  "lg_throttle=the queue to global memory;wait=a fixed delay;no_instruction=the next instruction;" \
                  "branch_resolving=a branch;membar=a fence;drain=stores at the end;imc_miss=a constant;" \
                  "tex_throttle=the queue to textures;sleeping=a sleep;misc=others", wait, ";")
}
FNR == 1 {
    csv_header($0, column)
    files++
    step = FILENAME
    sub(/.*\//, "", step)
    sub(/\.csv$/, "", step)
    if (files > 2)
        name[files - 2] = step
    next
}
{
    csv($0, field)
}
files <= 2 {
    if (field[column["M"]] == field[column["N"]] && field[column["N"]] == field[column["K"]] &&
        field[column["result"]] == "pass")
        ms[field[column["step"]], field[column["N"]], files] = field[column["ms"]]
    where = field[column["device"]] ", " substr(field[column["date"]], 1, 10) ", CUDA " field[column["cuda"]]
    next
}
field[column["launch"]] == 1 { # the kernel that multiplies
    value[files - 2, field[column["metric"]]] = field[column["value"]]
}
function ratio(i, over, under) {
    return value[i, under] + 0 ? value[i, over] / value[i, under] : missing()
}
function gain(size,   file) {
    for (file = 2; file > 0; file--)
        if ((name[1], size, file) in ms && (name[2], size, file) in ms)
            return ms[name[1], size, file] / ms[name[2], size, file]
    return missing()
}
function of(i, metric) {
    return (i, metric) in value ? value[i, metric] : missing()
}
function missing() {
    failed = 1
    return 0
}
function line(what, format, a, b) {
    printf "| %s | " format " | " format " |\n", what, a, b
}
END {
    active = "sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_active"
    elapsed = "sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_elapsed"
    ffma = "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"
    printf "\n| times faster than `%s` at", name[1]
    for (i = 1; i <= n; i++)
        printf " | %s", sizes[i]
    print " |\n|---|--:|--:|--:|--:|"
    printf "| `%s`", name[2]
    for (i = 1; i <= n; i++)
        printf " | %.2f", gain(sizes[i])
    print " |\n"
    printf "| one launch at 4096 | `%s` | `%s` |\n|---|--:|--:|\n", name[1], name[2]
    line("registers a thread", "%d", of(1, "launch__registers_per_thread"), of(2, "launch__registers_per_thread"))
    line("instructions that spill", "%d", of(1, "sass__inst_executed_register_spilling"),
         of(2, "sass__inst_executed_register_spilling"))
    line("warps on an SM", "%.1f", of(1, "sm__warps_active.avg.per_cycle_active"),
         of(2, "sm__warps_active.avg.per_cycle_active"))
    line("SMs at work, % of the time", "%.1f", 100 * ratio(1, elapsed, active), 100 * ratio(2, elapsed, active))
    line("instructions of warps, 10^9", "%.3f", of(1, "smsp__inst_executed.sum") / 1e9,
         of(2, "smsp__inst_executed.sum") / 1e9)
    line("issue slots taken, %", "%.1f", of(1, "smsp__issue_active.avg.pct_of_peak_sustained_active"),
         of(2, "smsp__issue_active.avg.pct_of_peak_sustained_active"))
    line("FMA pipe busy, %", "%.1f", of(1, active), of(2, active))
    line("passes of shared memory an FMA", "%.3f",
         32 * ratio(1, "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", ffma),
         32 * ratio(2, "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", ffma))
    for (i = 1; i <= waits; i++) {
        split(wait[i], word, "=")
        metric = "smsp__average_warps_issue_stalled_" word[1] "_per_issue_active.ratio"
        if (of(1, metric) >= 0.1 || of(2, metric) >= 0.1)
            line("waiting for " word[2] " (`" word[1] "`), cycles an instruction", "%.2f", of(1, metric),
                 of(2, metric))
    }
    print "\n" where "; `results/h200/ladder.csv`, at 8192 `sweep.csv`, and `profiles/`. Slots and pipe: % of the"
    print "cycles in which an SM has work.\n"
    exit failed
}
