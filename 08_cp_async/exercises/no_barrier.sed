# The wait alone, without the barrier.
/the slice is complete/s/__syncthreads();/;/
