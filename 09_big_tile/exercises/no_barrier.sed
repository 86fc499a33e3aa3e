# Without the barrier in the loop.
/the next slice is complete/s/__syncthreads();/;/
