"""Installs a wheel into an empty environment and runs its program as a shell does.

    python3 .ci/wheel_test.py target/wheels/muybridge-0.1.0-….whl     without a file, the newest of target/wheels

Any Python from 3.9 on; needs no network.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def newest_wheel():
    target = Path(os.environ.get("CARGO_TARGET_DIR") or Path(__file__).parent.parent / "target")
    wheels = sorted((target / "wheels").glob("muybridge-*.whl"), key=lambda wheel: wheel.stat().st_mtime)
    return wheels[-1] if wheels else sys.exit(f"no wheel in {target / 'wheels'}: build one with .ci/wheel")


WHEEL = Path(sys.argv[1] if len(sys.argv) > 1 else newest_wheel()).resolve()


def expect(is_so, told, ran=None):
    if not is_so:
        sys.exit(f"FAILED {told}\n{ran or ''}")
    print(f"ok {told}")


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=120)


def test(folder):
    subprocess.run([sys.executable, "-m", "venv", "environment"], check=True)
    scripts = folder / "environment" / ("Scripts" if os.name == "nt" else "bin")
    python, program = str(scripts / "python"), str(scripts / "muybridge")

    start = time.monotonic()
    ran = run(python, "-m", "pip", "install", "--quiet", "--no-index", str(WHEEL))
    expect(ran.returncode == 0, f"pip installs {WHEEL.name}, {WHEEL.stat().st_size / 1e6:.1f} MB", ran)
    ran = run(program, "check")
    seconds = time.monotonic() - start
    expect((ran.returncode, ran.stderr) == (0, "") and "plausible" in ran.stdout, "check: the built-in jump", ran)
    print(f"   {seconds:.1f} s from pip install to this verdict")

    version = WHEEL.name.split("-")[1]
    ran = run(program, "--version")
    expect((ran.returncode, ran.stdout) == (0, f"muybridge {version}\n"), "--version is that of the file", ran)
    ran = run(python, "-c", "import muybridge; print(muybridge.__version__)")
    expect(ran.stdout == f"{version}\n", "muybridge.__version__ is too", ran)
    ran = run(python, "-m", "muybridge", "check", "--help")
    expect(ran.returncode == 0 and "Usage: muybridge check" in ran.stdout, "python -m muybridge is the program", ran)

    ran = run(program, "simulate", "drop", "-o", "drop.bvh")
    expect(ran.returncode == 0 and Path("drop.bvh").is_file(), "simulate writes a BVH", ran)
    ran = run(program, "check", "drop.bvh", "--json")
    expect(ran.returncode in (0, 1) and json.loads(ran.stdout)["clips"], "check reads it and prints JSON", ran)
    ran = run(program, "check", "missing é.bvh")
    named = ran.stderr.count("\n") == 1 and "missing é.bvh" in ran.stderr
    expect(ran.returncode == 2 and named, "check: one line names a file that is not there, exit code 2", ran)
    ran = run(program, "chek")
    expect(ran.returncode == 2 and "Usage: muybridge" in ran.stderr, "a wrong verb shows the usage, exit code 2", ran)

    ran = subprocess.Popen([program, "check", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    first = ran.stdout.readline()
    ran.stdout.close()
    told = ran.stderr.read()
    expect(first.startswith("{") and told == "" and ran.wait() in (0, 2), "a reader may stop after a line", told)

    run_in_thread = "import muybridge, sys, threading; sys.argv[1:] = ['check']; threading.Thread(target=muybridge.main).start()"
    ran = run(python, "-c", run_in_thread)
    expect((ran.returncode, ran.stderr) == (0, "") and "plausible" in ran.stdout, "main() runs in a thread", ran)
    ran = run(python, "-c", "import importlib.resources as r; print(r.files('muybridge').joinpath('THIRD-PARTY.txt').read_text('utf-8'))")
    expect("MIT" in ran.stdout and "glam" in ran.stdout, "the licenses of what is linked in are there", ran)

    if os.name != "nt":
        shell = f"'{program}' check missing.bvh 2>&- >&-; echo $?"
        ran = run("sh", "-c", shell)
        expect(ran.stdout == "2\n", "a closed standard error changes no exit code", ran)
        # A shell gives Ctrl-C to the program in front, whatever became of it in the shell of this test.
        ran = subprocess.Popen(
            [program, "simulate", "crowd", "--seconds", "1000"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        time.sleep(4)
        expect(ran.poll() is None, "a long run goes on")
        start = time.monotonic()
        ran.send_signal(signal.SIGINT)
        _, told = ran.communicate(timeout=60)
        ended = time.monotonic() - start
        expect(ended < 1 and ran.returncode == 130 and told == b"", f"Ctrl-C ends it in {ended:.2f} s", told)


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    for name in ("PYTHONPATH", "PYTHONHOME"):
        os.environ.pop(name, None)
    test(Path(folder))
    os.chdir(WHEEL.parent)
