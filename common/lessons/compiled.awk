# The rows of results/sm_90/compiled.csv for -v step= and -v wanted="default; -DTM=4 -DTN=4", with the
# blocks that fit an SM of an H200; -v sum=: the checksum of kernel.cu.  "before": the step -v before=, of -v
# before_sum=, as it is.
BEGIN { FS = "," }
FNR == 1 {
    for (i = 1; i <= NF; i++)
        column[$i] = i
    next
}
$column["step"] == step || $column["step"] == before {
    row[$column["step"], $column["knobs"]] = $0
    version = $column["nvcc"]
}
END {
    print ""
    print "| constants | threads a block | registers a thread | bytes spilled | blocks an SM | warps an SM | shared loads of 4, 8, 16 bytes | FFMA |"
    print "|---|--:|--:|--:|--:|--:|--:|--:|"
    n = split(wanted, knobs, / *; */)
    for (i = 1; i <= n; i++) {
        key = knobs[i] == "default" || knobs[i] == "before" ? "" : knobs[i]
        of = knobs[i] == "before" ? before : step
        if (!((of, key) in row))
            complain("has no row for " of " \"" key "\"")
        split(row[of, key], r, ",")
        if (r[column["kernel_cksum"]] != (of == step ? sum : before_sum))
            complain("is older than " of "/kernel.cu")
        threads = r[column["threads"]]
        blocks = least(int(65536 / (int((r[column["registers"]] + 7) / 8) * 8 * threads)), int(2048 / threads))
        blocks = least(least(blocks, int(233472 / (r[column["smem"]] + 1024))), 32)
        printf "| %s | %d | %d | %d | %d | %d | %d, %d, %d | %d |\n", knobs[i] == "before" ? "`" before "`" : key == "" ? "as they are" : "`" key "`", threads,
            r[column["registers"]], r[column["spilled"]], blocks, blocks * threads / 32, r[column["lds4"]],
            r[column["lds8"]], r[column["lds16"]], r[column["ffma"]]
    }
    print ""
    print "nvcc " version ", sm_90; `results/sm_90/compiled.csv`. Blocks: what registers, threads and shared memory allow on an"
    print "H200. Spilled: values that found no register and live in memory. Shared loads and FFMA (FMA in FP32): instructions in"
    print "the code of the kernel, not executed ones."
    print ""
}
function least(a, b) {
    return a < b ? a : b
}
function complain(what) {
    print "results/sm_90/compiled.csv " what "; run make lessons where there is nvcc" >"/dev/stderr"
    exit 1
}
