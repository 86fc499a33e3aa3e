# The matrix step x size from the CSV of `make all`: % of cuBLAS, or pass where there is no cuBLAS.
# Fields are counted from the end: a device's name may hold a comma.
BEGIN {
    FS = ","
    num_steps = split(steps, step_names, /[ \n]+/)
    num_sizes = split(sizes, size_names, ",")
}
FNR > 1 && $(NF - 10) == $(NF - 9) && $(NF - 9) == $(NF - 8) {
    key = $(NF - 12) SUBSEP $(NF - 10)
    gflops = $(NF - 4)
    ratio = $(NF - 3)
    if ($NF != "pass")
        cell[key] = "FAIL"
    else if (ratio == "")
        cell[key] = "pass"
    else {
        cell[key] = sprintf("%.1f", 100 * ratio)
        baseline[$(NF - 10)] = gflops / ratio / 1000
        timed = 1
    }
}
END {
    printf "%-24s", timed ? "% of cuBLAS" : "result"
    for (j = 1; j <= num_sizes; j++)
        printf "%8s", size_names[j]
    print ""
    for (i = 1; i <= num_steps; i++) {
        printf "%-24s", step_names[i]
        for (j = 1; j <= num_sizes; j++) {
            key = step_names[i] SUBSEP size_names[j]
            printf "%8s", (key in cell) ? cell[key] : "FAIL" # no row: it ended before
        }
        print ""
    }
    if (timed) {
        printf "%-24s", "cuBLAS, TFLOP/s"
        for (j = 1; j <= num_sizes; j++) {
            size = size_names[j]
            printf "%8s", (size in baseline) ? sprintf("%.1f", baseline[size]) : "-"
        }
        print ""
    }
}
