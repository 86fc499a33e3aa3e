# Figure: in which bank and in which pass each lane of one shared-memory request is served.
#   awk ... -v array=As -v kind=store -v parts=1 -v title1=... -v title2=... -f banks.awk before.csv after.csv
# The first request of that kind to that array is drawn for each trace; parts: how many of its parts
# (quarters of the warp where a lane moves 16 bytes).
BEGIN { FS = "," }
FNR == 1 {
    trace++
    found = 0
    next
}
$5 == array && $6 == kind && !found {
    found = 1
    bytes[trace] = $7
    for (i = 0; i < 32; i++)
        address[trace, i] = $(9 + i)
}
END {
    cell = 20
    left = 92
    y = 30
    # The height is known once all is placed.
    for (t = 1; t <= trace; t++)
        y = place(t, y)
    svg_open(760, y + 6, "Banks of shared memory, pass by pass")
    printf "%s%s", drawn, labels
    svg_close()
}
function place(t, y,    part, lanes, lane, from, words, w, word, bank, pass, passes, owner, seen, depth, key, total) {
    words = bytes[t] / 4
    lanes = 32 / words
    total = 0
    header = y
    y += 18
    for (bank = 0; bank < 32; bank += 4)
        add_text("dim", left + bank * cell + cell / 2, y, bank, "middle", 11)
    add_text("dim", left - 8, y, "bank", "end", 11)
    y += 6
    for (part = 0; part < parts && part < words; part++) {
        split("", depth)
        split("", seen)
        split("", owner)
        passes = 0
        for (lane = part * lanes; lane < (part + 1) * lanes; lane++)
            for (w = 0; w < words; w++) {
                word = address[t, lane] / 4 + w
                bank = word % 32
                if (word in seen) {
                    if (w == 0)
                        owner[bank, seen[word]] = owner[bank, seen[word]] "+"
                    continue
                }
                pass = seen[word] = ++depth[bank]
                owner[bank, pass] = lane
                first[bank, pass] = w == 0
                if (pass > passes)
                    passes = pass
            }
        for (pass = 1; pass <= passes; pass++) {
            add_text("ink", left - 8, y + 15, (words > 1 ? "lanes " part * lanes "-" (part + 1) * lanes - 1 : "pass " pass), "end", 12)
            for (bank = 0; bank < 32; bank++) {
                key = bank SUBSEP pass
                if (key in owner) {
                    add_rect(pass == 1 ? "as" : "bs", left + bank * cell, y, cell - (words > 1 && (bank + 1) % 4 ? 0 : 2), cell - 2)
                    if (first[key])
                        labels = labels text("ink", left + bank * cell + (words > 1 ? 2 * cell : cell / 2) - 1, y + 14, owner[key], "middle", 11)
                } else
                    add_rect("cell", left + bank * cell, y, cell - 2, cell - 2)
            }
            y += cell + 2
        }
        total += passes
        y += 4
    }
    add_text("ink", 16, header, sprintf("%s: %d %s", t == 1 ? title1 : title2, total, total == 1 ? "pass" : "passes"))
    return y + 34
}
function add_rect(class, x, y, w, h) {
    drawn = drawn sprintf("<rect class=\"%s\" x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\"/>\n", class, x, y, w, h)
}
function add_text(class, x, y, words, anchor, size) {
    drawn = drawn text(class, x, y, words, anchor, size)
}
function text(class, x, y, words, anchor, size) {
    return sprintf("<text class=\"%s\" x=\"%g\" y=\"%g\"%s%s>%s</text>\n", class, x, y, anchor == "" ? "" : " text-anchor=\"" anchor "\"", size ? " font-size=\"" size "\"" : "", svg_escape(words))
}
