# The table over all steps from the CSV of --counts: what was counted, and after "!" what main.c
# predicted where that differs.
BEGIN {
    FS = ","
    n = split("ld_sectors st_sectors lds_fma sts_fma ld_passes st_passes conflicts gf_out " \
              "flop_byte blocks barriers findings", keys, " ")
    split("ld sect|st sect|lds/FMA|sts/FMA|ld pass|st pass|conflicts|gf/out|F/byte|blocks|" \
          "barriers|findings", titles, "|")
}
function figure(x, size) {
    if (x == "")
        return "-"
    size = x < 0 ? -x : x
    return x == int(x) ? x + 0 : sprintf(size >= 100 ? "%.1f" : size >= 10 ? "%.2f" : \
                                         size >= 1 ? "%.3f" : "%.4f", x)
}
function differs(counted, predicted, gap) {
    gap = counted - predicted
    return counted != "" && predicted != "" && (gap < 0 ? -gap : gap) > 1e-6 * counted
}
NR == 1 {
    for (i = 1; i <= NF; i++)
        column[$i] = i
    next
}
{
    rows++
    cell[rows, 0] = $column["step"]
    size[rows] = $column["M"] == $column["N"] && $column["N"] == $column["K"] ? $column["M"] : \
                 $column["M"] "x" $column["N"] "x" $column["K"]
    result[rows] = $column["result"] == "pass" ? "pass" : "FAIL"
    for (j = 1; j <= n; j++) {
        counted = $column[keys[j]]
        predicted = $column[keys[j] "_predicted"]
        cell[rows, j] = figure(counted)
        if (differs(counted, predicted)) {
            cell[rows, j] = cell[rows, j] "!" figure(predicted)
            marked = 1
        }
        if (length(cell[rows, j]) > width[j])
            width[j] = length(cell[rows, j])
    }
}
END {
    printf "%-20s%6s  %-6s", "counts", "size", "result"
    for (j = 1; j <= n; j++) {
        if (length(titles[j]) > width[j])
            width[j] = length(titles[j])
        printf "  %*s", width[j], titles[j]
    }
    print ""
    for (r = 1; r <= rows; r++) {
        printf "%-20s%6s  %-6s", cell[r, 0], size[r], result[r]
        for (j = 1; j <= n; j++)
            printf "  %*s", width[j], cell[r, j]
        print ""
    }
    print "sect: sectors of 32 bytes a global load or store request; lds, sts: shared loads and " \
          "stores; pass: bank passes"
    print "a shared request; gf/out: floats of global memory an output; barriers: a thread" \
          (marked ? "; x!y: counted x, predicted y" : "")
}
