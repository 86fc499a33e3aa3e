# Looks harmless: row and column of a thread change places.
s|thread_m = threadIdx.x / BN;|thread_m = threadIdx.x % BM;|
s|thread_n = threadIdx.x % BN;|thread_n = threadIdx.x / BM;|
