# Shared by the hooks; sourced.
set -eu

# Says the greeting of the config, and makes the open port that of the config.
greet() {
    local greeting port
    greeting=$(config-get greeting)
    port=$(config-get port)
    for open in $(opened-ports); do
        [ "$open" = "$port/tcp" ] || close-port "$open"
    done
    open-port "$port/tcp"
    for relation in $(relation-ids greeter); do
        tell "$relation" "$greeting"
    done
    status-set active "$greeting from $JUJU_UNIT_NAME"
}

# Tells a related application what to say; the leader says it for the application as well.
tell() {
    relation-set -r "$1" greeting="$2" address="$(unit-get private-address)"
    if [ "$(is-leader)" = True ]; then
        relation-set -r "$1" --app greeting="$2"
    fi
}
