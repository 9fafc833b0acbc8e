#!/usr/bin/env bash
# What the glTF validator of Khronos says about the files that `convert` and `fix` write from the test data of ufbx and assimp:
# some 1560 files, of which some 270 hold a motion. Fails where a file has an error of our own, or where the program crashes or hangs.
# Needs bash, git, Node, npm and a connection; everything it fetches goes to a temporary folder. MUYBRIDGE_BIN measures another
# build; folders as arguments are measured instead.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
if [ -z "${MUYBRIDGE_BIN:-}" ]; then
    (cd "$here" && cargo build --quiet --release -p muybridge_cli)
    MUYBRIDGE_BIN=${CARGO_TARGET_DIR:-$here/target}/release/muybridge
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
(cd "$folder" && npm init -y && npm install --no-audit --no-fund gltf-validator@2.0.0-dev.3.10) >/dev/null
if [ $# -eq 0 ]; then
    for repository in ufbx/ufbx assimp/assimp; do
        git clone --quiet --depth 1 "https://github.com/$repository" "$folder/$repository"
    done
    set -- "$folder/ufbx/ufbx/data" "$folder/assimp/assimp/test/models" "$folder/assimp/assimp/test/models-nonbsd"
fi
node "$here/.ci/gltf_valid.mjs" "$MUYBRIDGE_BIN" "$folder" "$@"
