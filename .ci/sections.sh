# Sections, closing lines and tools of the gate (.ci/run) and of the long run (.ci/long), which source this file.
set -euo pipefail
exec </dev/null

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$ROOT"
TOOLS=${MUYBRIDGE_TOOLS:-${TMPDIR:-/tmp}/muybridge-tools-$(id -u)}
TARGET=${CARGO_TARGET_DIR:-$ROOT/target}
WORK=$(mktemp -d)
TESTS=$WORK/tests.txt
SECTION=
NOT_RUN=()
TIMES=()
# Everything is built once: no notes for the next time, no lines for a debugger.
export CARGO_INCREMENTAL=0 CARGO_PROFILE_DEV_DEBUG=0
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

# Chromium and Node, for pages. Fails where they are missing and cannot be installed.
has_browser() {
    chromium_path >/dev/null || fetch_packages chromium || true
    { command -v node && command -v npm; } >/dev/null || fetch_packages nodejs npm || true
    mkdir -p "$TOOLS/playwright"
    export MUYBRIDGE_PLAYWRIGHT=$TOOLS/playwright
    chromium_path >/dev/null && { command -v node && command -v npm; } >/dev/null || return 1
    CHROMIUM=${CHROMIUM:-$(chromium_path)}
    export CHROMIUM
}

# What fuzzing links: the address sanitizer's part of Rust, and libFuzzer in C++.
can_fuzz() { command -v c++ >/dev/null && compgen -G "$(rustc --print target-libdir)/librustc*_rt.asan.a" >/dev/null; }

# Fuzzes every target for so many seconds.
fuzz() {
    if can_fuzz; then .ci/fuzz "$1"
    else not_run "fuzzing (no C++ compiler, or a Rust without the address sanitizer)"
    fi
}
