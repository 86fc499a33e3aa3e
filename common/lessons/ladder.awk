# Rows of the measured ladder as a table: -v steps="04 05"; reads results/h200/ladder.csv.
BEGIN { FS = "," }
FNR == 1 {
    for (i = 1; i <= NF; i++)
        column[$i] = i
    next
}
$column["M"] == $column["N"] && $column["N"] == $column["K"] && $column["data"] == "random" {
    number_of = substr($column["step"], 1, 2)
    size = $column["N"]
    if (!(size in seen)) {
        seen[size] = 1
        sizes[++num_sizes] = size
    }
    name[number_of] = $column["step"]
    cell[number_of, size] = $column["result"] == "pass" ? sprintf("%.1f", 100 * $column["ratio"]) : "FAIL"
    speed[number_of, size] = $column["gflops"] / 1000
    where = $column["device"] ", " substr($column["date"], 1, 10) ", CUDA " $column["cuda"] ", cuBLAS " $column["cublas"]
}
END {
    print ""
    printf "| %% of cuBLAS at"
    for (j = 1; j <= num_sizes; j++)
        printf " | %s", sizes[j]
    print " | TFLOP/s at " sizes[num_sizes] " |"
    printf "|---"
    for (j = 0; j <= num_sizes; j++)
        printf "|--:"
    print "|"
    n = split(steps, wanted, " ")
    for (i = 1; i <= n; i++) {
        s = wanted[i]
        if (!(s in name)) {
            printf "| step %s, not measured", s
            for (j = 0; j <= num_sizes; j++)
                printf " | -"
            print " |"
            continue
        }
        printf "| `%s`", name[s]
        for (j = 1; j <= num_sizes; j++)
            printf " | %s", (s, sizes[j]) in cell ? cell[s, sizes[j]] : "-"
        printf " | %.2f |\n", speed[s, sizes[num_sizes]]
    }
    print ""
    print where "; `results/h200/ladder.csv`."
    print ""
}
