#!/bin/sh
# A copy of a step with other constants, or with the edit of an exercise; the step stays as it is.
# usage: knobs.sh STEP BACKEND TREE "KNOBS" "EXERCISE"
#
# TREE gets one folder, named like TREE itself, with the step's edited sources, and links to what
# make needs.  KNOBS: -DNAME=VALUE ..., each a #define of the step.  EXERCISE: a file
# STEP/exercises/NAME.sed, applied to kernel.cu or to the file that its first line names.
set -e
step=$1 backend=$2 tree=$3 knobs=$4 exercise=$5
root=$PWD
copy=$tree/$(basename "$tree")
new=$tree/new
rm -rf "$new"
mkdir -p "$copy" "$new" "$tree/build/$backend"

fail() {
    printf '%s\n' "$step: $1" >&2
    exit 2
}

for source in "$step"/*.c "$step"/*.h "$step"/*.cu "$step"/*.cuh; do
    [ ! -f "$source" ] || cp "$source" "$new"
done
knob='^#define [A-Za-z_0-9]* ' # a macro with arguments is none
for define in $knobs; do
    name=${define#-D}
    value=${name#*=}
    name=${name%%=*}
    case $define in
    -D*=?*) ;;
    *) fail "KNOBS: $define, expected -DNAME=VALUE, as in KNOBS=\"-DTM=4 -DTN=4\"" ;;
    esac
    file=$(grep -l "^#define $name " "$new"/* | sed 1q)
    [ -n "$file" ] || fail "KNOBS: there is no constant $name; there are: $(
        cat "$new"/* | grep -o "$knob" | awk '{ print $2 }' | sort -u | tr '\n' ' ')"
    awk -v name="$name" -v value="$value" '
        $1 == "#define" && $2 == name { $0 = "#define " name " " value } { print }' \
        "$file" >"$new/edited"
    mv "$new/edited" "$file"
done
if [ -n "$exercise" ]; then
    script=$step/exercises/$exercise.sed
    [ -f "$script" ] || fail "EXERCISE=$exercise: there is no $script; there are: $(
        ls "$step/exercises" 2>/dev/null | sed -n 's/\.sed$//p' | tr '\n' ' ')"
    file=$new/$(sed -n '1s/^# file: //p' "$script")
    [ -f "$file" ] || file=$new/kernel.cu
    sed -f "$script" "$file" >"$new/edited"
    ! cmp -s "$file" "$new/edited" ||
        fail "$script changes nothing: ${file##*/} no longer has the line that it edits"
    mv "$new/edited" "$file"
fi

# Only what differs is replaced, so that make builds only that.
for source in "$new"/*; do
    cmp -s "$source" "$copy/${source##*/}" || mv "$source" "$copy"
done
rm -rf "$new"
ln -sfn "$root/common" "$tree/common"
ln -sfn "$root/Makefile" "$tree/Makefile"
for part in common libharness.a flags; do
    ln -sfn "$root/build/$backend/$part" "$tree/build/$backend/$part"
done
