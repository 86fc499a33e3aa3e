# From the CSV of `make all`: "number step percent TFLOP/s" of each step at one size, for the bars.
# (awk -f csv.awk -f ladder.awk size=4096 ladder.csv)
NR == 1 {
    csv_header($0, column)
    next
}
{
    csv($0, field)
    if (field[column["M"]] == size && field[column["N"]] == size && field[column["K"]] == size &&
        field[column["result"]] == "pass" && field[column["ratio"]] != "")
        printf "%d %s %.1f %.2f\n", ++n, field[column["step"]], 100 * field[column["ratio"]],
               field[column["gflops"]] / 1000
}
