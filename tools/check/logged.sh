# Shared by the scripts that run tests without `meson test`: sourced after setup.sh, with $root and $results set, a log in its
# format, which summary.py counts.
# shellcheck shell=sh disable=SC2154

CMOCKA_MESSAGE_OUTPUT=TAP
export CMOCKA_MESSAGE_OUTPUT

# logged NAME COMMAND..: a line of $results. What failed is shown.
logged() {
    name=$1
    shift
    status=0
    "$@" >"$log" 2>&1 </dev/null || status=$?
    [ "$status" -eq 0 ] || cat "$log"
    python3 - "$name" "$status" "$log" >>"$results" <<'END'
import json, sys

name, status, path = sys.argv[1:]
result = {"0": "OK", "77": "SKIP", "124": "TIMEOUT"}.get(status, "FAIL")
with open(path, encoding="utf-8", errors="replace") as file:
    print(json.dumps({"name": name, "result": result, "stdout": file.read(), "stderr": ""}))
END
}
