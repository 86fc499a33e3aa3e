# Set before: small, big (made by waves.awk), small_step, big_step (their names).
load "common/see/style.gp"
set multiplot layout 2,1 title "Waves of blocks: the last one is seldom full, ".device \
    textcolor rgb grey
set ylabel "TFLOP/s"
set ytics 10
set lmargin 9
set xrange [0:*]
set yrange [0:*]
set xtics 1024
set key bottom right
plot big using 1:3 with lines linewidth 2 dashtype 2 linecolor rgb grey title "predicted", \
     big using 1:2 with lines linewidth 2 linecolor rgb colour[9] title big_step
set xlabel "M = N = K"
plot small using 1:3 with lines linewidth 2 dashtype 2 linecolor rgb grey title "predicted", \
     small using 1:2 with lines linewidth 2 linecolor rgb colour[7] title small_step
unset multiplot
