# The reference of the C interface, made of its header: what stands before a declaration becomes text under the names that
# are declared, and the declaration follows as code. The comment at the top of the header becomes the introduction.

function give(    heading) {
  if (code != "") {
    heading = names == "" ? "" : "## " names "\n\n"
    printf "%s%s```c\n%s```\n\n", heading, text == "" ? "" : text "\n", code
  } else if (text != "")
    printf "%s\n", text
  text = code = names = ""
  was_code = 0
}

function named(name) {
  if (index (names, "`" name "`") == 0)
    names = names (names == "" ? "" : ", ") "`" name "`"
}

# Lines that are indented further than the text around them keep their place.
function add_line(line,    is_code) {
  is_code = line ~ (introduction ? "^   " : "^ ")
  if (introduction && line ~ /^[A-Z][a-z]+$/)
    line = "**" line "**\n"
  else if (!is_code) {
    sub (/^ +/, "", line)
    gsub (/[*<]/, "\\\\&", line)
  }
  if (is_code != was_code) text = text "\n"
  was_code = is_code
  text = text (is_code ? "    " : "") line "\n"
}

BEGIN {
  print "# The C interface\n"
  introduction = 1
}

# A comment begins what it describes.
/^\/\*/ {
  if (code != "") give()
  else if (text != "") add_line("")
  in_comment = 1
  sub (/^\/\* ?/, "")
}
in_comment {
  if (sub (/ ?\*\/$/, "")) in_comment = 0
  sub (/^ \* ?/, "")
  add_line($0)
  next
}

introduction {
  give()
  introduction = 0
}

# What compilers alone need.
/^#(ifndef|ifdef|include|endif)/ || /^extern "C"/ || (/^}$/ && !in_declaration) || /^#define PMATRIX/ { next }
/^$/ {
  if (!in_declaration && code != "") give()
  next
}

{
  code = code $0 "\n"
  if (match ($0, /pm_[a-z0-9_]+ \(/) && !in_declaration) named(substr ($0, RSTART, RLENGTH - 2))
  if (match ($0, /^typedef (enum|struct) pm_[a-z]+/)) {
    split ($0, words, " ")
    name = words[3]
    sub (/;/, "", name)
    named(name)
  }
  if (match ($0, /\(\*pm_[a-z]+\)/)) named(substr ($0, RSTART + 2, RLENGTH - 3))
  if (match ($0, /^#define PM_[A-Z_]+/)) named(substr ($0, 9, RLENGTH - 8))
  if ($0 ~ /\{$/) braces = 1
  if ($0 ~ /^}/) braces = 0
  # A macro goes on behind a backslash, anything else up to its semicolon.
  if ($0 ~ /^#define/) macro = 1
  in_declaration = macro ? $0 ~ /\\$/ : braces || $0 !~ /;$/
  macro = macro && in_declaration
}

END { give() }
