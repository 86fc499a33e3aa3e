#!/bin/sh
# The inner loop of every kernel in a cubin, and what it is made of.
# usage: sass.sh NVCC CUBIN...   (nvdisasm is taken from PATH or from nvcc's folder)
nvcc=$1
shift
nvdisasm=$(command -v nvdisasm || command -v "$(dirname "$(command -v "$nvcc")")/nvdisasm") || {
    version=$("$nvcc" --version | sed -n 's/.*release \([0-9]*\)\.\([0-9]*\).*/\1-\2/p')
    echo "nvdisasm was not found on PATH or beside $nvcc; it is part of the CUDA toolkit: install" \
        "the package cuda-nvdisasm-$version" >&2
    exit 3
}
# c++filt (binutils) makes names readable; without it they stay mangled.
demangle=$(command -v c++filt || echo cat)
for cubin; do
    "$nvdisasm" -c "$cubin" | sed 's/^\([[:blank:]]*\.section[[:blank:]]*\.text\.\)/\1 /' |
        $demangle | awk -v list=1 -f common/see/sass.awk || exit
done
