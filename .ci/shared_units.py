#!/usr/bin/env python3
"""Counts how much of what is built for the program is built for another target too, and says which features differ.

    .ci/shared_units.py [--test]

Cargo builds a crate again for each other set of features. `crates/muybridge_cli/Cargo.toml` asks for the features that
the studio's libraries ask for, so that program and studio share almost all; after an update of a library this tells
what to add there.
"""

import json
import os
import subprocess
import sys


def units(*command):
    """Identity of each unit of a build: what it is, its features, and those of all it depends on."""
    arguments = ["cargo", *command, "--locked", "-Z", "unstable-options", "--unit-graph"]
    graph = json.loads(subprocess.run(arguments, check=True, capture_output=True, env=os.environ | {"RUSTC_BOOTSTRAP": "1"}).stdout)
    names = {}

    def name(index):
        if index not in names:
            unit = graph["units"][index]
            target = unit["target"]
            own = (unit["pkg_id"], target["name"], tuple(target["kind"]), unit["mode"], unit["platform"],
                   json.dumps(unit["profile"], sort_keys=True), tuple(unit["features"]))
            names[index] = (own, tuple(sorted(map(hash, (name(child["index"]) for child in unit["dependencies"])))))
        return names[index]

    return {name(index) for index in range(len(graph["units"]))}


def main():
    test = "--test" in sys.argv
    program = units("test", "--no-run") if test else units("build", "--release", "--bin", "muybridge")
    studio = units("test", "--no-run", "-p", "muybridge_studio") if test else units("build", "--release", "-p", "muybridge_studio")
    shared = program & studio
    print(f"{len(shared)} of {len(program)} units are shared with the {len(studio)} of the studio")
    features = lambda units: {(own[0], own[1], own[2], own[3], own[4]): own[6] for own, _ in units}
    first, second = features(program), features(studio)
    for unit in sorted(first.keys() & second.keys()):
        if first[unit] != second[unit]:
            lacks, more = set(second[unit]) - set(first[unit]), set(first[unit]) - set(second[unit])
            print(f"  {unit[0].split('/')[-1]} ({unit[3]}): the program lacks {sorted(lacks)}, the studio {sorted(more)}")


if __name__ == "__main__":
    main()
