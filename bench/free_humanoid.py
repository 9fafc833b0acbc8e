"""W4 of the peers, Muybridge and MuJoCo in turn in one run: a humanoid tumbles free for 5 s in steps of 1/240 s.

    python bench/free_humanoid.py            builds and runs both; needs the module mujoco and a Rust compiler

Both have the same bodies, joints and velocities: the example `free_humanoid` prints them, `.ci/mujoco_humanoid.py` makes the model.
Microseconds of CPU time per step, the best of all rounds on both sides. Prints a table in Markdown.
"""

import json
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / ".ci"))

import mujoco
import numpy as np
from mujoco_humanoid import model_of, set_velocities

STEP_S = 1.0 / 240.0
STEPS = 1200
ROUNDS = 3
RUNS = 7


def cargo(*words):
    return subprocess.run(["cargo", *words], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout


def ours():
    """Rows of the bench: name to microseconds and what else it says."""
    rows = {}
    for line in cargo("bench", "-q", "-p", "muybridge", "--bench", "rigid", "--", "humanoid").splitlines():
        cells = [cell.strip() for cell in line.strip("| \n").split("|")]
        if len(cells) == 6 and cells[1] == "1/240 s":
            rows[f"Muybridge, {cells[0]}"] = (float(cells[2]), cells[3:])
    return rows


def kept(model, data):
    """Energy, momentum and angular momentum."""
    mujoco.mj_forward(model, data)
    mujoco.mj_subtreeVel(model, data)
    mass = model.body_subtreemass[0]
    return data.energy[1], data.subtree_linvel[0] * mass, data.subtree_angmom[0].copy()


def theirs(run, integrator):
    model = model_of(run)
    model.opt.timestep = STEP_S
    model.opt.integrator = integrator
    model.opt.enableflags = 0
    data, best = mujoco.MjData(model), np.inf
    for _ in range(RUNS):
        mujoco.mj_resetData(model, data)
        set_velocities(model, data, run)
        mujoco.mj_forward(model, data)
        start = time.process_time()
        mujoco.mj_step(model, data, STEPS)
        best = min(best, (time.process_time() - start) / STEPS * 1e6)
    model.opt.enableflags = mujoco.mjtEnableBit.mjENBL_ENERGY
    mujoco.mj_resetData(model, data)
    set_velocities(model, data, run)
    first = kept(model, data)
    most, lost = 0.0, [0.0, 0.0]
    for _ in range(STEPS):
        mujoco.mj_step(model, data)
        now = kept(model, data)
        end = now[0] / first[0] - 1.0
        most = max(most, abs(end))
        lost = [max(lost[i], np.linalg.norm(now[1 + i] - first[1 + i]) / np.linalg.norm(first[1 + i])) for i in (0, 1)]
    return best, [f"{end:.1e} / {most:.1e}", f"{lost[0]:.0e}, {lost[1]:.0e}", "0 mm"]


def main():
    example = ["run", "-q", "--release", "-p", "muybridge", "--example", "free_humanoid", "--", "free", "10"]
    run = json.loads(cargo(*example))
    integrators = {"Euler": mujoco.mjtIntegrator.mjINT_EULER, "RK4": mujoco.mjtIntegrator.mjINT_RK4}
    rows = {}
    for _ in range(ROUNDS):
        found = ours() | {
            f"MuJoCo {mujoco.__version__}, {name}": theirs(run, integrator) for name, integrator in integrators.items()
        }
        for name, row in found.items():
            rows[name] = min(rows.get(name, row), row, key=lambda row: row[0])
    print("| | µs per step | energy at end / most | momentum, angular | gap |")
    print("| --- | --: | --: | --: | --: |")
    for name, (seconds, rest) in rows.items():
        print(f"| {name} | {seconds:.1f} | {' | '.join(rest)} |")


if __name__ == "__main__":
    main()
