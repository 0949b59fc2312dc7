"""The shape of the repository: what lies at its top, who stands alone."""

import ast
import json
import re
import subprocess
from pathlib import Path

import pytest

from agent_core.mcp.config import CATALOGUE

pytestmark = pytest.mark.process("git says which files there are")

REPOSITORY = Path(__file__).parents[2]
PACKAGES = ("bot", "agent_core", "mcp_local")

TOP_LEVEL = {
    "pyproject.toml",
    "README.md",
    *PACKAGES,
    "tests",
    "manifest.yml",
    "Dockerfile",
    "CHANGELOG.md",
    "LICENSE",
    "uv.lock",
}
HIDDEN = {
    ".ci",
    ".dockerignore",
    ".env.example",
    ".github",
    ".gitignore",
    ".pre-commit-config.yaml",
}

STAND_INS = ("slack", "model", "composio", "web", "loopback")
PORTS = "bot.sandbox.loopback"
"""Who may reach a port of the sandbox is said once; it borrows nothing either."""
PAGE_TYPES = {
    "bot.sandbox.web.PageKind",
    "bot.sandbox.web.PageLoader",
    "bot.sandbox.web.WebPage",
    "bot.sandbox.web.no_pages",
}
MAY_ALSO_IMPORT = {"composio": PAGE_TYPES | {"bot.sandbox.web.SearchEngine"}, "model": PAGE_TYPES}
"""What a page is, is the web's to say; Composio searches the pages, the model quotes them."""


def tracked() -> list[Path]:
    """Files in git, and new ones that git would take."""
    try:
        listed = subprocess.run(
            ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],  # noqa: S607
            cwd=REPOSITORY,
            capture_output=True,
            text=True,
            check=True,
            timeout=30,
        )
    except (FileNotFoundError, subprocess.CalledProcessError) as error:
        pytest.skip(f"this is no git repository: {error}")
    paths = [Path(name) for name in listed.stdout.split("\0") if name]
    return [path for path in paths if (REPOSITORY / path).exists()]


def test_no_text_holds_the_marks_of_a_merge() -> None:
    mark = re.compile(r"^(<{7}|>{7}) ", re.MULTILINE)
    texts = {".md", ".toml", ".json", ".ftl", ".yml", ".js", ".css", ".txt"}
    files = [path for path in tracked() if path.suffix in texts]
    assert Path("README.md") in files
    assert not [path for path in files if mark.search((REPOSITORY / path).read_text("utf-8"))]


def sources(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.py"))


def imported_modules(path: Path) -> set[str]:
    """The absolute names that a file imports, wherever in it; `from a import b` counts as `a.b`."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} has a relative import"
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def lies_in(module: str, package: str) -> bool:
    return f"{module}.".startswith(f"{package}.")


def test_the_top_level_holds_only_what_belongs_there() -> None:
    assert {path.parts[0] for path in tracked()} - TOP_LEVEL - HIDDEN == set()


@pytest.mark.proves("settings.env_file")
def test_nothing_that_a_run_leaves_behind_is_in_the_repository() -> None:
    left = {".sqlite", ".pyc", ".log", ".env", ".pem"}
    assert [path for path in tracked() if path.suffix in left or path.name == ".env"] == []


@pytest.mark.parametrize("name", STAND_INS)
def test_a_stand_in_borrows_nothing_of_the_product(name: str) -> None:
    own = f"bot.sandbox.{name}"
    allowed = {own, PORTS, *MAY_ALSO_IMPORT.get(name, set())}
    folder = REPOSITORY / "bot" / "sandbox" / name
    files = sources(folder) or [folder.with_suffix(".py")]
    assert files
    borrowed = {
        (path.name, module)
        for path in files
        for module in imported_modules(path)
        if module.partition(".")[0] in PACKAGES
        and not any(lies_in(module, package) for package in allowed)
    }
    assert borrowed == set()


@pytest.mark.parametrize("package", PACKAGES)
def test_no_package_imports_the_tests(package: str) -> None:
    found = {module for path in sources(REPOSITORY / package) for module in imported_modules(path)}
    assert {module for module in found if lies_in(module, "tests")} == set()


@pytest.mark.proves("image.fleet")
def test_the_image_has_every_program_that_the_catalogue_of_servers_needs() -> None:
    brought_by = {
        "uvx": "/usr/local/bin/uvx",
        "npx": "npm",
        "ffmpeg": "ffmpeg",
        "ffprobe": "ffmpeg",
    }
    servers = json.loads(CATALOGUE.read_text(encoding="utf-8"))["mcpServers"].values()
    needed = {name for each in servers for name in each.get("needs", {}).get("programs", {})}
    needed |= {each["command"] for each in servers if "command" in each}
    _, image = image_stages()
    words = set(re.split(r"\s+", image))
    assert needed <= brought_by.keys()
    assert {brought_by[name] for name in needed} <= words
    assert {"chromium", "tini", "nodejs"} <= words


@pytest.mark.proves("image.health")
def test_the_image_is_without_root_and_says_whether_the_bot_is_well() -> None:
    _, image = image_stages()
    assert re.findall(r"^USER (.*)$", image, re.MULTILINE) == ["agent"]
    assert image.index("\nUSER ") < image.index("\nCMD ")
    assert "CONSOLE_HOST=0.0.0.0" in image
    [asked] = re.findall(r"^HEALTHCHECK .*\\\n\s+CMD (\[.*\])$", image, re.MULTILINE)
    program, flag, code = json.loads(asked)
    assert (program, flag) == ("python", "-c")
    compile(code, "HEALTHCHECK", "exec")
    assert "/healthz" in code


def image_stages() -> tuple[str, str]:
    """What the Dockerfile does to build, and what it does in the image that runs."""
    _, build, image = re.split(
        r"^FROM ", (REPOSITORY / "Dockerfile").read_text(encoding="utf-8"), flags=re.MULTILINE
    )
    return build, image


def test_the_readmes_way_of_a_mention_names_files_that_there_are() -> None:
    readme = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    way = readme.partition("**The way of a mention**")[2].partition("| Where |")[0]
    names = re.findall(r"`([a-z_]+(?:/[a-z_]+)+)`", way)
    folders = [REPOSITORY, *(REPOSITORY / package for package in PACKAGES)]
    assert names
    for name in names:
        assert any((folder / f"{name}.py").exists() for folder in folders), name
