#!/usr/bin/env bash
# End to end: seconds, memory and throughput of `muybridge check`, from files on disk to verdicts, without reports.
# Needs bash, awk and the shared data (MUYBRIDGE_DATA); everything it writes goes to a temporary folder.
# MUYBRIDGE_BIN measures another build, ROUNDS=21 measures longer.
set -euo pipefail
export LC_ALL=C
here=$(cd "$(dirname "$0")/.." && pwd)
clips=${MUYBRIDGE_DATA:-$here/../shared/data}/bvh
rounds=${ROUNDS:-11}
big=$clips/boxing_knockdown_fall.bvh
[ -r "$big" ] || { echo "bench/run.sh: no clips in $clips; set MUYBRIDGE_DATA to the shared data folder" >&2; exit 1; }
if [ -z "${MUYBRIDGE_BIN:-}" ]; then
    (cd "$here" && cargo build --quiet --release -p muybridge_cli)
    MUYBRIDGE_BIN=${CARGO_TARGET_DIR:-$here/target}/release/muybridge
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
TIMEFORMAT='%R %U %S'

# once COMMAND…: wall and processor seconds of one run. Verdicts set exit codes, so these do not count.
once() {
    { time "$@" >/dev/null 2>&1 || true; } 2>&1 | awk '{ print $1, $2 + $3 }'
}

# medians: of each column of standard input.
medians() {
    awk '{ for (i = 1; i <= NF; i++) v[i, NR] = $i; n = NF }
        END { for (i = 1; i <= n; i++) {
            for (a = 2; a <= NR; a++) for (b = a; b > 1 && v[i, b] < v[i, b - 1]; b--) { t = v[i, b]; v[i, b] = v[i, b - 1]; v[i, b - 1] = t }
            printf "%s%s", v[i, int((NR + 1) / 2)], i < n ? " " : "\n" } }'
}

# measure COMMAND…: median wall and processor seconds.
measure() {
    for _ in $(seq "$rounds"); do once "$@"; done | medians
}

# peak COMMAND…: peak resident memory, KB.
peak() {
    if [ -x /usr/bin/time ]; then
        { /usr/bin/time -f %M "$@" 2>&1 >/dev/null || true; } | tail -1
        return
    fi
    "$@" >/dev/null 2>&1 &
    local child=$! most=0 now
    while now=$(awk '/VmHWM/ { print $2 }' "/proc/$child/status" 2>/dev/null) && [ -n "$now" ]; do most=$now; done
    wait "$child" || true
    echo "$most"
}

# long FRAMES: the big clip's rows, forth and back until there are so many.
long() {
    awk -v want="$1" '
        /^[ \t]*Frames:/ { print "Frames: " want; next }
        /^[ \t]*Frame Time:/ { print; motion = 1; next }
        !motion { print; next }
        NF { row[n++] = $0 }
        END { for (f = 0; f < want; f++) { at = f % (2 * n - 2); print row[at < n ? at : 2 * n - 2 - at] } }' "$big"
}

rate() { awk -v bytes="$(stat -Lc %s "$1")" -v seconds="$2" 'BEGIN { printf "%.0f", bytes / 1e6 / seconds }'; }
count_frames() { awk 'motion && NF { n++ } /^[ \t]*Frame Time:/ { motion = 1 } END { print n }' "$1"; }

check() { echo "$MUYBRIDGE_BIN" check --threads 1; }

echo "machine: $(awk -F': ' '/model name/ { print $2; exit }' /proc/cpuinfo), $(nproc) cores, load $(cut -d' ' -f1 /proc/loadavg)"
echo "median of $rounds runs; wall and processor seconds (user + system), one thread unless it says otherwise"
echo
echo "| one clip, disk to verdict | MB | frames | wall s | cpu s | MB per cpu s | peak MB |"
echo "| --- | ---: | ---: | ---: | ---: | ---: | ---: |"
for file in "$big" "$clips/cmu_01_01_forward_hops.bvh"; do
    read -r wall cpu <<<"$(measure $(check) "$file")"
    printf '| %s | %.1f | %d | %.3f | %.3f | %s | %.1f |\n' "$(basename "$file" .bvh)" \
        "$(stat -Lc '%s' "$file" | awk '{ print $1 / 1e6 }')" "$(count_frames "$file")" "$wall" "$cpu" "$(rate "$file" "$cpu")" \
        "$(peak $(check) "$file" | awk '{ print $1 * 1.024e-3 }')"
done
read -r wall cpu <<<"$(measure "$MUYBRIDGE_BIN" check)"
printf '| built-in jump, made and checked | | 151 | %.3f | %.3f | | %.1f |\n' "$wall" "$cpu" "$(peak "$MUYBRIDGE_BIN" check | awk '{ print $1 * 1.024e-3 }')"
read -r wall cpu <<<"$(measure "$MUYBRIDGE_BIN" --version)"
printf '| the program starting (--version) | | | %.3f | %.3f | | |\n' "$wall" "$cpu"

bones=$(grep -cE '^[[:space:]]*(ROOT|JOINT)' "$big")
echo
echo "| as a clip grows ($bones bones) | cpu s | cpu µs per frame | peak MB | bytes per bone and frame, against the row above |"
echo "| --- | ---: | ---: | ---: | ---: |"
before="" first=""
for frames in 10000 20000 40000; do
    file=$folder/long.bvh
    long "$frames" >"$file"
    read -r _ cpu <<<"$(measure $(check) "$file")"
    kilobytes=$(peak $(check) "$file")
    slope=$([ -z "$before" ] || awk -v a="$before" -v b="$kilobytes" -v n=$((frames / 2 * bones)) 'BEGIN { printf "%.0f", (b - a) * 1024 / n }')
    printf '| %d frames | %.3f | %.2f | %.1f | %s |\n' "$frames" "$cpu" "$(awk -v c="$cpu" -v f="$frames" 'BEGIN { print c / f * 1e6 }')" \
        "$(awk -v k="$kilobytes" 'BEGIN { print k * 1.024e-3 }')" "$slope"
    before=$kilobytes first=${first:-$cpu}
done
awk -v a="$first" -v b="$cpu" 'BEGIN { printf "\nper frame, 40 000 frames by 10 000: %.2f (no more than 1.2 is linear)\n", b / a / 4 }'

echo
echo "| the same bytes otherwise (40 000 frames) | cpu s | MB per cpu s | check by this |"
echo "| --- | ---: | ---: | ---: |"
other() {
    local name=$1 seconds
    shift
    read -r _ seconds <<<"$(measure "$@")"
    printf '| %s | %.3f | %s | %s |\n' "$name" "$seconds" "$(rate "$file" "$(awk -v s="$seconds" 'BEGIN { print (s > 0 ? s : 0.001) }')")" \
        "$(awk -v c="$cpu" -v s="$seconds" 'BEGIN { printf "%.1f", c / (s > 0 ? s : 0.001) }')"
}
[ "$rounds" -le 5 ] || rounds=5
other "muybridge check" $(check) "$file"
other "counting its words (wc -w)" wc -w "$file"
other "adding up its numbers (awk)" awk '{ for (i = 1; i <= NF; i++) s += $i } END { print s }' "$file"
if command -v python3 >/dev/null; then
    other "its numbers as floats (python3)" python3 -c 'import sys; [float(w) for l in open(sys.argv[1]) if l[0] in "-0123456789" for w in l.split()]' "$file"
fi

mkdir "$folder/many"
for copy in $(seq 12); do
    for file in "$clips"/*.bvh; do cp "$file" "$folder/many/${copy}_$(basename "$file")"; done
done
files=$(find "$folder/many" -name '*.bvh' | wc -l)
megabytes=$(find "$folder/many" -name '*.bvh' -printf '%s\n' | awk '{ s += $1 } END { print s / 1e6 }')
for _ in $(seq "$rounds"); do
    echo "$(once "$MUYBRIDGE_BIN" check --threads 1 "$folder/many") $(once "$MUYBRIDGE_BIN" check --threads 2 "$folder/many")"
done | medians >"$folder/threads"
echo
echo "| $files files, $megabytes MB | wall s | clips per s | MB per s | cpu s |"
echo "| --- | ---: | ---: | ---: | ---: |"
awk -v n="$files" -v m="$megabytes" '{
    printf "| 1 thread | %.2f | %.0f | %.0f | %.2f |\n", $1, n / $1, m / $1, $2
    printf "| 2 threads | %.2f | %.0f | %.0f | %.2f |\n", $3, n / $3, m / $3, $4
    printf "\n2 threads against 1 in the same rounds: %.2f times the clips per second\n", $1 / $3 }' "$folder/threads"
