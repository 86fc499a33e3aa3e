# A thread's 8 columns stand side by side again, as in step 05.
s|^#define GROUP .*|#define GROUP 4|
s|thread_n = threadIdx.x % (BN / TN) \* 4;|thread_n = threadIdx.x % (BN / TN) * TN;|
