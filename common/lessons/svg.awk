# Plain SVG for the lessons' figures: a few shapes and the colours of light and dark mode.
function svg_open(width, height, title) {
    print "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " width " " height "\" width=\"" width "\" height=\"" height "\" role=\"img\" font-family=\"system-ui, sans-serif\" font-size=\"13\">"
    print "<title>" svg_escape(title) "</title>"
    svg_style()
    svg_rect("bg", 0, 0, width, height)
}
function svg_close() {
    print "</svg>"
}
function svg_escape(text) {
    gsub(/&/, "\\&amp;", text)
    gsub(/</, "\\&lt;", text)
    return text
}
function svg_rect(class, x, y, w, h) {
    printf "<rect class=\"%s\" x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\"/>\n", class, x, y, w, h
}
# anchor: start, middle or end
function svg_text(class, x, y, text, anchor, size) {
    printf "<text class=\"%s\" x=\"%g\" y=\"%g\"%s%s>%s</text>\n", class, x, y, anchor == "" || anchor == "start" ? "" : " text-anchor=\"" anchor "\"", size ? " font-size=\"" size "\"" : "", svg_escape(text)
}
function svg_line(x1, y1, x2, y2) {
    printf "<path class=\"line\" d=\"M%g %gL%g %g\"/>\n", x1, y1, x2, y2
}
# A square of the legend with its text; returns the x after it
function svg_key(class, x, y, text) {
    svg_rect(class, x, y - 11, 12, 12)
    svg_text("ink", x + 18, y, text)
    return x + 18 + 7 * length(text) + 18
}
function svg_style() {
    print "<style>rect{shape-rendering:crispEdges}"
    print ".bg{fill:#fff}.ink{fill:#1f2328}.dim{fill:#59636e}.cell{fill:#eff2f5}.line{stroke:#818b98;fill:none}"
    print ".a{fill:#0969da}.b{fill:#bc4c00}.c{fill:#1a7f37}.as{fill:#b6d9ff}.bs{fill:#ffd3b3}.cs{fill:#b4e7c1}.on{fill:#fff}"
    print "@media (prefers-color-scheme:dark){.bg{fill:#0d1117}.ink{fill:#f0f6fc}.dim{fill:#9198a1}.cell{fill:#21262d}"
    print ".line{stroke:#656c76}.a{fill:#58a6ff}.b{fill:#f0883e}.c{fill:#3fb950}.as{fill:#1f4474}.bs{fill:#66370f}.cs{fill:#1c5029}.on{fill:#0d1117}}"
    print "</style>"
}
