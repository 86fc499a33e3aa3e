# The emulator's counts beside those of a card, in Markdown: a cell is one number where both agree, else
# "emulated → measured".  Input: the CSV of --counts, then that of calibrate.sh.
BEGIN {
    FS = ","
    n = split("global_load_requests global_load_sectors global_store_requests global_store_sectors " \
              "shared_load_requests shared_load_passes shared_store_requests shared_store_passes " \
              "conflicts", keys, " ")
}
# The quantity that a metric belongs to.
function key_of(metric) {
    if (metric ~ /global_op_ld/) return metric ~ /requests/ ? keys[1] : keys[2]
    if (metric ~ /global_op_st/) return metric ~ /requests/ ? keys[3] : keys[4]
    if (metric ~ /bank_conflicts/) return keys[9]
    if (metric ~ /inst_executed/) return metric ~ /shared_ld/ ? keys[5] : keys[7]
    return metric ~ /shared_op_ld\./ ? keys[6] : keys[8]
}
FNR == 1 && !emulated { for (i = 1; i <= NF; i++) column[$i] = i; emulated = 1; next }
/^#/ { source = substr($0, 3); next }
$1 == "step" { next }
source == "" {
    steps[++rows] = $1
    for (i = 1; i <= n; i++) count[$1, keys[i]] = $column[keys[i]]
    next
}
{ measured[$1, key_of($3)] += $4 }
function table(title, first, last, names,   i, r, a, b) {
    print "| " title " | " names " |"
    printf "|---|"
    for (i = first; i <= last; i++) printf "---:|"
    print ""
    for (r = 1; r <= rows; r++) {
        printf "| `%s` |", steps[r]
        for (i = first; i <= last; i++) {
            a = count[steps[r], keys[i]]
            b = measured[steps[r], keys[i]]
            printf a == b ? " %d |" : " %d → %d |", a, b
        }
        print ""
    }
    print ""
}
END {
    print source ".\n"
    table("global", 1, 4, "load requests | load sectors | store requests | store sectors")
    table("shared", 5, 9, "load requests | load passes | store requests | store passes | conflicts")
}
