# The first value in a column.  (awk -f csv.awk -f column.awk name=device FILE)
FNR == 1 {
    csv_header($0, column)
    next
}
{
    csv($0, field)
    print field[column[name]]
    exit
}
