# From the CSV of `make sweep`, for gnuplot: a block of "size TFLOP/s" for each step, cuBLAS last, with
# two blank lines between (gnuplot's `index`).  (awk -f csv.awk -f sweep.awk [odd=1] sweep.csv)
# With odd=1: the sizes that are no multiples of 128; else those that are.
NR == 1 {
    csv_header($0, column)
    next
}
{
    csv($0, field)
    size = field[column["N"]]
    step = field[column["step"]]
    if (!(step in points))
        order[++steps] = step
    points[step] = points[step] ""
    if ((size % 128 != 0) == (odd != 0) && field[column["result"]] == "pass")
        points[step] = points[step] size " " field[column["gflops"]] / 1000 "\n"
}
END {
    for (i = 1; i <= steps; i++)
        if (order[i] != "cuBLAS")
            printf "# %s\n%s\n\n", order[i], points[order[i]] == "" ? "0 NaN\n" : points[order[i]]
    printf "# cuBLAS\n%s", points["cuBLAS"]
}
