# From the CSV of `make peak`: gnuplot's variables.  (awk -f csv.awk -f peak.awk peak.csv)
BEGIN {
    variable["FP32 FMA"] = "flops"
    variable["device memory"] = "dram"
    variable["L2"] = "l2"
    variable["shared memory"] = "shared"
}
NR == 1 {
    csv_header($0, column)
    next
}
{
    csv($0, field)
    printf "%s = %s; ", variable[field[column["what"]]], field[column["measured"]]
}
