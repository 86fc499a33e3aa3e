# Set before: points (made by counters.awk -v points=1).
load "common/see/style.gp"
set title "Occupancy does not make speed, ".device
set xlabel "warps on an SM, % of the most"
set ylabel "TFLOP/s"
set xrange [-8:125]
set xtics 0, 25, 100
set yrange [0:*]
unset key
# The labels stand to the right and to the left in turn, so that neighbours do not meet.
plot points using 3:2 with points pointtype 7 pointsize 0.8 linecolor rgb colour[6], \
     points using 3:($6 == 1 ? $2 : NaN):1 with labels left offset 0.8, 0 textcolor rgb grey, \
     points using 3:($6 == 0 ? $2 : NaN):1 with labels right offset -0.8, 0 textcolor rgb grey
