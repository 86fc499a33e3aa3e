# From a CSV of `make power`: "size W MHz TFLOP/s" of the last second at each size.
# (awk -f csv.awk -f power.awk power_random.csv)
NR == 1 {
    csv_header($0, column)
    next
}
{
    csv($0, field)
    if (!(field[column["size"]] in last))
        order[++n] = field[column["size"]]
    last[field[column["size"]]] = field[column["watts"]] " " field[column["mhz"]] " " \
                                  field[column["tflops"]]
}
END {
    for (i = 1; i <= n; i++)
        print order[i], last[order[i]]
}
