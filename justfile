# Names for the commands of the project. Nothing needs `just`: each recipe is what one would type.

# The shared data, if it is beside the repository; without it tests read tests/data.
beside := justfile_directory() / "../shared/data"
export MUYBRIDGE_DATA := env("MUYBRIDGE_DATA", if path_exists(beside) == "true" { beside } else { "" })

# What there is
default:
    @just --list

# Formatting, lints, documentation and all tests, the map and the rules of style among them
check:
    cargo fmt --all --check
    cargo clippy --workspace --all-targets -- -D warnings
    RUSTDOCFLAGS="-D warnings" cargo doc --no-deps --workspace
    cargo test --workspace

# All tests of the library, the readers, the report and the program
test:
    cargo test

# Records what a program computes (a refactoring changes no line): just results target/release/muybridge >after.txt
results program:
    @python3 .ci/results.py record {{program}} {{MUYBRIDGE_DATA}}

# Speed: momentum per frame in memory, then whole files from disk to verdict
bench:
    cargo bench -p muybridge
    [ ! -x bench/run.sh ] || bench/run.sh

# How far the findings of `check` can be trusted, on folders of clips: bench/detection/fetch.py brings public ones. Needs numpy
detection *folders:
    python3 bench/detection/detection.py --program target/release/muybridge {{folders}}

# Ragdolls and cloth beside rapier and Box3D, and Jolt, PhysX and MuJoCo where SHARED_BIN names their binaries
bench-peers:
    bench/peers/run.sh

# Scenes in TOML as a person runs them, beside the same bodies in Box3D and rapier
bench-door:
    DOOR=1 bench/peers/run.sh

# The pictures the tests draw, in gallery/tests: look at them after every change to drawing
goldens:
    mkdir -p gallery/tests
    MUYBRIDGE_PICTURES={{justfile_directory()}}/gallery/tests cargo test -p muybridge_report
    MUYBRIDGE_PICTURES={{justfile_directory()}}/gallery/tests cargo test -p muybridge_cli --test all fix_reports

# All pictures (gallery/README.md lists them): look at them after every change to drawing or physics
gallery: goldens studio-tests
    #!/usr/bin/env bash
    set -euo pipefail
    cargo build --release -p muybridge_cli
    program=target/release/muybridge
    clip=${MUYBRIDGE_DATA:-../shared/data}/bvh/mass_backflip_fast.bvh
    mkdir -p gallery/scenes gallery/plates
    cargo run --release -p muybridge_report --example gallery -- gallery/scenes
    # check says 1 of a motion that could not be.
    $program check --force --plate gallery/plates/jump.png >target/pictures.txt
    $program check --force --plate gallery/plates/backflip.png "$clip" >target/pictures.txt || [ $? -eq 1 ]
    $program fix --force -o target/backflip.bvh "$clip" >target/pictures.txt
    $program check --force --plate gallery/plates/backflip_fixed.png target/backflip.bvh >target/pictures.txt || [ $? -eq 1 ]
    for scene in drop hit_and_bomb flail pushed; do
        $program simulate $scene --force --size 320x180 --gif gallery/$scene.gif >target/pictures.txt
    done
    python3 .ci/small_pictures.py gallery gallery/plates/*.png \
        gallery/studio/{studio_start,studio_motion_dark,overlays_flight_light,studio_draw,studio_charts,studio_behavior}.png

# The desktop program
studio *files:
    cargo run --release -p muybridge_studio -- {{files}}

# The tests of the desktop program, and pictures of its rooms in gallery/studio: look at them after every change to it
studio-tests:
    MUYBRIDGE_PICTURES={{justfile_directory()}}/gallery/studio cargo test -p muybridge_studio

# The small pictures that those tests compare with, made anew: look at the large ones first
studio-pictures:
    MUYBRIDGE_RENEW=1 cargo test -p muybridge_studio

# The desktop program as a web page, in target/page or another folder
web *folder:
    .ci/web {{folder}}

# That page in Chromium without a window; its pictures in gallery/web: look at them after every change to it
web-tests:
    .ci/web target/page
    node .ci/web_test.mjs target/page gallery/web

# The program as a wheel for pip, in target/wheels
wheel *options:
    .ci/wheel {{options}}

# That wheel, or another, in an empty environment
wheel-test *file:
    python3 .ci/wheel_test.py {{file}}

# Mutated inputs of every kind through the program, as many as asked for: just attack 100000 --keep folder
attack runs *options:
    bench/attack/attack.py --runs {{runs}} {{options}}

# Kills at random moments, racing writers, full disks and Ctrl-C
kills *options:
    bench/attack/kills.py {{options}}

# One reader against arbitrary bytes: just fuzz bvh 600
fuzz target seconds:
    .ci/fuzz {{seconds}} {{target}}

# The gate, as it runs for every change
ci:
    .ci/run

# What is too slow for the gate; LONG=1 adds tests that take hours
long:
    .ci/long

# What a newcomer waits for, from a fresh clone: seconds, CPU and memory of the builds and tests, and sizes. On an idle machine
first-run *options:
    .ci/first_run.py {{options}}
