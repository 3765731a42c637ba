#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A training run that is killed at any moment and resumed prints the losses it would have printed.

    resume.py PROGRAM [OPTION...]    e.g. resume.py build/release/examples/train_text --batch 64 --width 64
"""

import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile

STEPS, EVERY = 24, 3


def losses(text):
    return dict(re.findall(r"^step +(\d+) loss (\S+)", text, re.M))


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, f"{command}: {done.returncode}\n{done.stderr}"
    return done.stdout


def killed(command, step):
    """What it printed until it was killed, at that step's line or soon after."""
    program = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    printed = ""
    for line in program.stdout:
        printed += line
        if line.startswith(f"step {step:4d} "):
            program.send_signal(signal.SIGKILL)
    program.wait()
    return printed


def main():
    program = sys.argv[1:] + ["--steps", str(STEPS)]
    dice = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        common = program + ["--out", str(folder / "out")]
        whole = losses(run(common))
        assert len(whole) == STEPS, whole
        saving = common + ["--save", str(folder / "run"), "--save-every", str(EVERY)]
        for mesh in ("data=4,model=2", "data=1,model=1"):
            shutil.rmtree(folder / "run", ignore_errors=True)
            seen, at = {}, 0
            while at < STEPS:
                at = min(at + dice.randint(2, 9), STEPS + 1)
                text = (killed(saving + ["--resume"], at) if at <= STEPS
                        else run(saving + ["--resume", "--mesh", mesh]))
                first = min(map(int, losses(text)))
                # At most one checkpoint is on its way, and the next one due.
                assert len(seen) < first + 2 * EVERY or not seen, f"started anew at {first} after {len(seen)} steps"
                seen.update(losses(text))
            last = run(common + ["--save", str(folder / "other"), "--save-every", "1000"])
            assert losses(last) == whole, "saving changes losses"
            shutil.rmtree(folder / "other")
            same_mesh = mesh == "data=4,model=2"
            for step, loss in whole.items():
                near = abs(float(seen[step]) - float(loss)) <= 1e-5 * abs(float(loss))
                assert seen[step] == loss if same_mesh else near, f"step {step}: {seen[step]}, not {loss}"
        refused = subprocess.run(saving, capture_output=True, text=True)
        assert refused.returncode == 2 and "--resume" in refused.stderr, refused.stderr
        other = subprocess.run(saving + ["--resume", "--seed", "9"], capture_output=True, text=True)
        assert other.returncode == 2 and "other options" in other.stderr, other.stderr
        over = subprocess.run(saving + ["--resume"], capture_output=True, text=True)
        assert over.returncode == 2 and "over after 24 steps" in over.stderr, over.stderr
    print(f"{program[0]}: resumed runs print the same {STEPS} losses")


if __name__ == "__main__":
    main()
