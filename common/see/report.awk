# One metric a line from ncu's raw page, where a launch is a line (awk -f csv.awk -f report.awk).
# What the machine is like, and minima and maxima over its parts, are left out.
NR == 1 {
    n = csv($0, name)
    print "launch,kernel,metric,unit,value"
    next
}
NR == 2 {
    csv($0, unit)
    next
}
{
    csv($0, value)
    for (i = 1; i <= n; i++)
        if (name[i] == "Kernel Name")
            kernel = value[i]
    sub(/^void /, "", kernel)
    sub(/\(.*/, "", kernel)
    for (i = 1; i <= n; i++) {
        if (name[i] !~ /^[a-z0-9]+__/ || name[i] ~ /^(c2clink|derived|device__attr|nvlink|numa|profiler)/ ||
            name[i] ~ /\.(min|max)(\.|$)/ || name[i] ~ /\.sum\.p/)
            continue
        gsub(/,/, "", value[i])
        printf "%d,\"%s\",%s,%s,%s\n", NR - 2, kernel, name[i], unit[i], value[i]
    }
}
