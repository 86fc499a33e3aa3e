# The inner loops of a disassembly (nvdisasm -c) and what they are made of.  Of each kernel: the loop
# with the most FFMAs that holds no other loop with FFMAs.  With -v list=1 the loop with the greatest
# share of FFMAs comes first, instruction by instruction.

# "sgemm_kernel<true>" from "void sgemm_kernel<(bool)1>(int, int)"
function short_name(name) {
    sub(/^void /, "", name)
    gsub(/\((bool|int)\)/, "", name)
    sub(/\(.*/, "", name)
    gsub(/ /, "", name)
    return name
}

# 32, 64 or 128 bits, from the parts of "LDG.E.128.CONSTANT"
function width(op,   parts, k, i) {
    k = split(op, parts, ".")
    for (i = 2; i <= k; i++)
        if (parts[i] == "64" || parts[i] == "128")
            return parts[i]
    return 32
}

# A loop is what lies between a backward branch and its target.
function finish_kernel(   i, b, sum, inner, last, most) {
    last = most = 0
    for (b = 1; b <= count; b++) {
        ffma[b] = ffma[b - 1] + (op[b] ~ /^FFMA/)
        start[b] = target[b] in label && label[target[b]] <= b ? label[target[b]] : 0
        sum = start[b] ? ffma[b] - ffma[start[b] - 1] : 0
        inner = sum > most
        for (i = start[b]; inner && i < b; i++)
            if (start[i] >= start[b] && ffma[i] > ffma[start[i] - 1])
                inner = 0
        if (inner) {
            most = sum
            last = b
        }
    }
    if (last)
        keep_loop(start[last], last)
    count = 0
    delete label
}

function keep_loop(from, to,   i, family) {
    name[++loops] = kernel
    for (i = from; i <= to; i++) {
        family = op[i]
        sub(/\..*/, "", family)
        if (family == "NOP")
            continue
        total[loops]++
        if (family ~ /^FFMA/)
            n[loops, "FFMA"]++
        if (family ~ /^(BAR|SYNCS)$/)
            n[loops, family]++
        if (family ~ /^(LDS|STS|LDG|LDGSTS)$/)
            n[loops, family, width(op[i])]++
        listing[loops] = listing[loops] text[i] "\n"
    }
    share[loops] = n[loops, "FFMA"] / total[loops]
}

function widths(i, family) {
    return sprintf("%d/%d/%d", n[i, family, 32], n[i, family, 64], n[i, family, 128])
}

/^[ \t]*\.section[ \t]+\.text\./ {
    finish_kernel()
    kernel = $0
    sub(/^[ \t]*\.section[ \t]+\.text\. ?/, "", kernel)
    sub(/,"ax".*/, "", kernel)
    kernel = short_name(kernel)
}

/^\.L_/ {
    label[substr($1, 1, length($1) - 1)] = count + 1
}

# "        /*2f50*/              @!P0 BRA `(.L_x_1) ;"
match($0, /^[ \t]*\/\*[0-9a-f]+\*\/[ \t{]+/) {
    address = $1
    gsub(/[\/*]/, "", address)
    line = substr($0, RLENGTH + 1)
    sub(/[ \t]*;.*/, "", line)
    text[++count] = address "  " line
    sub(/^@!?U?P[0-9T]+[ \t]+/, "", line)
    op[count] = line
    sub(/[ \t].*/, "", op[count])
    target[count] = op[count] ~ /^BRA/ && match(line, /\.L_[A-Za-z0-9_]+/) ? \
                    substr(line, RSTART, RLENGTH) : ""
}

END {
    finish_kernel()
    if (!loops) {
        print "no loop with an FFMA in it; expected what nvdisasm -c prints of a kernel" \
            >"/dev/stderr"
        exit 1
    }
    wide = length("kernel")
    best = 1
    for (i = 1; i <= loops; i++) {
        if (length(name[i]) > wide)
            wide = length(name[i])
        if (share[i] > share[best])
            best = i
    }
    if (list)
        printf "%s\n%s\n", name[best], listing[best]
    row = "%-" wide "s  %5s  %5s  %6s  %8s  %8s  %8s  %8s  %8s  %4s  %5s\n"
    printf row, "kernel", "instr", "FFMA", "FFMA %", "LDS", "STS", "LDG", "LDGSTS", "LDS/FFMA",
           "BAR", "SYNCS"
    for (i = 1; i <= loops; i++) {
        lds = n[i, "LDS", 32] + n[i, "LDS", 64] + n[i, "LDS", 128]
        printf row, name[i], total[i], n[i, "FFMA"], sprintf("%.1f", 100 * share[i]),
               widths(i, "LDS"), widths(i, "STS"), widths(i, "LDG"), widths(i, "LDGSTS"),
               sprintf("%.4f", lds / n[i, "FFMA"]), n[i, "BAR"] + 0, n[i, "SYNCS"] + 0
    }
    print "LDS, STS, LDG, LDGSTS: instructions of 32/64/128 bits; BAR: __syncthreads(); SYNCS: " \
          "mbarriers"
}
