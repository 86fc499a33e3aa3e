# Without the barrier between the stores and the reads.
/the slice is complete/s/__syncthreads();/;/
