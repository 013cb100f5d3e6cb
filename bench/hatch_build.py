"""What pyproject.toml cannot say: that the code is in ../src, and that nonstop must be of the same version.

An archive of sources has no "..": there the code is beside this file, and the version in PKG-INFO.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

PACKAGE = "nonstop_bench"


class SameVersion(MetadataHookInterface):
    """The dependency on nonstop, pinned to the version of this distribution."""

    def update(self, metadata: dict[str, Any]) -> None:
        metadata["dependencies"] = [f"nonstop=={metadata['version']}"]


class CodeFromSrc(BuildHookInterface[Any]):
    """In the repository, the package is fetched from ../src; in an archive of sources it is in its place already."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version != "editable" and not (Path(self.root) / PACKAGE).is_dir():  # for that, there is dev-mode-dirs
            build_data["force_include"][str(Path(self.root).parent / "src" / PACKAGE)] = PACKAGE
