#!/bin/sh
# Stands in for a compiler: writes its name and words to the file $LOG, one per line.
# What is in a response file for the linker stands between { and }. SEEN: heads to note as the plugin does. EXIT, KILL: how to end. SHOW_FILES: print response files.
{
    echo "+ ${0##*/}"
    for word in "$@"; do
        case $word in
        -Wl,@*) echo '{' && sed 's/^"//; s/"$//' "${word#-Wl,@}" && echo '}' ;;
        *) printf '%s\n' "$word" ;;
        esac
    done
} >> "$LOG"
test -n "$ADPASS_OPTIONS" && printf 'ADPASS_OPTIONS=%s\n' "$ADPASS_OPTIONS" >> "$LOG"
test -n "$SEEN" && test -n "$ADPASS_HEADS_SEEN" && printf '%s\n' $SEEN >> "$ADPASS_HEADS_SEEN"
test -n "$SHOW_FILES" && for word in "$@"; do case $word in @*) cat "${word#@}" ;; esac; done
test -n "$KILL" && kill -"$KILL" $$
exit "${EXIT:-0}"
