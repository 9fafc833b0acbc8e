"""Takes the public clips of the measurement out of bare snapshots of their repositories.

    python3 bench/detection/fetch.py MIRROR FOLDER [apart]   writes the files of clips.txt (or apart.txt) to FOLDER/SET/
    python3 bench/detection/fetch.py --draw MIRROR [apart]   draws that list anew, to standard output

clips.txt is the measurement. apart.txt holds further sets that nobody looks at while limits are chosen; it is measured last.

MIRROR holds one folder per repository, OWNER+NAME: a bare clone, or a folder `repo` that is one or holds `.git`.
`git clone --bare https://github.com/OWNER/NAME MIRROR/OWNER+NAME` makes one. Needs git and Python 3.

The draw: per set the files of a motion format below 4 MiB, sorted by path, each content once; of more than 200 a sample
with a fixed seed. No verdict of any program has a part in it. Left out, because it is no motion of one body:
  poses and empty skeletons (rest, bind, stance, T pose; three frames and fewer), models, props, hands and single chains;
  outputs of a network or of a simulated tracker (deep-motion-editing's demo_results, Diverse-Motion-Stylization's output,
  MoConVQ, the gestures of MocapNET), and the crab and the elephant of ganimator, made by hand;
  files without an animation, and files that no reader takes (an `unreadable` row of `muybridge survey`).
"""

import os
import random
import re
import subprocess
import sys

SEED, LARGEST = 33, 4 << 20
# The two halves of Bandai's repository are two recordings; together they are one set of 200.
MOST = {"bandai1": 100, "bandai2": 100, "woody": 100, "basketball": 100, "tennis": 100}
POSE = r"rest[^/]*\.bvh$|_bind|_stance|/poses/|[Pp]ose(_\d+)?\.(fbx|glb)$|skeleton|hierarchy|header"

# Set, repository, paths to take, paths to leave out.
SETS = [
    ("bandai1", "BandaiNamcoResearchInc/Bandai-Namco-Research-Motiondataset", r"Motiondataset-1/.*\.bvh$", ""),
    ("bandai2", "BandaiNamcoResearchInc/Bandai-Namco-Research-Motiondataset", r"Motiondataset-2/.*\.bvh$", ""),
    ("rpm", "readyplayerme/animation-library", r"\.glb$", ""),
    ("skelgen", "snumrl/SkelGen", r"\.bvh$", ""),
    ("car", "syleemrl/CAR", r"\.bvh$", ""),
    ("games", "GAMES-105/GAMES-105", r"\.bvh$", ""),
    ("dme", "DeepMotionEditing/deep-motion-editing", r"\.bvh$", "demo_results|output"),
    ("mass", "lsw9021/MASS", r"\.bvh$", ""),
    ("ganimator", "PeizhuoLi/ganimator", r"\.bvh$", "Crab|Elephant"),
    ("dogs", "Digital-Humans-23/motion-matching", r"\.bvh$", ""),
    ("dogs", "guo-han/motion-matching", r"\.bvh$", ""),
    ("pfnn", "sreyafrancis/PFNN", r"\.bvh$", ""),
    ("drawings", "facebookresearch/AnimatedDrawings", r"\.bvh$", ""),
    ("avatar", "lo-th/Avatar.lab", r"\.bvh$", ""),
    ("mw", "TaeilJin/MW_HumanMotionRetargetingSolver", r"\.bvh$", ""),
    ("lafan", "Ribosome-rbx/Motion-Matching-for-Human-Skeleton", r"\.bvh$", ""),
    ("lafan", "heyuanYao-pku/Control-VAE", r"\.bvh$", ""),
    ("mixamo", "M3-org/CharacterStudio", r"animations/.*\.fbx$", ""),
    ("mixamo", "Nishitsarvaiya/threejs-character-controls", r"animations/.*\.fbx$", ""),
    ("mixamo", "zoan37/agentcube", r"animations/.*\.fbx$", ""),
    ("mixamo", "Hallory/DnD-game", r"animations/.*\.fbx$", ""),
    ("mixamo", "Ando-Mickael/r3f-sims-like", r"animations/.*\.fbx$", ""),
    ("mixamo", "wass08/r3f-virtual-girlfriend-frontend", r"animations/.*\.fbx$", ""),
    ("mixamo", "simondevyoutube/ThreeJS_Tutorial_CharacterController", r"\.fbx$", ""),
    ("mixamo", "V-Sekai/three-vrm-1-sandbox-mixamo", r"\.fbx$", ""),
    ("mixamo", "JLPM22/MotionMatching", r"\.fbx$", ""),
    ("ase", "nv-tlabs/ASE", r"_cmu\.fbx$", ""),
    ("ozz", "guillaumeblanc/ozz-animation", r"fbx/pab/.*\.fbx$", r"hand\.fbx"),
    ("small", "20tab/bvh-python", r"\.bvh$", ""),
    ("small", "AIGAnimation/CAMDM", r"\.bvh$", ""),
    ("small", "eherr/anim_utils", r"\.bvh$", "skeleton_pose"),
    ("small", "eherr/vis_utils", r"\.bvh$", ""),
    ("small", "omimo/PyMO", r"\.bvh$", ""),
    ("small", "YoungSeng/UnifiedGesture", r"\.bvh$", ""),
    ("small", "upf-gti/animics", r"\.bvh$", ""),
    ("small", "FORTH-ModelBasedTracker/MocapNET", r"\.bvh$", r"gestures/|axis|hand\.bvh"),
    ("small", "orangeduck/GenoView", r"\.bvh$", ""),
    ("small", "VictorS-67/pybvh", r"bvh_data/.*\.bvh$", ""),
    ("small", "TMoCo/InverseKinematics", r"\.bvh$", "arm"),
    ("small", "facebookresearch/fairmotion", r"\.bvh$", "sinusoidal"),
    ("small", "facebookresearch/ScaDiver", r"motion/test\.bvh$", ""),
    ("small", "assimp/assimp", r"\.bvh$", ""),
]
APART = [
    ("woody", "snumrl/ys2010", r"Data/woody2/Motion/.*\.bvh$", "motion_edit|pose"),
    ("basketball", "snumrl/VSports", r"\.bvh$", ""),
    ("tennis", "snumrl/InteractiveAnimation", r"\.bvh$", "t_pose"),
    ("martial", "snumrl/TimeCriticalResponse", r"\.bvh$", "t_pose"),
    ("mxm", "snumrl/ParameterizedMotion", r"\.bvh$", ""),
    ("mss", "snumrl/MSS", r"\.bvh$", r"pose\.bvh"),
    ("mss", "snumrl/WAD", r"\.bvh$", ""),
]
# Files that do not read, or hold no motion, found by reading them; each with its reason.
UNREAD = {
    "M3-org/CharacterStudio": {"public/lora-assets/animations/FallArmsOpen.fbx"},  # a pose of two frames
}


def git_folder(mirror, repository):
    """The folder that git reads, in whichever of the three forms the snapshot has."""
    base = os.path.join(mirror, repository.replace("/", "+"))
    for folder in (base, os.path.join(base, "repo"), os.path.join(base, "repo", ".git"), os.path.join(base, ".git")):
        if os.path.isdir(os.path.join(folder, "objects")):
            return folder
    return None


def git(folder, *arguments):
    return subprocess.run(["git", "--git-dir=" + folder, *arguments], capture_output=True, check=True).stdout


def draw(mirror, apart):
    """Prints the list: a line `# SET OWNER/NAME COMMIT`, then one path a line. No content stands in both lists."""
    seen, drawn = set(), {}
    wanted = {name for name, *_ in (APART if apart else SETS)}
    for name, repository, take, leave in SETS + APART:
        folder = git_folder(mirror, repository) or sys.exit(f"no snapshot of {repository} in {mirror}")
        commit = git(folder, "rev-parse", "HEAD").decode().strip()
        for line in sorted(git(folder, "ls-tree", "-r", "-l", "-z", "HEAD").decode().split("\0"), key=lambda x: x[x.find("\t"):]):
            if "\t" not in line:
                continue
            (_, _, blob, size), path = line.split("\t", 1)[0].split(), line.split("\t", 1)[1]
            if not re.search(take, path, re.I) or leave and re.search(leave, path) or re.search(POSE, path):
                continue
            if not size.isdigit() or int(size) >= LARGEST or blob in seen or path in UNREAD.get(repository, {}):
                continue
            seen.add(blob)
            drawn.setdefault(name, []).append((repository, commit, path))
    for name in sorted(wanted, key=list(drawn).index):
        files = drawn[name]
        most = MOST.get(name, 200)
        if len(files) > most:
            files = sorted(random.Random(SEED).sample(files, most))
        for k, (repository, commit, path) in enumerate(files):
            if k == 0 or files[k - 1][0] != repository:
                print("#", name, repository, commit)
            print(path)


def fetch(mirror, target, apart):
    """Writes the listed files as SET/OWNER_PATH, and says what is absent."""
    wrote, absent = {}, 0
    here = os.path.dirname(os.path.abspath(__file__))
    for line in open(os.path.join(here, "apart.txt" if apart else "clips.txt"), encoding="utf-8"):
        line = line.rstrip("\n")
        if line.startswith("# "):
            _, name, repository, commit = line.split(" ")
            folder = git_folder(mirror, repository)
            if folder is None:
                print(f"no snapshot of {repository}", file=sys.stderr)
            os.makedirs(os.path.join(target, name), exist_ok=True)
            continue
        flat = re.sub(r"[^A-Za-z0-9._-]", "_", repository.split("/")[0] + "_" + line)
        place = os.path.join(target, name, flat[-100:])
        try:
            content = git(folder, "show", f"{commit}:{line}") if folder else None
        except subprocess.CalledProcessError:
            content = None
        if content is None:
            absent += 1
            print(f"absent: {repository} {line}", file=sys.stderr)
            continue
        with open(place, "wb") as file:
            file.write(content)
        wrote[name] = wrote.get(name, 0) + 1
    print("\n".join(f"{name:10} {count}" for name, count in wrote.items()))
    print(f"{sum(wrote.values())} files, {absent} absent")


if __name__ == "__main__":
    apart, arguments = sys.argv[-1] == "apart", [x for x in sys.argv[1:] if x != "apart"]
    if len(arguments) != 2:
        sys.exit(__doc__)
    if arguments[0] == "--draw":
        draw(arguments[1], apart)
    else:
        fetch(*arguments, apart)
