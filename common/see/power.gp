# Set before: random, zeros (made by power.awk), step (its name).
load "common/see/style.gp"
set multiplot layout 2,1 title "Power and clock of ".step.", ".device textcolor rgb grey
set lmargin 9
set xrange [0:*]
set yrange [0:*]
set xtics 1024
set key bottom right
set ylabel "W" offset 1
set ytics 200
plot random using 1:2 with linespoints pointtype 7 pointsize 0.5 linewidth 2 \
         linecolor rgb colour[10] title "random inputs", \
     zeros using 1:2 with linespoints pointtype 7 pointsize 0.5 linewidth 2 \
         linecolor rgb colour[7] title "zeros"
set xlabel "M = N = K"
set ylabel "MHz" offset 1
set yrange [0:2200]
set ytics 500
plot random using 1:3 with linespoints pointtype 7 pointsize 0.5 linewidth 2 \
         linecolor rgb colour[10] title "random inputs", \
     zeros using 1:3 with linespoints pointtype 7 pointsize 0.5 linewidth 2 dashtype 2 \
         linecolor rgb colour[7] title "zeros"
unset multiplot
