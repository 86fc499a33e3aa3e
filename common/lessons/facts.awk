# What the formulas of the lessons may use: the GPUs' data, and the measured ladder.

# Theory, from the vendors' data: SMs, FP32 FMA a cycle and SM, boost clock in GHz, GB/s.
function sms(gpu) {
    return gpu == "H200" ? 132 : gpu == "T4" ? 40 : gpu == "A6000" ? 84 : gpu == "GB10" ? 48 : nan()
}
function peak_tflops(gpu) {
    return gpu == "H200" ? 132 * 128 * 2 * 1.98 / 1000 : gpu == "T4" ? 40 * 64 * 2 * 1.5 / 1000 : gpu == "A6000" ? 30 : gpu == "GB10" ? 29.5 : nan()
}
function bandwidth_gbs(gpu) {
    return gpu == "H200" ? 4800 : gpu == "T4" ? 320 : gpu == "A6000" ? 768 : gpu == "GB10" ? 273 : nan()
}

function ceil(x) {
    return x == int(x) ? x : int(x) + (x > 0)
}
function max(a, b) {
    return a > b ? a : b
}
function min(a, b) {
    return a < b ? a : b
}

# ms("05", 4096) and the like: from results/h200/ladder.csv; the last row counts
function read_ladder(file,    line, n, i, cells, column, key) {
    getline line <file
    n = split(line, cells, ",")
    for (i = 1; i <= n; i++)
        column[cells[i]] = i
    while ((getline line <file) > 0) {
        split(line, cells, ",")
        if (cells[column["M"]] != cells[column["N"]] || cells[column["N"]] != cells[column["K"]] ||
            cells[column["result"]] != "pass" || cells[column["data"]] != "random")
            continue
        key = substr(cells[column["step"]], 1, 2) SUBSEP cells[column["N"]]
        ladder_ms[key] = cells[column["ms"]]
        ladder_ratio[key] = cells[column["ratio"]]
    }
    close(file)
}
function ms(step, size) {
    return (step, size) in ladder_ms ? ladder_ms[step, size] : missing(step, size)
}
function percent(step, size) {
    return (step, size) in ladder_ratio ? 100 * ladder_ratio[step, size] : missing(step, size)
}
function tflops(step, size) {
    return 2 * size * size * size / ms(step, size) / 1e9
}
function missing(step, size) {
    return nan()
}

function nan() {
    return log(-1)
}

# Four digits are enough; thousands in groups.
function number(x,    text, sign) {
    if (x ~ /nan/)
        return "not measured"
    if (x != int(x) && x < 1000 && x > -1000)
        return sprintf("%.4g", x)
    text = sprintf("%.0f", x < 0 ? -x : x)
    sign = x < 0 ? "-" : ""
    while (match(text, /^[0-9]+[0-9][0-9][0-9](,|$)/)) {
        match(text, /^[0-9]+/)
        text = substr(text, 1, RLENGTH - 3) "," substr(text, RLENGTH - 2)
    }
    return sign text
}

# counter("06", "lds"): what Nsight Compute counted in the kernels of a step at N = 512, from
# results/h200/calibration_512.csv.
function counter(step, name,    file, line, cells, n, sum) {
    if (!counter_names)
        name_counters()
    file = "results/h200/calibration_512.csv"
    sum = "none"
    while ((getline line <file) > 0) {
        n = split(line, cells, ",") # a kernel's name may hold commas: count from the end
        if (substr(cells[1], 1, 2) == step && cells[n - 1] == counter_of[name])
            sum += cells[n]
    }
    close(file)
    return sum == "none" ? nan() : sum
}
# profile("01", "data_stage"): what it counted in the first kernel of a step at N = 4096, from
# results/h200/profiles/.
function profile(step, name,    list, file, line, cells, value) {
    if (!counter_names)
        name_counters()
    list = "ls results/h200/profiles/" step "_*.csv"
    list | getline file
    close(list)
    value = nan()
    while ((getline line <file) > 0) {
        split(line, cells, ",")
        if (cells[1] == 1 && cells[2] == counter_of[name])
            value = cells[4] + 0
    }
    close(file)
    return value
}
function name_counters() {
    counter_names = 1
    counter_of["load_sectors"] = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
    counter_of["load_requests"] = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"
    counter_of["store_sectors"] = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"
    counter_of["store_requests"] = "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"
    counter_of["lds"] = "smsp__sass_inst_executed_op_shared_ld.sum"
    counter_of["lds_passes"] = "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"
    counter_of["sts"] = "smsp__sass_inst_executed_op_shared_st.sum"
    counter_of["sts_passes"] = "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum"
    counter_of["sts_conflicts"] = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"
    counter_of["copies"] = "smsp__sass_inst_executed_op_ldgsts.sum"
    counter_of["requests"] = "l1tex__lsuin_requests.avg.pct_of_peak_sustained_elapsed"
    counter_of["data_stage"] = "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed"
    counter_of["instructions"] = "smsp__inst_executed.sum"
    counter_of["issue"] = "smsp__issue_active.avg.pct_of_peak_sustained_active"
    counter_of["mio_throttle"] = "smsp__average_warps_issue_stalled_mio_throttle_per_issue_active.ratio"
}
