# Sourced by the shell tests, in the repository's root: a folder of their own, and TAP's lines.
root=$PWD
unset MAKEFLAGS MFLAGS MAKELEVEL
cxx=${CXX:-c++}
if ! command -v "$cxx" >/dev/null; then
    echo "1..0 # SKIP no C++ compiler ($cxx): install g++ or clang++"
    exit
fi
tree=$(mktemp -d) || exit 1
trap 'rm -rf "$tree"' EXIT
cpus=$(getconf _NPROCESSORS_ONLN)
number=0
failed=0

# seed TREE: the harness is built once, not again in each tree; backend: emu unless set
seed() {
    from=build/${backend:-emu}
    mkdir -p "$1/$from"
    cp -a "$root/$from/common" "$root/$from/libharness.a" "$root/$from/flags" "$1/$from"
}

# ok STATUS NAME: a test's line; of a failure, prove shows the name and what was printed last, in $tree/out
ok() {
    number=$((number + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $number - $2"
    else
        echo "not ok $number - $2"
        failed=1
        {
            echo "# failed: $2"
            [ ! -f "$tree/out" ] || sed 's/^/# /' "$tree/out"
        } >&2
    fi
}
