#!/usr/bin/env bash
# Lists and calls tools with the MCP inspector's command line, in both eras, over stdio and over HTTP.
#
#   inspector.sh path/to/m1nd
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
binary_from "$@"
need_node "@modelcontextprotocol/inspector@$inspector_version"
inspector=$cache/node/node_modules/.bin/mcp-inspector
# Nothing of this run belongs into the user's own settings.
export HOME=$work/home
mkdir -p "$HOME"

start_http
passed=0
failed=0

# A check passes when the inspector succeeds and its answer holds the words.
check() {
  local name=$1 words=$2
  shift 2
  local status=0
  timeout 60 node "$inspector" --cli --format json "$@" > "$work/out" 2> "$work/err" < /dev/null || status=$?
  if [ "$status" -eq 0 ] && grep -q "$words" "$work/out"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "failed: $name (exit $status)"
    tail -n 20 "$work/out" "$work/err"
  fi
}

for era in legacy modern; do
  stdio=(--protocol-era "$era" -- "$binary" serve --workspace "$workspace" --runtime-root "$work/state-stdio")
  http=(--protocol-era "$era" --transport http --server-url "$url" --header "Authorization: Bearer $token" --stored-auth-only)
  for transport in stdio http; do
    declare -n target=$transport
    check "$era $transport tools/list --strict" '"search"' --method tools/list --strict "${target[@]}"
    check "$era $transport tools/call" 'src/main.rs' --method tools/call --tool-name search \
      --tool-args-json '{"agent_id":"inspector","query":"println"}' "${target[@]}"
    check "$era $transport resources/list" 'm1nd://' --method resources/list "${target[@]}"
    check "$era $transport prompts/list" 'prompts' --method prompts/list "${target[@]}"
  done
done

echo "inspector $inspector_version: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
