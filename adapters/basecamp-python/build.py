"""Makes the virtual environment of one version: build.py FOLDER VERSION.

Idempotent: with the same lock file a second run needs no network.
"""

import hashlib
import shutil
import subprocess
import sys
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
folder, version = Path(sys.argv[1]).resolve(), sys.argv[2]
lock = HERE / "requirements" / f"{version}.txt"
digest = hashlib.sha256(lock.read_bytes()).hexdigest()
stamp = folder / "locked"

if not (stamp.exists() and stamp.read_text() == digest):
    shutil.rmtree(folder, ignore_errors=True)
    venv.create(folder, with_pip=True)
    install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
    pinned = ["--require-hashes", "--only-binary", ":all:", "--requirement", str(lock)]
    subprocess.run([folder / "bin" / "python", *install, *pinned], check=True)
    stamp.write_text(digest)

# A path and not a copy, so that an edit of the kit needs no build.
(site,) = folder.glob("lib/python*/site-packages")
(site / "holdoff-kit.pth").write_text(f"{HERE.parent / 'kit' / 'python'}\n")
