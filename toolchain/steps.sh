# Sourced by scripts that build in several long steps: each step leaves a stamp in the cache directory, so
# that an interrupted run resumes with the step that was interrupted.  Expects `cache`, the directory, and
# `program`, a name for messages.

say() { echo "$program: $*" >&2; }
die() { say "$*"; exit 1; }

# The Debian mirror of this machine, as its own package sources name it.
mirror() {
    apt-get indextargets --format '$(REPO_URI) $(COMPONENT)' 'Created-By: Packages' 2>/dev/null |
        awk '!found && $2 == "main" && $1 ~ /\/debian\/?$/ { print $1; found = 1 }'
}

# step NAME COMMAND...: runs a step once, with its output in a log, and says how long it took.
step() {
    local name=$1 start=$SECONDS
    shift
    [ -e "$cache/stamps/$name" ] && return
    mkdir -p "$cache/stamps" "$cache/logs"
    say "$name ..."
    # The step's own failure handling has to work, so it runs in a shell of its own and not in a condition.
    set +e
    (set -e; "$@") >"$cache/logs/$name.log" 2>&1
    local status=$?
    set -e
    [ "$status" = 0 ] || { tail -n 20 "$cache/logs/$name.log" >&2; die "$name failed; the log is $cache/logs/$name.log"; }
    touch "$cache/stamps/$name"
    say "$name done in $((SECONDS - start)) s"
}
