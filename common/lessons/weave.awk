# Writes a lesson with its generated blocks made anew.
#   awk -v step=05_regtile_2d -v before=04_regtile_1d -v tmp=DIR -v log_file=FILE -f weave.awk README.md
#
# A block is a comment that says what to make, the result, and <!-- end -->:
#   <!-- run: COMMAND        runs it (GNU make without a GPU); shows the command and lines of its output
#        show: REGEXP          the lines that are shown; each regexp must match one
#        match: REGEXP         must match a line that is not shown
#        lines: NUMBER         shows no more lines than that
#        status: NUMBER        the exit code expected (0)
#   <!-- derive: N=4096      a table of quantities, computed from the step's constants and results/
#        LABEL = FORMULA       awk; names: the step's #defines, those of the step before as NAME_before,
#                              and what facts.awk defines
#        let NAME, WORDS = FORMULA    the same, with a name for the lines below
#        check: CONDITION      must hold
#   <!-- ladder: 04 05       the steps' rows of results/h200/ladder.csv
#   <!-- counted: 04 05      times faster, and what Nsight Compute counted: ladder.csv, sweep.csv, profiles/
#   <!-- compiled:  default; -DTM=4    rows of results/sm_90/compiled.csv
#   <!-- diff: REGEXP        the hunks of the diff to the step before that match
#   <!-- source: FILE; FROM; TO   lines of a file of the step, from the first that matches FROM to the next that
#                            matches TO
# log_file gets "ok TEXT" or "not ok TEXT" for each block; the exit code is 1 if one failed.

BEGIN {
    facts = "common/lessons/facts.awk"
    csv = "results/h200/ladder.csv"
}

/^<!-- end -->$/ && skipping {
    skipping = 0
    print
    next
}
skipping { next }

/^<!-- (run|derive|ladder|counted|diff|compiled|source):/ {
    begin = FNR
    print
    kind = $2
    sub(/:.*/, "", kind)
    head = $0
    sub(/^<!-- [a-z]*: */, "", head)
    lines = 0
    while (head !~ /-->$/ && (getline line) > 0) {
        print line
        if (line ~ /^-->$/)
            break
        body[++lines] = line
    }
    sub(/ *-->$/, "", head)
    if (kind == "run")
        run(head)
    else if (kind == "derive")
        derive(head)
    else if (kind == "compiled")
        compiled(head)
    else if (kind == "source")
        source(head)
    else if (kind == "ladder")
        ladder(head)
    else if (kind == "counted")
        counted(head)
    else
        diff(head)
    skipping = 1
    next
}
{ print }

END {
    if (skipping) {
        print FILENAME ": line " begin ": the block has no <!-- end -->" >"/dev/stderr"
        exit 1
    }
    if (failed)
        exit 1
}

function verdict(good, text) {
    print (good ? "ok " : "not ok ") text >log_file
    if (!good) {
        print FILENAME ": line " begin ": " text >"/dev/stderr"
        failed = 1
    }
}

function quote(text) {
    gsub(/'/, "'\\''", text)
    return "'" text "'"
}

function run(command,    i, n, line, status, expected, output, shown, seen, pattern, missed, words, hidden, most, wanted) {
    print "```sh\n" command "\n```"
    words = command
    sub(/^make /, "make -s ", words)
    status = system("{ " words "; } >" quote(tmp "/output") " 2>&1 </dev/null")
    if (status > 255)
        status = int(status / 256)
    expected = 0
    most = 99
    n = 0
    for (i = 1; i <= lines; i++)
        if (body[i] ~ /^status: /)
            expected = substr(body[i], 9) + 0
        else if (body[i] ~ /^show: /)
            pattern[++n] = substr(body[i], 7)
        else if (body[i] ~ /^lines: /)
            most = substr(body[i], 8) + 0
        else if (body[i] ~ /^match: /) {
            pattern[++n] = substr(body[i], 8)
            hidden[n] = 1
        } else
            verdict(0, "run: unknown line " body[i])
    shown = ""
    while ((getline line <(tmp "/output")) > 0) {
        output = output line "\n"
        sub(/[ \t]+$/, "", line)
        wanted = 0
        for (i = 1; i <= n; i++)
            if (line ~ pattern[i]) {
                seen[i] = 1
                wanted = wanted || !hidden[i]
            }
        if (wanted && most-- > 0)
            shown = shown (length(line) > 112 ? substr(line, 1, 109) "..." : line) "\n"
    }
    close(tmp "/output")
    missed = ""
    for (i = 1; i <= n; i++)
        if (!seen[i])
            missed = missed "; no line matches " pattern[i]
    if (status != expected)
        missed = missed "; exit code " status ", expected " expected
    if (missed != "")
        printf "%s", output >"/dev/stderr"
    verdict(missed == "", command missed)
    if (shown != "")
        printf "```\n%s```\n", shown
}

# NAME = VALUE lines for awk from a kernel's #defines
function constants(file, suffix, program,    line, name, value, names, i, n, order) {
    n = 0
    while ((getline line <file) > 0)
        if (line ~ /^#define [A-Z_0-9]+ / && line !~ /\\$/) {
            sub(/^#define /, "", line)
            name = line
            sub(/ .*/, "", name)
            value = substr(line, length(name) + 2)
            sub(/ *\/\*.*/, "", value)
            if (value !~ /^[A-Z_0-9 ()*\/+.-]+$/)
                continue
            order[++n] = name
            names[name] = value
        }
    close(file)
    for (i = 1; i <= n; i++) {
        value = names[order[i]]
        if (suffix != "")
            gsub(/[A-Z][A-Z_0-9]*/, "&" suffix, value)
        print order[i] suffix " = " value >program
    }
}

function derive(head,    program, i, n, at, label, formula, result, values, command, good, parts) {
    program = tmp "/program.awk"
    print "BEGIN {\nread_ladder(\"" csv "\")" >program
    constants(step "/kernel.cu", "", program)
    constants(step "/plan.c", "", program)
    if (before != "")
        constants(before "/kernel.cu", "_before", program)
    n = split(head, parts, " ")
    for (i = 1; i <= n; i++)
        print parts[i] >program
    for (i = 1; i <= lines; i++)
        if (body[i] ~ /^check: /)
            print "print (" substr(body[i], 8) ") ? \"true\" : \"false\"" >program
        else {
            at = index(body[i], " = ")
            if (body[i] ~ /^let /) {
                match(body[i], /^let [a-z_]+/)
                print substr(body[i], 5, RLENGTH - 4) " = " substr(body[i], at + 3) >program
            }
            print "print number(" substr(body[i], at + 3) ")" >program
        }
    print "}" >program
    close(program)
    command = "awk -f " quote(facts) " -f " quote(program)
    n = 0
    while ((command | getline result) > 0)
        values[++n] = result
    close(command)
    print ""
    print "| quantity | formula | value |"
    print "|---|---|--:|"
    good = n == lines
    for (i = 1; i <= lines; i++) {
        if (body[i] ~ /^check: /) {
            if (values[i] != "true") {
                good = 0
                print FILENAME ": " body[i] ": does not hold" >"/dev/stderr"
            }
            continue
        }
        at = index(body[i], " = ")
        label = substr(body[i], 1, at - 1)
        if (sub(/^let /, "", label) && match(label, /^[a-z_]+/))
            label = "`" substr(label, 1, RLENGTH) "`" substr(label, RLENGTH + 1)
        formula = substr(body[i], at + 3)
        if (values[i] ~ /nan|inf/)
            good = 0
        gsub(/\|/, "\\|", formula)
        print "| " label " | `" formula "` | " values[i] " |"
    }
    print ""
    verdict(good, "derive: " body[1])
}

function ladder(head,    command, line) {
    command = "awk -f " quote(facts) " -f common/lessons/ladder.awk -v steps=" quote(head) " " csv
    while ((command | getline line) > 0)
        print line
    verdict(close(command) == 0, "ladder: " head)
}

function counted(head,    command, line, parts) {
    split(head, parts, " ")
    command = "awk -f common/see/csv.awk -f common/lessons/counted.awk results/h200/sweep.csv " csv " results/h200/profiles/" parts[1] \
        "_*.csv results/h200/profiles/" parts[2] "_*.csv"
    while ((command | getline line) > 0)
        print line
    verdict(close(command) == 0, "counted: " head)
}

# The hunks of the kernels' diff with a changed line that matches, without comments and without the
# table of kernels.
function diff(head,    command, line, hunk, wanted, any) {
    command = "diff -U0 " quote(before "/kernel.cu") " " quote(step "/kernel.cu")
    print "```diff"
    hunk = ""
    any = wanted = 0
    while ((command | getline line) > 0) {
        if (line ~ /^(---|\+\+\+) / || line ~ /^[-+]( \*|\/\*|    \{"| *\/\*.*\*\/$)/ || line ~ /^[-+]$/)
            continue
        if (line ~ /^@@/) {
            if (wanted) {
                printf "%s%s", any ? "...\n" : "", hunk
                any = 1
            }
            hunk = ""
            wanted = 0
            continue
        }
        hunk = hunk line "\n"
        if (substr(line, 2) ~ head)
            wanted = 1
    }
    close(command)
    if (wanted) {
        printf "%s%s", any ? "...\n" : "", hunk
        any = 1
    }
    print "```"
    verdict(any, "diff: " head)
}

function compiled(head,    command, line) {
    command = "awk -f common/lessons/compiled.awk -v step=" quote(step) " -v sum=" checksum(step) " -v before=" quote(before) \
        " -v before_sum=" checksum(before) " -v wanted=" quote(head) " results/sm_90/compiled.csv"
    while ((command | getline line) > 0)
        print line
    verdict(close(command) == 0, "compiled: " head)
}

function checksum(of,    command, line) {
    if (of == "")
        return "none"
    command = "cksum <" quote(of "/kernel.cu") " | tr ' ' -"
    command | getline line
    close(command)
    return line
}

function source(head,    parts, line, inside) {
    split(head, parts, / *; */)
    print "```c"
    inside = 0
    while ((getline line <(step "/" parts[1])) > 0) {
        if (!inside && line ~ parts[2])
            inside = 1
        if (inside) {
            print line
            if (inside++ > 1 && line ~ parts[3])
                break
        }
    }
    close(step "/" parts[1])
    print "```"
    verdict(inside > 1, "source: " head)
}
