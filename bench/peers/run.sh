#!/bin/sh
# Builds every peer that crates.io has, runs the workloads on each in turn and prints the table.
#
#   bench/peers/run.sh                 W1a, W1b, W2, W3, one thread, three repetitions, CPU time
#   ONLY=W1a SIZES=1,512 REPS=5 …      a part of it;  GROW=1: 1 to 16,384 ragdolls, cloth of 32² to 256²
#
#   DOOR=1 …                           scenes in TOML through the public world, and the same bodies in the peers:
#                                      built-in ones and those of scenes/;  ONLY=drop,flail  FRAMES=60  METHOD=rigid
#   PIN='taskset -c 1' …               on one core
#
# Box3D needs cmake and libclang (Debian: cmake libclang-dev), Jolt a C++ compiler (g++); what does not build is left out.
# Jolt runs the scenes. Its other workloads, PhysX and MuJoCo join from the folder of the shared benchmark, if SHARED_BIN
# names the folder of its binaries: ../shared/bench/peers/run.sh is then run in the same sitting. README.md says what differs.
set -u
cd "$(dirname "$0")"
mkdir -p out && rm -f out/*.jsonl
export REPS=${REPS:-3}
BUILT=${CARGO_TARGET_DIR:-target}/release
PEERS="peer-muybridge peer-rapier peer-box3d"
if [ -n "${DOOR:-}" ]; then
    # Muybridge comes first and writes the setups for the others.
    PEERS="$PEERS peer-jolt"
    export DOOR=$PWD/out/scenes
    rm -rf "$DOOR"
fi
for peer in $PEERS; do
    RUSTFLAGS=$([ "$peer" = peer-rapier ] && echo "-C target-cpu=native" || true) cargo build --release -q -p "$peer" 2>"out/$peer.log" ||
        echo "$peer does not build here and is left out: out/$peer.log" >&2
done
cargo build --release -q -p workloads
for round in $(seq "${ROUNDS:-1}"); do
    for peer in $PEERS; do
        [ ! -x "$BUILT/$peer" ] || ${PIN:-} "$BUILT/$peer" >>"out/$peer.jsonl"
    done
done
if [ -n "${SHARED_BIN:-}" ]; then
    PEERS="jolt physx mujoco" BIN=$SHARED_BIN OUT=$PWD/out sh ../../../shared/bench/peers/run.sh
fi
"$BUILT/table" out/*.jsonl
