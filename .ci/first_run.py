#!/usr/bin/env python3
"""What a newcomer waits for, measured from a fresh clone: builds, tests, sizes, the wheel. Prints a table.

    .ci/first_run.py [--keep FOLDER] [--only PART ...]

Measure on an idle machine. Crates are fetched before the clock starts; nothing built before is used. CPU is user and
system time of all processes; memory is that of the largest process. Parts: program, studio, tests, studio-tests, wheel.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PARTS = ["program", "studio", "tests", "studio-tests", "wheel"]
PICTURES = {".png", ".gif", ".svg", ".jpg", ".webp"}


def measured(what, command, folder, environment):
    """Runs a command; returns its output, and prints a row with seconds, CPU and memory."""
    start = time.monotonic()
    with tempfile.TemporaryFile() as file:
        run = subprocess.Popen(command, cwd=folder, env=environment, stdout=file, stderr=subprocess.STDOUT)
        _, status, used = os.wait4(run.pid, 0)
        wall = time.monotonic() - start
        run.returncode = os.waitstatus_to_exitcode(status)
        file.seek(0)
        output = file.read().decode(errors="replace")
    print(f"| {what} | {wall:.0f} s | {used.ru_utime + used.ru_stime:.0f} s | {used.ru_maxrss / 1024:.0f} MB |", flush=True)
    if run.returncode != 0:
        print(output[-4000:], file=sys.stderr)
        sys.exit(f"{' '.join(command)} ended with {run.returncode}")
    return output


def row(what, value):
    print(f"| {what} | {value} | | |", flush=True)


def megabytes(size):
    return f"{size / 1e6:.1f} MB"


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--keep", type=Path, help="clone to this folder and keep it, with what was built")
    options.add_argument("--only", nargs="+", choices=PARTS)
    chosen = options.parse_args()
    parts = chosen.only or PARTS
    root = Path(__file__).resolve().parent.parent
    folder = chosen.keep or Path(tempfile.mkdtemp(prefix="muybridge-first-run-"))
    clone = folder / "muybridge"
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("CARGO_PROFILE", "MUYBRIDGE_"))}
    environment |= {"CARGO_TARGET_DIR": str(clone / "target"), "CARGO_TERM_COLOR": "never"}
    try:
        subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", str(root), str(clone)], check=True)
        subprocess.run(["cargo", "fetch", "--quiet", "--locked"], cwd=clone, check=True)
        print(f"| {os.cpu_count()} cores | time | CPU | memory |\n| --- | ---: | ---: | ---: |", flush=True)
        checkout = [path for path in clone.rglob("*") if path.is_file() and ".git" not in path.relative_to(clone).parts]
        row("checkout", megabytes(sum(path.stat().st_size for path in checkout)))
        row("pictures in it", megabytes(sum(path.stat().st_size for path in checkout if path.suffix in PICTURES)))
        if "program" in parts:
            measured("`cargo run --release -- check`", ["cargo", "run", "--release", "--", "check"], clone, environment)
            row("program", megabytes((clone / "target/release/muybridge").stat().st_size))
        if "studio" in parts:
            measured("the studio after that", ["cargo", "build", "--release", "-p", "muybridge_studio"], clone, environment)
            row("studio", megabytes((clone / "target/release/muybridge-studio").stat().st_size))
        output = ""
        if "tests" in parts:
            measured("`cargo test`, building", ["cargo", "test", "--no-run"], clone, environment)
            output += measured("`cargo test`, running", ["cargo", "test"], clone, environment)
        if "studio-tests" in parts:
            output += measured("tests of the studio", ["cargo", "test", "-p", "muybridge_studio"], clone, environment)
        totals = re.findall(r"^test result: .* (\d+) passed; .* (\d+) ignored", output, re.MULTILINE)
        if totals:
            passed, ignored = (sum(int(count) for count in counts) for counts in zip(*totals))
            share = 100 * passed / (passed + ignored)
            row("of them run without the shared data", f"{passed} of {passed + ignored}, {share:.1f} %")
        if "wheel" in parts:
            measured("the wheel after that", [".ci/wheel"], clone, environment)
            wheel = next((clone / "target/wheels").glob("*.whl"))
            row("wheel", megabytes(wheel.stat().st_size))
            python = folder / "python"
            subprocess.run([sys.executable, "-m", "venv", str(python)], check=True)
            install = f"{python}/bin/pip install --quiet --no-index {wheel} && {python}/bin/muybridge check"
            measured("`pip install FILE` and the first verdict", ["sh", "-c", install], folder, environment)
    finally:
        if not chosen.keep:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
