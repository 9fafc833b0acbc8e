#!/usr/bin/env bash
# Kills `muybridge survey` with SIGKILL at a hundred random moments, resuming each time, and compares every table that gets
# through byte by byte with the one of a survey that was never killed. Exit status 1 at the first difference. Every fifth
# moment is while the tables are written or the segments taken away.
# Needs bash, awk and the shared data (MUYBRIDGE_DATA). SEED=7 gives other moments, KILLS=1000 more of them, FILES=500
# longer surveys; MUYBRIDGE_BIN tries another build.
set -euo pipefail
export LC_ALL=C
here=$(cd "$(dirname "$0")/.." && pwd)
shared=${MUYBRIDGE_DATA:-$here/../shared/data}
kills=${KILLS:-100} files=${FILES:-600}
RANDOM=${SEED:-1}
[ -d "$shared/bvh" ] || { echo "bench/survey_kill.sh: no clips in $shared; set MUYBRIDGE_DATA to the shared data folder" >&2; exit 1; }
if [ -z "${MUYBRIDGE_BIN:-}" ]; then
    (cd "$here" && cargo build --quiet --release -p muybridge_cli)
    MUYBRIDGE_BIN=${CARGO_TARGET_DIR:-$here/target}/release/muybridge
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
find "$shared"/bvh "$shared"/fbx "$shared"/gltf "$shared"/truth "$shared"/vrm "$shared"/malformed -type f |
    grep -E '\.(bvh|fbx|glb|gltf|vrm|vrma)$' | sort |
    awk -v want="$files" '{ line[n++] = $0 } END { for (k = 0; k < want; k++) print line[k % n] }' >"$folder/list.txt"

mkdir "$folder/never" "$folder/often"
# Instead of the shell that calls it, so that the kill hits the program: in the background, or in parentheses.
survey() { exec "$MUYBRIDGE_BIN" survey "$folder/list.txt" --out "$1/all.parquet" --html "$1/all.html" --resume "${@:2}"; }
start=$(date +%s%N)
(survey "$folder/never" >/dev/null 2>&1)
milliseconds=$((($(date +%s%N) - start) / 1000000))
echo "$files files take $milliseconds ms when nothing is killed"

killed=0 through=0 kept=0 late=0
parts=$folder/often/all.parquet.parts

# Until the tables are being made, and less than 20 ms longer.
wait_for_tables() {
    while kill -0 "$child" 2>/dev/null && ! compgen -G "$folder/often/.muybridge-*.part" >/dev/null &&
        [ ! -e "$folder/often/all.parquet" ]; do :; done
    sleep "$(printf "0.%03d" $((RANDOM % 20)))"
}

while [ $killed -lt "$kills" ] || [ $through -eq 0 ]; do
    survey "$folder/often" --threads $((1 + RANDOM % 3)) >"$folder/said" 2>&1 &
    child=$!
    if [ $killed -lt "$kills" ]; then
        begun=0
        if [ $((RANDOM % 5)) -eq 0 ]; then
            wait_for_tables
            begun=1
        else
            sleep "$(awk -v most="$milliseconds" -v part=$RANDOM 'BEGIN { print 0.8 * most * part / 32768 / 1000 }')"
        fi
        if kill -KILL "$child" 2>/dev/null; then
            wait "$child" 2>/dev/null || true
            killed=$((killed + 1))
            late=$((late + begun))
            if [ -e "$parts/0000000000.jsonl" ]; then kept=$((kept + 1)); fi
            continue
        fi
    fi
    wait "$child" || { cat "$folder/said"; echo "a resumed survey failed after $killed kills"; exit 1; }
    if ! diff -r "$folder/never" "$folder/often"; then
        echo "after $killed kills the tables differ"
        exit 1
    fi
    through=$((through + 1))
    rm -r "$folder/often"
    mkdir "$folder/often"
done
echo "$killed kills, $kept of them with segments on the disk, $late while the tables were made;" \
    "$through surveys got through, each the same byte for byte"
