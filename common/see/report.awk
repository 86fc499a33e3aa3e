# One metric a line from ncu's raw page, where a launch is a line (awk -f csv.awk -f report.awk).
# What the machine is like, and minima and maxima over its parts, are left out.
NR == 1 {
    n = csv($0, name)
    print "launch,metric,unit,value"
    next
}
NR == 2 {
    csv($0, unit)
    next
}
{
    csv($0, value)
    for (i = 1; i <= n; i++)
        if (name[i] == "Kernel Name") {
            sub(/^void /, "", value[i])
            sub(/\(.*/, "", value[i])
            printf "%d,kernel,,\"%s\"\n", NR - 2, value[i]
        }
    for (i = 1; i <= n; i++) {
        if (name[i] !~ /^[a-z0-9]+__/ || name[i] ~ /\.(min|max)(\.|$)/ || name[i] ~ /\.sum\.p/ ||
            name[i] ~ /^(c2clink|derived|device__attr|nvlink|numa|profiler)/)
            continue
        gsub(/,/, "", value[i])
        printf "%d,%s,%s,%s\n", NR - 2, name[i], unit[i], value[i]
    }
}
