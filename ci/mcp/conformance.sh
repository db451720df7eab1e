#!/usr/bin/env bash
# Runs the official MCP conformance suite against a server over HTTP.
#
#   conformance.sh path/to/m1nd              all required scenarios of both revisions; the program
#                                            must be built with the feature `conformance`
#   conformance.sh path/to/m1nd protocol     only scenarios that need no fixtures, for any build
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
binary_from "$@"
what=${2:-required}
need_node "@modelcontextprotocol/conformance@$conformance_version"
suite=$cache/node/node_modules/@modelcontextprotocol/conformance/dist/index.js

start_http
node "$here/proxy.mjs" "$url" "$token" > "$work/proxy.port" &
started+=($!)
for _ in $(seq 100); do [ -s "$work/proxy.port" ] && break; sleep 0.1; done
open="http://127.0.0.1:$(cat "$work/proxy.port")/mcp"

passed=0
failed=0

# Runs one set of scenarios and adds up its checks.
run() {
  local name=$1
  shift
  local log=$work/$name.log
  local status=0
  node "$suite" server --url "$open" --output-dir "$work/results-$name" "$@" > "$log" 2>&1 || status=$?
  local counts
  # The tasks extension is optional, and m1nd has no tasks of that kind; the suite does not score it.
  counts=$(node "$here/checks.mjs" "$work/results-$name" tasks-)
  read -r good bad <<< "$counts"
  if [ "$status" -ne 0 ] && [ "$bad" -eq 0 ]; then bad=1; fi
  if [ "$bad" -ne 0 ] || [ "$good" -eq 0 ]; then
    cat "$log"
    [ "$good" -ne 0 ] || bad=$((bad + 1))
  fi
  echo "$name: $good checks passed, $bad failed"
  passed=$((passed + good))
  failed=$((failed + bad))
}

case $what in
  required)
    run 2025-11-25 --requirements 2025-11-25
    run 2026-07-28 --requirements 2026-07-28
    ;;
  protocol)
    for scenario in server-initialize server-session-lifecycle ping tools-list resources-list prompts-list logging-set-level completion-complete server-sse-multiple-streams dns-rebinding-protection; do
      run "$scenario-2025-11-25" --scenario "$scenario" --spec-version 2025-11-25
    done
    for scenario in tools-list resources-list prompts-list caching completion-complete server-sse-multiple-streams sep-2164-resource-not-found http-header-validation dns-rebinding-protection; do
      run "$scenario-2026-07-28" --scenario "$scenario" --spec-version 2026-07-28
    done
    ;;
  *)
    echo "there is nothing called $what to run" >&2
    exit 2
    ;;
esac

echo "conformance: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
