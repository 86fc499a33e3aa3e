# Set before: data (made by ladder.awk), size.
load "common/see/style.gp"
stats data using 3 nooutput
beside = 1.05 * (STATS_max > 100 ? STATS_max : 100)
set title "The ladder at M = N = K = ".size.", ".device
set xlabel "% of cuBLAS"
set xrange [0:beside * 1.35]
set yrange [*:*] reverse
set offsets 0, 0, 0.6, 0.6
set xtics 0, 20, 100
set boxwidth 0.7
set style fill solid 0.8
unset key
set ytics scale 0
set grid xtics noytics
set arrow from 100, graph 0 to 100, graph 1 nohead back dashtype 2 linecolor rgb grey linewidth 2
plot data using (0):1:(0):3:($1-0.35):($1+0.35):(colour[int($1)]):ytic(2) with boxxyerror \
         linecolor rgb variable, \
     data using (beside * 1.1):1:(sprintf("%.1f %%", $3)) with labels right textcolor rgb grey, \
     data using (beside * 1.33):1:(sprintf("%.1f TFLOP/s", $4)) with labels right textcolor rgb grey
