"""The magic `%%mercer` for notebooks of Python: runs a cell as a script of Mercer. `%run mercer_magic.py` defines it.

    %%mercer -i sales -o forecast
    let m = load("sales.csv", target="amount") |> fit(SE(date))
    m |> predict("2024-04-01".."2024-05-01") |> write("forecast.csv")

`-i NAME` writes a frame of pandas as NAME.csv before the cell runs, `-o NAME` reads NAME.csv into a frame after it.
Figures that the cell writes are shown. `load` also reads files of the folder of the notebook.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import pandas
from IPython import get_ipython
from IPython.core.error import UsageError
from IPython.core.magic import register_cell_magic
from IPython.core.magic_arguments import argument, magic_arguments, parse_argstring
from IPython.display import SVG, Image, display

# The program that wrote this file is named beside it.
PROGRAM = json.loads((pathlib.Path(__file__).parent / "kernel.json").read_text(encoding="utf-8"))["argv"][0]


@register_cell_magic
@magic_arguments()
@argument("-i", "--input", action="append", default=[], metavar="NAME", help="a frame, written as NAME.csv")
@argument("-o", "--output", action="append", default=[], metavar="NAME", help="a frame, read from NAME.csv")
@argument("--keep", metavar="DIR", help="a folder for all files that the cell writes; otherwise they are removed")
def mercer(line, cell):
    """Runs the cell as a script of Mercer."""
    asked, names = parse_argstring(mercer, line), get_ipython().user_ns
    with tempfile.TemporaryDirectory() as frames:
        out = pathlib.Path(asked.keep or frames)
        out.mkdir(parents=True, exist_ok=True)
        for name in asked.input:
            if not hasattr(names.get(name), "to_csv"):
                raise UsageError(f"`{name}` is not a frame")
            names[name].to_csv(pathlib.Path(frames, f"{name}.csv"), index=False)
        before = {path: path.stat().st_mtime_ns for path in out.iterdir()}
        command = [PROGRAM, "run", "-", "--data", frames, "--out", str(out)]
        run = subprocess.run(command, input=cell, capture_output=True, encoding="utf-8", check=False)
        print("".join(line for line in run.stdout.splitlines(True) if not line.startswith(f"wrote {frames}")), end="")
        print(run.stderr, end="", file=sys.stderr)
        if run.returncode != 0:
            raise UsageError("the cell of Mercer has an error")
        for path in sorted(out.iterdir(), key=lambda path: path.stat().st_mtime_ns):
            if path.suffix in (".svg", ".png") and before.get(path) != path.stat().st_mtime_ns:
                display(SVG(filename=path) if path.suffix == ".svg" else Image(filename=path))
        for name in asked.output:
            if not (out / f"{name}.csv").exists():
                raise UsageError(f"the cell wrote no {name}.csv")
            names[name] = pandas.read_csv(out / f"{name}.csv")
