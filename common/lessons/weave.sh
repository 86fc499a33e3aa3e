#!/bin/sh
# Prints the lesson of a step with its generated blocks made anew; the programs must be built.
# usage: weave.sh STEP [LOG]    LOG gets a line for each block: "ok TEXT" or "not ok TEXT"
unset MAKEFLAGS MFLAGS MAKELEVEL
step=$1
before=$(ls -d [0-9][0-9]_*/ | tr -d / | sort | awk -v step="$step" '$0 == step { print last } { last = $0 }')
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
awk -v step="$step" -v before="$before" -v tmp="$tmp" -v log_file="${2:-/dev/null}" \
    -f common/lessons/weave.awk "$step/README.md"
