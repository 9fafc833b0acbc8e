# Sets TOOLS, the folder of the tools that the scripts fetch and run: MUYBRIDGE_TOOLS, else one in the temporary folder.
#
# It must be a folder of this user, no link, in which nobody else can write: another user of the machine could have made it
# first, with programs of theirs in it. Where it is not, tools go to a new folder for this run, which end_of_tools removes.
TOOLS=${MUYBRIDGE_TOOLS:-${TMPDIR:-/tmp}/muybridge-tools-$(id -u)}
NEW_TOOLS=
(umask 077 && mkdir -p "$TOOLS") 2>/dev/null || true
if [ -L "${TOOLS%/}" ] || [ -z "$(find "$TOOLS" -prune -type d -user "$(id -u)" ! -perm -020 ! -perm -002 2>/dev/null)" ]; then
    NEW_TOOLS=$(mktemp -d)
    echo "$TOOLS is no folder that only this user can write in; tools go to $NEW_TOOLS for this run" >&2
    TOOLS=$NEW_TOOLS
fi
export MUYBRIDGE_TOOLS=$TOOLS

end_of_tools() { [ -z "$NEW_TOOLS" ] || rm -rf "$NEW_TOOLS"; }
