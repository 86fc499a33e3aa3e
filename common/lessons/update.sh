#!/bin/sh
# Makes the generated blocks of a step's lesson anew, in place.  usage: update.sh STEP
new=$1/README.md.new
trap 'rm -f "$new"' EXIT
sh common/lessons/weave.sh "$1" >"$new" || exit 1
cmp -s "$new" "$1/README.md" || cp "$new" "$1/README.md"
