# Puts the style of svg.awk into an SVG made elsewhere.
/^<!-- style -->$/ {
    svg_style()
    next
}
{ print }
