"""contents.py DIST: each distribution holds its own package, the plugin by which Hydra finds it, and nothing else."""

from __future__ import annotations

import re
import sys
import tarfile
import zipfile
from pathlib import Path

#: What an archive of sources has besides the package, and what pip reads in it.
BESIDES = {"CHANGELOG.md", "LICENSE", "PKG-INFO", "README.md", "hatch_build.py", "pyproject.toml", ".gitignore"}

#: Files of nonstop_bench that are no code: the recorded runs of a task, and the text of the report.
DATA = r"problems/proteus_table\.json|report/paper\.md"


def files(archive: Path) -> list[str]:
    """The files in a wheel or in an archive of sources, whose one folder is left out."""
    if archive.suffix == ".whl":
        return zipfile.ZipFile(archive).namelist()
    with tarfile.open(archive) as content:
        return [name.partition("/")[2] for name in content.getnames()]


def strangers(archive: Path) -> list[str]:
    """What does not belong into it."""
    package, version = archive.name.removesuffix(".tar.gz").split("-")[:2]
    own = rf"(src/)?{package}/.+\.(py|typed|css|js|html|svg)|{package}-{re.escape(version)}\.dist-info/.+"
    own += rf"|(src/)?hydra_plugins/_?{package}_\w+\.py|(src/)?{package}/({DATA})"
    return [name for name in files(archive) if name not in BESIDES and not re.fullmatch(own, name)]


if __name__ == "__main__":
    for archive in sorted(Path(sys.argv[1]).iterdir()):
        if strange := strangers(archive):
            sys.exit(f"{archive.name} holds what it should not: {', '.join(strange)}")
        print(f"{archive.name}: {len(files(archive))} files, all its own")
