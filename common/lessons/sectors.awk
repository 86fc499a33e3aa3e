# Figure: what the first warp's first requests touch, for steps 01 and 02.
# -v size=N: the trace of an N x N x N run.
BEGIN { FS = "," }
# The address moves 4 bytes with k in A, a row in B.
FNR > 1 && $1 == 0 && $6 == "load" && loads < 4 {
    loads++
    for (i = 0; i < 32; i++)
        address[loads, i] = $(9 + i)
}
FNR > 1 && $1 == 0 && $6 == "store" && !stores {
    stores = 1
    for (i = 0; i < 32; i++)
        address["C", i] = $(9 + i)
}
END {
    for (r = 1; r <= 2; r++)
        request[address[r + 2, 0] - address[r, 0] == 4 ? "A" : "B"] = r
    request["C"] = "C"
    cell = 6.5
    svg_open(760, 312, "What one request of a warp touches in A, B and C")
    panel("A", "load of A", 24)
    panel("B", "load of B", 276)
    panel("C", "store to C", 528)
    x = svg_key("b", 24, 298, "4 bytes that a lane uses")
    x = svg_key("bs", x, 298, "the rest of a 32-byte sector that is moved")
    x = svg_key("cell", x, 298, "not touched")
    svg_close()
}
function panel(matrix, title, left,    r, i, offset, row, column, sector, touched, sectors, used, bytes, seen, top) {
    r = request[matrix]
    top = 44
    sectors = used = 0
    svg_rect("cell", left, top, 32 * cell, 32 * cell)
    for (i = 0; i < 32; i++) {
        offset = (address[r, i] - address[r, 0]) / 4
        row = int(offset / size)
        column = offset % size
        sector = row SUBSEP int(column / 8)
        if (!(sector in touched)) {
            touched[sector] = 1
            sectors++
            svg_rect("bs", left + int(column / 8) * 8 * cell, top + row * cell, 8 * cell, cell - 0.7)
        }
    }
    for (i = 0; i < 32; i++) {
        offset = (address[r, i] - address[r, 0]) / 4
        if (offset in seen)
            continue
        seen[offset] = 1
        used++
        svg_rect("b", left + offset % size * cell, top + int(offset / size) * cell, cell - 0.7, cell - 0.7)
    }
    svg_text("ink", left, 20, title ": " sectors (sectors == 1 ? " sector" : " sectors"))
    svg_text("dim", left, 37, used * 4 " of " sectors * 32 " bytes used", "start", 12)
    svg_text("dim", left, top + 32 * cell + 15, "32 x 32 floats of " matrix, "start", 11)
}
