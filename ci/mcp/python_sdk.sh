#!/usr/bin/env bash
# Talks to m1nd with the official Python SDK: the protocol over stdio and over HTTP, the way from a failing test to a proof
# packet, and walks, trails and locks.
#
#   python_sdk.sh path/to/m1nd
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
binary_from "$@"

venv=$cache/python
if ! "$venv/bin/python" -c 'import mcp' 2>/dev/null; then
  rm -rf "$venv"
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check "$python_sdk" httpx
fi

start_http
"$venv/bin/python" "$here/python_sdk.py" "$binary" "$workspace" "$work/state-stdio" "$url" "$token"
for script in guided_flow navigation; do
  mkdir "$work/$script"
  "$venv/bin/python" -B "$here/$script.py" "$binary" "$work/$script" "$work/state-$script"
done
