# Sections, closing lines and tools of the gate (.ci/run) and of the long run (.ci/long), which source this file.
set -euo pipefail
exec </dev/null

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$ROOT"
source .ci/tools.sh
TARGET=${CARGO_TARGET_DIR:-$ROOT/target}
WORK=$(mktemp -d)
TESTS=$WORK/tests.txt
SECTION=
NOT_RUN=()
TIMES=()
[ -z "${CI:-}" ] || export CARGO_TERM_COLOR=never

section() {
    end_section
    SECTION=$1 STARTED=$SECONDS
    printf '\n== %s\n' "$SECTION"
}

end_section() {
    [ -n "$SECTION" ] || return 0
    TIMES+=("$(printf '%6d s  %s' $((SECONDS - STARTED)) "$SECTION")")
    printf '    %d s\n' $((SECONDS - STARTED))
}

not_run() {
    printf '    not run: %s\n' "$1"
    NOT_RUN+=("$1")
}

# The closing lines of the test runner again, and their sums.
test_totals() {
    [ -f "$TESTS" ] || return 0
    grep -E '^test result:' "$TESTS" || true
    grep -E '^test .* FAILED$' "$TESTS" || true
    awk '/^test result:/ { for (i = 2; i <= NF; i++) {
            if ($i ~ /^passed/) passed += $(i-1); if ($i ~ /^failed/) failed += $(i-1); if ($i ~ /^ignored/) skipped += $(i-1) } }
        END { printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped }' "$TESTS"
}

closing() {
    local status=$?
    end_section
    printf '\n== where the minutes went\n'
    [ ${#TIMES[@]} -eq 0 ] || printf '%s\n' "${TIMES[@]}"
    printf '\n== %s after %d s\n' "$([ $status -eq 0 ] && echo "all passed" || echo "FAILED in: ${SECTION:-start}")" "$SECONDS"
    [ ${#NOT_RUN[@]} -eq 0 ] || printf 'not run: %s\n' "${NOT_RUN[@]}"
    test_totals
    rm -rf "$WORK"
    end_of_tools
    exit $status
}
trap closing EXIT

as_root() {
    if [ "$(id -u)" -eq 0 ]; then "$@"
    elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then sudo -n "$@"
    else return 1
    fi
}

# Installs packages of the system if it can; says nothing where that works.
fetch_packages() {
    command -v apt-get >/dev/null || return 1
    export DEBIAN_FRONTEND=noninteractive
    as_root timeout 120 apt-get update -qq >"$WORK/apt.txt" 2>&1 &&
        as_root timeout 300 apt-get install -y -qq --no-install-recommends "$@" >>"$WORK/apt.txt" 2>&1
}

# Finds the shared data and exports MUYBRIDGE_DATA. Without the data, the variable is not set and has_data fails.
find_data() {
    local folder=${MUYBRIDGE_DATA:-$ROOT/../shared/data}
    if [ -d "$folder/truth" ]; then
        MUYBRIDGE_DATA=$(cd "$folder" && pwd)
        export MUYBRIDGE_DATA
        echo "    $MUYBRIDGE_DATA"
    elif [ -n "${MUYBRIDGE_DATA:-}" ]; then
        echo "$folder is not the shared data folder: set MUYBRIDGE_DATA to the folder that holds truth/, bvh/, gltf/ …, or unset it" >&2
        exit 1
    else
        unset MUYBRIDGE_DATA
        not_run "what needs the shared data (MUYBRIDGE_DATA is not set, and ../shared/data is not there)"
    fi
}

has_data() { [ -n "${MUYBRIDGE_DATA:-}" ]; }

chromium_path() { command -v chromium || command -v chromium-browser || command -v google-chrome; }
has_vulkan() { compgen -G '/usr/share/vulkan/icd.d/*.json' >/dev/null || compgen -G '/etc/vulkan/icd.d/*.json' >/dev/null; }
has_window() { command -v Xvfb && command -v xdotool && command -v xwd; } >/dev/null
has_node() { command -v node && command -v npm; } >/dev/null

# Installs the packages of the system that the gate uses and that are missing, if it can.
fetch_missing_packages() {
    local missing=()
    has_vulkan || missing+=(mesa-vulkan-drivers)
    has_window || missing+=(xvfb xdotool x11-apps)
    chromium_path >/dev/null || missing+=(chromium)
    has_node || missing+=(nodejs npm)
    [ ${#missing[@]} -eq 0 ] || fetch_packages "${missing[@]}" || true
}

# What fuzzing links: the address sanitizer's part of Rust, and libFuzzer in C++.
can_fuzz() { command -v c++ >/dev/null && compgen -G "$(rustc --print target-libdir)/librustc*_rt.asan.a" >/dev/null; }
can_attack() { python3 -c 'import os, resource; os.waitstatus_to_exitcode, resource.prlimit' 2>/dev/null; }

PYTHON=$(python3.11 -c 'import sys; print(sys.executable)' 2>/dev/null || true)
BLENDER=$TOOLS/bpy-5.0.1/bin/python
MUJOCO=$TOOLS/mujoco-4.0.0/bin/python
has_blender() { [ -x "$BLENDER" ] && "$BLENDER" -c 'import bpy' >/dev/null 2>"$WORK/bpy.txt"; }
has_mujoco() { [ -x "$MUJOCO" ] && "$MUJOCO" -c 'import mujoco, numpy' >/dev/null 2>"$WORK/mujoco.txt"; }

# environment PYTHON FOLDER MODULE…: an environment of Python with these modules, below the tools.
environment() {
    rm -rf "${TOOLS:?}/$2"
    "$1" -m venv "$TOOLS/$2" && timeout 400 "$TOOLS/$2/bin/python" -m pip install --quiet "${@:3}"
} >"$WORK/${2%%-*}_pip.txt" 2>&1

# Installs the modules of Python that the gate uses and that are missing, if it can.
fetch_modules() {
    ! command -v python3 >/dev/null || has_mujoco || environment python3 mujoco-4.0.0 mujoco==4.0.0 || true
    if [ -n "$PYTHON" ] && ! has_blender; then
        environment "$PYTHON" bpy-5.0.1 bpy==5.0.1 numpy || true
        has_blender || ! grep -q 'cannot open shared object' "$WORK/bpy.txt" ||
            fetch_packages libgl1 libegl1 libsm6 libice6 libxrender1 libxxf86vm1 libxfixes3 libxi6 libxkbcommon0 || true
    fi
}

# Chromium and Node, for pages. Fails where they are missing.
has_browser() {
    chromium_path >/dev/null && has_node || return 1
    mkdir -p "$TOOLS/playwright"
    export MUYBRIDGE_PLAYWRIGHT=$TOOLS/playwright CHROMIUM=${CHROMIUM:-$(chromium_path)}
}

# The glTF validator of Khronos, an npm package below the tools. Fails where it is not there and cannot be had.
VALIDATOR=$TOOLS/gltf-validator-2.0.0-dev.3.10
has_validator() {
    has_node || return 1
    [ -d "$VALIDATOR/node_modules/gltf-validator" ] && return
    mkdir -p "$VALIDATOR"
    (cd "$VALIDATOR" && npm init -y && npm install --no-audit --no-fund gltf-validator@2.0.0-dev.3.10) >"$WORK/npm.txt" 2>&1
}
