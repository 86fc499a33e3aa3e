# Rewrites what the host compiler cannot parse, line by line, so that line numbers stay:
#   name<<<config>>>(arguments)   ->  EMU_LAUNCH((name), (config), arguments)
#   extern __shared__ T name[];   ->  a declaration of the emulator's dynamic shared memory
# Comments and strings are left alone.  -v name=FILE: what messages shall call the file.
function code(text) {
    if (text ~ /(^|[^A-Za-z0-9_])extern[ \t]+__shared__/) {
        sub(/__shared__/, "__thread", text)
        if (!sub(/\[[ \t]*\][ \t]*;/, "[] __asm__(\"emu_dynamic_shared\");", text)) {
            printf "%s:%d: `extern __shared__` in another form than `extern __shared__ T name[];`," \
                   " all in one line; write it so\n", name, NR > "/dev/stderr"
            failed = 1
        }
    }
    while (match(text, /[A-Za-z_][A-Za-z0-9_]*[ \t]*(<[^<>]*>)?[ \t]*<<</)) {
        launch = substr(text, RSTART, RLENGTH - 3)
        text = substr(text, 1, RSTART - 1) "EMU_LAUNCH((" launch "), (" \
               substr(text, RSTART + RLENGTH)
    }
    gsub(/>>>[ \t]*\(/, "), ", text)
    return text
}
BEGIN { printf "#line 1 \"%s\"\n", name }
{
    line = $0
    out = ""
    while (line != "") {
        if (comment) {
            end = index(line, "*/")
            n = end ? end + 1 : length(line)
            comment = !end
            out = out substr(line, 1, n)
        } else if (match(line, /\/\*|\/\/|"([^"\\]|\\.)*"|'([^'\\]|\\.)*'/)) {
            start = RSTART # code() matches too
            n = RSTART + RLENGTH - 1
            out = out code(substr(line, 1, start - 1))
            token = substr(line, start, 2)
            if (token == "/*")
                comment = 1
            else if (token == "//")
                n = length(line)
            out = out substr(line, start, n - start + 1)
        } else {
            n = length(line)
            out = out code(line)
        }
        line = substr(line, n + 1)
    }
    print out
}
END { exit failed }
