# The lanes of a warp stand below each other again.
s|thread_m = threadIdx.x / BN;|thread_m = threadIdx.x % BM;|
s|thread_n = threadIdx.x % BN;|thread_n = threadIdx.x / BM;|
