# From the CSV of `make sweep` or of `make all`, for gnuplot: a block of "size TFLOP/s" for each step,
# cuBLAS last, with two blank lines between (gnuplot's `index`).
# (awk -f csv.awk -f sweep.awk [odd=1] FILE...)  odd=1: sizes that are no multiples of 128; else those that are.
FNR == 1 {
    csv_header($0, column)
    next
}
{
    csv($0, field)
    size = field[column["N"]] + 0
    step = field[column["step"]]
    if (step !~ /^[0-9]|^cuBLAS$/ || field[column["M"]] != size || field[column["K"]] != size)
        next
    if (!(step in known) && step != "cuBLAS")
        order[++steps] = step
    known[step] = 1
    if ((size % 128 != 0) != (odd != 0) || field[column["result"]] != "pass")
        next
    if (!(size in seen)) {
        for (i = ++sizes; i > 1 && sorted[i - 1] > size; i--)
            sorted[i] = sorted[i - 1]
        sorted[i] = size
        seen[size] = 1
    }
    speed[step, size] = field[column["gflops"]] / 1000
    if (field[column["ratio"]] > 0) # `make all` times cuBLAS beside each step
        speed["cuBLAS", size] = speed[step, size] / field[column["ratio"]]
}
END {
    order[++steps] = "cuBLAS"
    for (s = 1; s <= steps; s++) {
        printf "# %s\n", order[s]
        lines = 0
        for (i = 1; i <= sizes; i++)
            if ((order[s], sorted[i]) in speed) {
                printf "%d %.4g\n", sorted[i], speed[order[s], sorted[i]]
                lines++
            }
        if (!lines)
            print "0 NaN"
        if (s < steps)
            printf "\n\n"
    }
}
