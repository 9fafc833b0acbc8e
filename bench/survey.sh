#!/usr/bin/env bash
# Throughput of `muybridge survey`: clips and frames per second with 1 and 2 threads, and processor time per clip and peak
# memory for lists of 100, 1000 and 10 000 files, the same 50 shared files over and over. Some minutes on two slow cores.
# Needs bash, awk and the shared data (MUYBRIDGE_DATA); everything it writes goes to a temporary folder.
# MUYBRIDGE_BIN measures another build, SIZES="100 1000" measures shorter, FORMAT=csv writes another table.
set -euo pipefail
export LC_ALL=C
here=$(cd "$(dirname "$0")/.." && pwd)
shared=${MUYBRIDGE_DATA:-$here/../shared/data}
sizes=${SIZES:-100 1000 10000}
format=${FORMAT:-parquet}
[ -d "$shared/bvh" ] || { echo "bench/survey.sh: no clips in $shared; set MUYBRIDGE_DATA to the shared data folder" >&2; exit 1; }
if [ -z "${MUYBRIDGE_BIN:-}" ]; then
    (cd "$here" && cargo build --quiet --release -p muybridge_cli)
    MUYBRIDGE_BIN=${CARGO_TARGET_DIR:-$here/target}/release/muybridge
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# The 50 files: what moves in the shared data, filled up with files that cannot be read.
{
    find "$shared"/bvh "$shared"/fbx "$shared"/gltf "$shared"/truth "$shared"/vrm -type f |
        grep -E '\.(bvh|fbx|glb|gltf|vrm|vrma)$' | sort
    find "$shared"/malformed -type f | grep -E '\.(glb|gltf)$' | sort
} | awk 'NR <= 50' >"$folder/fifty"

# cpu: processor seconds of all children of this shell so far.
cpu() {
    times >"$folder/times"
    awk 'NR == 2 { for (i = 1; i <= 2; i++) { split($i, part, "m"); sum += 60 * part[1] + part[2] } print sum }' "$folder/times"
}

# run FILES THREADS: surveys a list of so many files; leaves clips, frames, wall and processor seconds, peak MB in $measured.
run() {
    awk -v want="$1" '{ line[n++] = $0 } END { for (k = 0; k < want; k++) print line[k % n] }' "$folder/fifty" >"$folder/list.txt"
    local out=$folder/out.$format start end most=0 now used
    cpu >"$folder/cpu"
    used=$(cat "$folder/cpu")
    start=$(date +%s.%N)
    "$MUYBRIDGE_BIN" survey "$folder/list.txt" --out "$out" --html "$folder/out.html" --threads "$2" --force >"$folder/said" 2>&1 &
    local child=$!
    while now=$(awk '/VmHWM/ { print $2 }' "/proc/$child/status" 2>/dev/null) && [ -n "$now" ]; do
        most=$now
        sleep 0.05
    done
    wait "$child"
    end=$(date +%s.%N)
    cpu >"$folder/cpu"
    measured=$(awk -v a="$start" -v b="$end" -v used="$used" -v now="$(cat "$folder/cpu")" -v most="$most" '
        /^survey/ { gsub(/   +/, "\t"); gsub(/ /, ""); split($0, part, "\t")
            sub(/clips?/, "", part[2]); sub(/frames?/, "", part[4])
            printf "%s %s %.3f %.3f %.1f\n", part[2], part[4], b - a, now - used, most / 1024 }' "$folder/said")
}

printf '| files | threads | clips | wall s | clips/s | frames/s | cpu ms per clip | peak MB |\n'
printf '| ----: | ------: | ----: | -----: | ------: | -------: | --------------: | ------: |\n'
run 100 2
for files in $sizes; do
    for threads in 1 2; do
        run "$files" "$threads"
        echo "$measured" | awk -v files="$files" -v threads="$threads" '{
            printf "| %d | %d | %d | %.2f | %.0f | %.0f | %.3f | %.1f |\n", files, threads, $1, $3, $1 / $3, $2 / $3, 1000 * $4 / $1, $5 }'
    done
done
