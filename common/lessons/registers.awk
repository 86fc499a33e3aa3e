# The rows of results/sm_90/registers.csv for -v step= and -v wanted="default; -DTM=4 -DTN=4", with
# the blocks that fit an SM of an H200; -v sum=: the checksum of kernel.cu.
BEGIN { FS = "," }
FNR > 1 && $1 == step {
    row[$2] = $0
    version = $7
}
END {
    print ""
    print "| constants | threads a block | registers a thread | bytes spilled | blocks an SM | warps an SM |"
    print "|---|--:|--:|--:|--:|--:|"
    n = split(wanted, knobs, / *; */)
    for (i = 1; i <= n; i++) {
        key = knobs[i] == "default" ? "" : knobs[i]
        if (!(key in row)) {
            print "results/sm_90/registers.csv has no row for " step " \"" key "\": make lessons, where there is nvcc" >"/dev/stderr"
            exit 1
        }
        split(row[key], r, ",")
        if (r[8] != sum) {
            print "results/sm_90/registers.csv is older than " step "/kernel.cu: make lessons, where there is nvcc" >"/dev/stderr"
            exit 1
        }
        label = key == "" ? "as they are" : "`" key "`"
        blocks = int(65536 / (int((r[4] + 7) / 8) * 8 * r[3]))
        if (blocks > int(2048 / r[3]))
            blocks = int(2048 / r[3])
        if (blocks > int(233472 / (r[6] + 1024)))
            blocks = int(233472 / (r[6] + 1024))
        if (blocks > 32)
            blocks = 32
        printf "| %s | %d | %d | %d | %d | %d |\n", label, r[3], r[4], r[5], blocks, blocks * r[3] / 32
    }
    print ""
    print "nvcc " version ", sm_90; `results/sm_90/registers.csv`. Blocks: what registers, threads and shared memory allow."
    print ""
}
