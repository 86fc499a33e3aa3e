# Included by the other scripts (awk -f csv.awk -f ...): CSV lines with quoted fields.
function csv(line, out,   n, i, c, field, quoted) {
    for (n = i = quoted = 0; i++ < length(line);) {
        c = substr(line, i, 1)
        if (c == "\"")
            quoted = !quoted
        else if (c == "," && !quoted) {
            out[++n] = field
            field = ""
        } else
            field = field c
    }
    out[++n] = field
    return n
}

# The columns of a header: out["size"] is its number.
function csv_header(line, out,   names, n, i) {
    n = csv(line, names)
    delete out
    for (i = 1; i <= n; i++)
        out[names[i]] = i
    return n
}
