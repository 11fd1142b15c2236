# Shared by the hooks; sourced.
set -eu

# Repeats the greeting of the related application, or waits for it.
repeat() {
    local relation unit greeting
    relation=$(relation-ids greeter | head -n 1)
    if [ -z "$relation" ]; then
        status-set waiting "no greeter"
        return
    fi
    for unit in $(relation-list -r "$relation"); do
        greeting=$(relation-get -r "$relation" greeting "$unit")
        if [ -n "$greeting" ]; then
            status-set active "$(config-get prefix) $greeting from $unit"
            return
        fi
    done
    status-set waiting "for a greeting"
}
