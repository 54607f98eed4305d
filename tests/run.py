"""All checks: ``python3 tests/run.py [--all | --only 3.12] [pytest's arguments]``.

They run on the Python that starts this program; with ``--all`` on every supported one that is found. The oldest and the
newest of these then share the larger part of each search (the tests marked ``full``), which would take both together
more than half an hour. It needs nothing but a Python, git and the package registries.
With ``--all`` Debian's package of Chromium is installed for tests of pages, if it is missing and root asks.
Each Python gets an environment of its own under ``.venvs/``, made once for each state of ``pyproject.toml``.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import glob
import hashlib
import os
import shutil
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
VENVS = os.path.join(ROOT, ".venvs")
WANTED = ("3.11", "3.12", "3.13")
OLDEST = (3, 11)

SIDE_BY_SIDE = ("-n", "2", "--dist", "worksteal")
"""Each of two processes takes half of the tests as they stand, and who is done takes from the other's end."""

PLACES = (
    os.path.join(os.environ.get("PYENV_ROOT", "~/.pyenv"), "versions/*/bin"),
    os.path.join(os.environ.get("UV_PYTHON_INSTALL_DIR", "~/.local/share/uv/python"), "*/bin"),
    "~/.local/share/mise/installs/python/*/bin",
    "~/.asdf/installs/python/*/bin",
    "~/.local/bin",
    "/opt/homebrew/bin",
    "/usr/local/bin",
    "/usr/bin",
    "/Library/Frameworks/Python.framework/Versions/*/bin",
)

PROBE = "import ensurepip, sys, venv; print('.'.join(map(str, sys.version_info[:3])), sys.executable)"


def main():
    parser = argparse.ArgumentParser(description="Run all checks on the Python that starts this program.")
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--all",
        action="store_true",
        help="on every Python from %s to %s that is found, with the full searches shared by the oldest and the newest"
        % (WANTED[0], WANTED[-1]),
    )
    which.add_argument("--only", metavar="3.12", help="on this Python, wherever it is found")
    options, pytest_args = parser.parse_known_args()
    os.chdir(ROOT)
    for name in ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "PYTHONWARNINGS", "PYTHONDONTWRITEBYTECODE"):
        os.environ.pop(name, None)
    pythons = chosen_pythons(options)
    if not pythons:
        sys.exit("No Python %s found that can make environments." % (options.only or "3.11 or newer"))
    say("Pythons: " + ", ".join(version for version, _ in pythons))
    if options.all:
        have_programs()
    for number, (version, executable) in enumerate(pythons):
        say("Python %s (%d of %d)" % (version, number + 1, len(pythons)))
        scripts = environment(version, executable)
        with concurrent.futures.ThreadPoolExecutor(1) as beside:
            looked_over = beside.submit(look_over, scripts) if number == 0 else None
            which = full_share(number, len(pythons)) if options.all else []
            tests = [os.path.join(scripts, "python"), "-m", "pytest", *SIDE_BY_SIDE, *which, *pytest_args]
            run("tests", tests, quiet=False)
            if looked_over:
                looked_over.result()  # which ends this program too, if something is wrong


def have_programs():
    """Install the programs that some tests need, where that takes no more than Debian's packages."""
    programs = {
        "chromium": ("chromium", "chromium-browser", "google-chrome"),
        "neovim": ("nvim",),
        "zsh": ("zsh",),
        "fish": ("fish",),
    }
    missing = [package for package, names in programs.items() if not any(map(shutil.which, names))]
    if not missing:
        return
    skipped = "tests that need %s are skipped" % " or ".join(missing)
    if os.name != "posix" or os.geteuid() != 0 or not shutil.which("apt-get"):
        say("%s. On Debian: apt-get install %s, as root" % (skipped.capitalize(), " ".join(missing)))
        return
    say("  install " + " ".join(missing))
    quiet = {"env": dict(os.environ, DEBIAN_FRONTEND="noninteractive"), "stdout": subprocess.DEVNULL}
    commands = ("update",), ("install", "--yes", "--no-install-recommends", *missing)
    if any(subprocess.call(["apt-get", *one], **quiet) for one in commands):
        say("  that could not be done: " + skipped)


def full_share(number, count):
    """The arguments for a Python: the oldest and the newest share the tests marked ``full``, the others take none."""
    shares = min(count, 2)
    share = 1 if number == 0 else 2 if number == count - 1 else None
    return ["-m", "not slow", "--full-share", "%d/%d" % (share, shares)] if share else []


def chosen_pythons(options):
    """Version and path of each Python to run on: the starting one, unless it is too old or others are asked for."""
    if options.only:
        return find_pythons((options.only,))
    if options.all:
        return find_pythons(WANTED)
    if sys.version_info[:2] >= OLDEST:
        return find_pythons(("%d.%d" % sys.version_info[:2],))
    return find_pythons(WANTED[::-1])[:1]


def find_pythons(wanted):
    """Version and path of the first Python of each wanted minor version that really runs."""
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    for place in PLACES:
        folders += sorted(glob.glob(os.path.expanduser(place)), reverse=True)
    found = []
    for minor in wanted:
        candidates = [sys.executable]
        candidates += [
            os.path.join(folder, name) for folder in folders for name in ("python" + minor, "python3")
        ]
        candidates += [os.path.join(folder, "python.exe") for folder in folders if os.name == "nt"]
        for candidate in dict.fromkeys(candidates):
            version, executable = probe(candidate)
            if version.startswith(minor + "."):
                found.append((version, executable))
                break
    return found


def probe(candidate, known={}):  # noqa: B006  # what is asked once is remembered
    """Version and true path of a Python, or empty texts: a shim on PATH may lead nowhere."""
    if candidate not in known:
        known[candidate] = ("", "")
        if candidate and os.access(candidate, os.X_OK):
            try:
                done = subprocess.run(
                    [candidate, "-I", "-c", PROBE],
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    timeout=20,
                    check=False,
                )
            except (OSError, subprocess.SubprocessError):
                return known[candidate]
            words = done.stdout.decode(errors="replace").strip().split(" ", 1)
            if done.returncode == 0 and len(words) == 2:
                known[candidate] = (words[0], words[1])
    return known[candidate]


def environment(version, executable):
    """The folder of programs of an environment for this Python, made if it is not there."""
    with open("pyproject.toml", "rb") as file:
        state = hashlib.sha256(file.read() + repr((version, executable, ROOT)).encode()).hexdigest()
    folder = os.path.join(VENVS, version.rsplit(".", 1)[0])
    scripts = os.path.join(folder, "Scripts" if os.name == "nt" else "bin")
    ready = os.path.join(folder, "ready")
    if not holds(ready, state):
        if os.path.exists(folder):
            shutil.rmtree(folder)
        run("make an environment", [executable, "-m", "venv", folder])
        pip = [
            os.path.join(scripts, "python"),
            "-m",
            "pip",
            "--disable-pip-version-check",
            "install",
            "--quiet",
        ]
        run("install wfc with what its tests need", [*pip, "--editable", ".[test]"])
        write(ready, state)
    return scripts


def holds(path, text):
    if not os.path.exists(path):
        return False
    with open(path) as file:
        return file.read() == text


def write(path, text):
    with open(path, "w") as file:
        file.write(text)


def look_over(scripts):
    """Style and format: the same on every Python, so once; beside the tests, which wait now and then."""
    ruff = os.path.join(scripts, "ruff")
    run("ruff check", [ruff, "check", "."])
    run("ruff format --check", [ruff, "format", "--check", "."])


def run(title, command, quiet=True):
    """Run a command; show its output at once, or only if it fails. Ends this program where it fails."""
    say("  " + title + ("" if quiet else ":"))
    start = time.time()
    done = subprocess.run(
        command, stdout=subprocess.PIPE if quiet else None, stderr=subprocess.STDOUT, check=False
    )
    if done.returncode:
        if quiet:
            sys.stdout.write(done.stdout.decode(errors="replace"))
            say("  failed: " + " ".join(command))
        sys.exit(done.returncode if done.returncode > 0 else 1)
    if quiet and time.time() - start > 5:
        say("    %.0f s" % (time.time() - start))


def say(text):
    print(text, flush=True)


if __name__ == "__main__":
    main()
