# The form and the language of one lesson: prints "ok TEXT" or "not TEXT" lines.
BEGIN {
    sections = "Predict,Change,Measure,Why,Exercises,Interview corner,Links"
    mean_limit = 13   # words a sentence, on average
    longest_limit = 32
}
/^```/ { code = !code; next }
code { next }
/^<!-- (run|derive|ladder|counted|diff|compiled|source):/ { block = 1; if (exercise) checked[exercise] = 1 }
/^<!-- end -->/ { block = 0; next }
block { next }
/^## / {
    end_paragraph()
    section = substr($0, 4)
    found = found (found == "" ? "" : ",") section
    exercise = 0
    next
}
/^### / {
    end_paragraph()
    if (section == "Exercises") {
        exercise++
        exercises++
    }
    next
}
/<summary>Solution<\/summary>/ { solutions++ }
/<summary>Hint<\/summary>/ { hints++ }
/^!\[/ { figures++; next }
/^[#|<]/ || /^ *$/ || section == "Links" { end_paragraph(); next }
section == "Interview corner" && /^\*\*.*\?\*\*/ { questions++ }
{ paragraph = paragraph " " $0 }
END {
    end_paragraph()
    report(found == sections, "sections " sections)
    report(exercises >= 3 && exercises <= 5 && solutions == exercises && hints == exercises, "three to five exercises, each with a hint and a solution: " exercises + 0)
    missing = ""
    for (i = 1; i <= exercises; i++)
        if (!(i in checked))
            missing = missing " " i
    report(missing == "", "every exercise has a block that checks it" missing)
    report(questions == 3, "three interview questions")
    report(figures <= 3, "at most three figures")
    report(words / sentences <= mean_limit, sprintf("sentences of %.1f words on average, at most %d", words / sentences, mean_limit))
    report(longest <= longest_limit, "no sentence longer than " longest_limit " words" (longest > longest_limit ? ": " longest_text : ""))
}
function report(good, text) {
    print (good ? "ok " : "not ") text
}
# Code and links count as one word each.
function end_paragraph(    n, i, count, parts, tokens, j, text) {
    text = paragraph
    paragraph = ""
    gsub(/`[^`]*`/, "code", text)
    gsub(/\]\([^)]*\)/, "", text)
    gsub(/[*\[]/, "", text)
    n = split(text, parts, /[.?!:;]( |$)/)
    for (i = 1; i <= n; i++) {
        count = 0
        for (j = split(parts[i], tokens, " "); j > 0; j--)
            if (tokens[j] ~ /[A-Za-z0-9]/)
                count++
        if (count == 0)
            continue
        sentences++
        words += count
        if (count > longest) {
            longest = count
            longest_text = parts[i]
        }
    }
}
