#!/usr/bin/env python3
"""Fills in what package managers need to know of a release: a formula for Homebrew and three manifests for winget.

    python3 .ci/release_manifests.py VERSION CHECKSUMS FOLDER [REPOSITORY]

CHECKSUMS has a line `SHA256  FILE` per archive of the release, as sha256sum prints it. Writes FOLDER/muybridge.rb and
FOLDER/winget/. REPOSITORY is the address of the project, else that of the workspace in Cargo.toml.
"""

import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DESCRIPTION = "Check, fix and simulate character motion with Newton's laws"
WINGET_SCHEMA = "1.10.0"

# What Homebrew calls a machine: the target the program is built for.
MACHINES = {
    "macos": {"arm": "aarch64-apple-darwin", "intel": "x86_64-apple-darwin"},
    "linux": {"arm": "aarch64-unknown-linux-musl", "intel": "x86_64-unknown-linux-musl"},
}
WINDOWS = "x86_64-pc-windows-msvc"


class Release:
    """The archives of one version: where they are and what their checksums are."""

    def __init__(self, version, checksums, repository):
        self.version, self.checksums, self.repository = version, checksums, repository

    def name(self, target):
        return f"muybridge-{self.version}-{target}"

    def archive(self, target):
        return self.name(target) + (".zip" if "windows" in target else ".tar.gz")

    def url(self, target):
        return f"{self.repository}/releases/download/v{self.version}/{self.archive(target)}"

    def sha256(self, target):
        if self.archive(target) not in self.checksums:
            sys.exit(f"no line for {self.archive(target)} among the checksums")
        return self.checksums[self.archive(target)]


def formula(release):
    lines = [
        "class Muybridge < Formula",
        f'  desc "{DESCRIPTION}"',
        f'  homepage "{release.repository}"',
        f'  version "{release.version}"',
        '  license any_of: ["MIT", "Apache-2.0"]',
    ]
    for system, processors in MACHINES.items():
        lines += ["", f"  on_{system} do"]
        for processor, target in processors.items():
            lines += [
                f"    on_{processor} do",
                f'      url "{release.url(target)}"',
                f'      sha256 "{release.sha256(target)}"',
                "    end",
            ]
        lines += ["  end"]
    lines += [
        "",
        "  def install",
        '    bin.install "muybridge"',
        '    doc.install "README.md", "THIRD-PARTY.txt"',
        "  end",
        "",
        "  test do",
        '    assert_match "plausible: 0 errors", shell_output("#{bin}/muybridge check")',
        "  end",
        "end",
    ]
    return "\n".join(lines) + "\n"


def quoted(text):
    """A string of YAML in single quotes."""
    return "'" + text.replace("'", "''") + "'"


def winget(release):
    """The three manifests, by file name."""
    owner = release.repository.rstrip("/").split("/")[-2]
    package = f"{owner}.Muybridge"
    parts = {
        ("version", ""): ["DefaultLocale: en-US"],
        ("installer", ".installer"): [
            "InstallerType: zip",
            "NestedInstallerType: portable",
            "NestedInstallerFiles:",
            f"- RelativeFilePath: {quoted(release.name(WINDOWS) + chr(92) + 'muybridge.exe')}",
            "  PortableCommandAlias: muybridge",
            "UpgradeBehavior: install",
            "Commands:",
            "- muybridge",
            "Installers:",
            "- Architecture: x64",
            f"  InstallerUrl: {release.url(WINDOWS)}",
            f"  InstallerSha256: {release.sha256(WINDOWS).upper()}",
        ],
        ("defaultLocale", ".locale.en-US"): [
            "PackageLocale: en-US",
            f"Publisher: {quoted(owner)}",
            f"PublisherUrl: {release.repository}",
            f"PublisherSupportUrl: {release.repository}/issues",
            "PackageName: Muybridge",
            f"PackageUrl: {release.repository}",
            "License: MIT OR Apache-2.0",
            f"LicenseUrl: {release.repository}/blob/v{release.version}/LICENSE-MIT",
            f"ShortDescription: {quoted(DESCRIPTION)}",
            "Moniker: muybridge",
            "Tags:",
            "- animation",
            "- cli",
            "- motion-capture",
            "- physics",
            f"ReleaseNotesUrl: {release.repository}/releases/tag/v{release.version}",
        ],
    }
    manifests = {}
    for (kind, suffix), lines in parts.items():
        head = [
            f"# yaml-language-server: $schema=https://aka.ms/winget-manifest.{kind}.{WINGET_SCHEMA}.schema.json",
            "",
            f"PackageIdentifier: {quoted(package)}",
            f"PackageVersion: {quoted(release.version)}",
        ]
        tail = [f"ManifestType: {kind}", f"ManifestVersion: {WINGET_SCHEMA}"]
        manifests[f"{package}{suffix}.yaml"] = "\n".join(head + lines + tail) + "\n"
    return manifests


def read_checksums(path):
    checksums = {}
    try:
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        sys.exit(f"{path}: cannot be read: {error}")
    for number, line in enumerate(lines, 1):
        match = re.fullmatch(r"([0-9a-f]{64}) [ *](\S+)", line)
        if not match:
            sys.exit(f"{path}, line {number}: is not a checksum of 64 hexadecimal digits and a file name")
        checksums[os.path.basename(match[2])] = match[1]
    return checksums


def repository_of_workspace():
    with open(os.path.join(ROOT, "Cargo.toml"), encoding="utf-8") as file:
        match = re.search(r'^repository = "([^"]+)"$', file.read(), re.MULTILINE)
    return match[1] if match else sys.exit("Cargo.toml names no repository")


def main():
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    version, checksums, folder = sys.argv[1:4]
    repository = sys.argv[4] if len(sys.argv) == 5 else repository_of_workspace()
    release = Release(version.removeprefix("v"), read_checksums(checksums), repository.rstrip("/"))
    files = {"muybridge.rb": formula(release)}
    files |= {os.path.join("winget", name): text for name, text in winget(release).items()}
    for name, text in files.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        print(path)


if __name__ == "__main__":
    main()
