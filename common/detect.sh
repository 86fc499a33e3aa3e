#!/bin/sh
# Which backend this machine can run: prints "gpu 90" (the cards' compute capabilities) or
# "emu REASON".  $1: nvcc
if ! command -v "$1" >/dev/null 2>&1; then
    echo "emu nvcc was not found (on PATH or in /usr/local/cuda/bin)"
elif ! command -v nvidia-smi >/dev/null 2>&1; then
    echo "emu no NVIDIA driver was found (there is no nvidia-smi)"
elif ! caps=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>&1); then
    echo "emu nvidia-smi fails: $(echo "$caps" | tr '\n' ' ')"
elif [ -z "$caps" ]; then
    echo "emu nvidia-smi lists no GPU"
elif case ${CUDA_VISIBLE_DEVICES-unset} in '' | -*) true ;; *) false ;; esac; then
    echo "emu CUDA_VISIBLE_DEVICES=\"$CUDA_VISIBLE_DEVICES\" hides every GPU"
else
    echo gpu $(echo "$caps" | tr -d '. ' | sort -nu)
fi
