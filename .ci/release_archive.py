#!/usr/bin/env python3
"""Packs a program that was built into the archive of a release, with the licenses of all that is linked into it.

    python3 .ci/release_archive.py CRATE TARGET PROGRAM FOLDER

writes FOLDER/NAME-VERSION-TARGET.tar.gz (for Windows .zip) and prints its path. NAME is that of the program. The archive
holds one folder with the program, README.md, CHANGELOG.md, our licenses, and THIRD-PARTY.txt. The bytes depend on the
program and the commit only.

    python3 .ci/release_archive.py --third-party CRATE TARGET

prints THIRD-PARTY.txt alone, for the wheel.
"""

import gzip
import io
import json
import os
import subprocess
import sys
import tarfile
import time
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
OWN_FILES = ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"]
LICENSE_NAMES = ("license", "licence", "copying", "notice", "unlicense", "copyright", "ofl", "ufl")


def output_of(*command):
    return subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True, encoding="utf-8").stdout


def linked(metadata, crate):
    """The packages that are linked into a program: all that its crate depends on, but what runs while building."""
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    runs_in_compiler = lambda package: any("proc-macro" in target["kind"] for target in package["targets"])
    waiting = [package["id"] for package in packages.values() if package["name"] == crate and package["source"] is None]
    if not waiting:
        sys.exit(f"the workspace has no crate {crate}")
    seen = set()
    while waiting:
        name = waiting.pop()
        if name in seen or runs_in_compiler(packages[name]):
            continue
        seen.add(name)
        for dependency in nodes[name]["deps"]:
            if any(kind["kind"] is None for kind in dependency["dep_kinds"]):
                waiting.append(dependency["pkg"])
    others = [packages[name] for name in seen if packages[name]["source"] is not None]
    return sorted(others, key=lambda package: (package["name"], package["version"]))


def license_files(folder):
    """Texts of the license files of a package, also of fonts and C code in folders of it."""
    for here, folders, files in os.walk(folder):
        folders.sort()
        for name in sorted(files):
            words = name.lower().replace("-", ".").replace("_", ".").split(".")
            is_text = words[-1] not in ("rs", "toml", "ttf", "c", "h")
            beside_a_font = words[-1] == "txt" and os.path.basename(here) == "fonts"
            if is_text and (words[0] in LICENSE_NAMES or beside_a_font):
                with open(os.path.join(here, name), encoding="utf-8", errors="replace") as file:
                    yield file.read().strip().replace("\r\n", "\n")


def third_party(crate, target):
    """The text of THIRD-PARTY.txt: the packages with their licenses, then each license text once."""
    metadata = json.loads(output_of("cargo", "metadata", "--locked", "--format-version", "1", "--filter-platform", target))
    packages = linked(metadata, crate)
    lines, users = ["The program contains these packages:", ""], {}
    lines.append("the standard library of Rust: MIT OR Apache-2.0; https://github.com/rust-lang/rust")
    if target.endswith("musl"):
        lines.append("musl: MIT, Copyright © 2005-2020 Rich Felker and others; https://musl.libc.org")
    for package in packages:
        name = f"{package['name']} {package['version']}"
        where = package["repository"] or package["homepage"] or f"https://crates.io/crates/{package['name']}"
        lines.append(f"{name}: {package['license'] or 'see its license file'}; {where}")
        for text in license_files(os.path.dirname(package["manifest_path"])):
            users.setdefault(text, []).append(name)
    for text, names in users.items():
        lines += ["", "=" * 80, ", ".join(dict.fromkeys(names)) + ":", "", text]
    return "\n".join(lines) + "\n"


def packed(folder, files, when):
    """The bytes of a .tar.gz; `files` are name, bytes and whether they can be run."""
    tar = io.BytesIO()
    with tarfile.open(fileobj=tar, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, content, runs in files:
            entry = tarfile.TarInfo(f"{folder}/{name}")
            entry.size, entry.mtime, entry.mode = len(content), when, 0o755 if runs else 0o644
            archive.addfile(entry, io.BytesIO(content))
    return gzip.compress(tar.getvalue(), mtime=when)


def zipped(folder, files, when):
    zip_bytes = io.BytesIO()
    with zipfile.ZipFile(zip_bytes, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content, runs in files:
            entry = zipfile.ZipInfo(f"{folder}/{name}", time.gmtime(when)[:6])
            entry.external_attr = (0o755 if runs else 0o644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    return zip_bytes.getvalue()


def main():
    if len(sys.argv) == 4 and sys.argv[1] == "--third-party":
        sys.stdout.reconfigure(encoding="utf-8")
        return print(third_party(*sys.argv[2:]), end="")
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    crate, target, program, folder = sys.argv[1:]
    with open(os.path.join(ROOT, "Cargo.toml"), encoding="utf-8") as file:
        version = next(line.split('"')[1] for line in file if line.startswith("version = "))
    name = f"{os.path.splitext(os.path.basename(program))[0]}-{version}-{target}"
    when = int(output_of("git", "log", "-1", "--format=%ct"))
    with open(program, "rb") as file:
        files = [(os.path.basename(program), file.read(), True)]
    for own in OWN_FILES:
        with open(os.path.join(ROOT, own), "rb") as file:
            files.append((own, file.read(), False))
    files.append(("THIRD-PARTY.txt", third_party(crate, target).encode(), False))
    windows = "windows" in target
    path = os.path.join(folder, name + (".zip" if windows else ".tar.gz"))
    os.makedirs(folder, exist_ok=True)
    with open(path, "wb") as file:
        file.write((zipped if windows else packed)(name, files, when))
    print(path)


if __name__ == "__main__":
    main()
