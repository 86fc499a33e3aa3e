# Without the only barrier.
/the slice is complete/s/__syncthreads();/;/
