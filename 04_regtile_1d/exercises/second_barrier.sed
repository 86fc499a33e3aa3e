# Without the barrier between the reads and the next stores.
/nobody reads it any more/s/__syncthreads();/;/
