#!/usr/bin/env bash
# Proves the protocol with other people's programs: builds m1nd with and without the conformance
# fixtures, and runs the official suite, the official Python SDK and the inspector against it.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$here/../.."
target=${CARGO_TARGET_DIR:-target}
export M1ND_MCP_CACHE=${M1ND_MCP_CACHE:-$PWD/target/mcp-cache}
mkdir -p "$M1ND_MCP_CACHE"

cargo build --locked -p m1nd-cli --features m1nd-serve/conformance
cp "$target/debug/m1nd" "$M1ND_MCP_CACHE/m1nd-conformance"
cargo build --locked -p m1nd-cli
cp "$target/debug/m1nd" "$M1ND_MCP_CACHE/m1nd"

"$here/conformance.sh" "$M1ND_MCP_CACHE/m1nd-conformance"
"$here/conformance.sh" "$M1ND_MCP_CACHE/m1nd" protocol
"$here/python_sdk.sh" "$M1ND_MCP_CACHE/m1nd"
"$here/inspector.sh" "$M1ND_MCP_CACHE/m1nd"
