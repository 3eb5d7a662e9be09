"""A forecast of a frame of pandas: Mercer reads it as CSV and answers in JSON. Run it with `python forecast.py`."""

import json
import subprocess
import tempfile

import pandas

PROGRAM = """
let model = load("sales.csv", target="amount") |> fit(Lin(date) + Per(date, p=fixed("1 week"), centred=true), restarts=1)
model |> params
model |> predict("2024-03-25".."2024-04-01")
"""


def mercer(program, **frames):
    """The values that a program shows; it finds each frame as NAME.csv."""
    with tempfile.TemporaryDirectory() as folder:
        for name, frame in frames.items():
            frame.to_csv(f"{folder}/{name}.csv", index=False)
        command = ["mercer", "eval", "--format", "json", "--data", folder, program]
        run = subprocess.run(command, capture_output=True, encoding="utf-8")
    if run.returncode != 0:
        raise RuntimeError(run.stderr)
    return [json.loads(line)["value"] for line in run.stdout.splitlines()]


# Twelve weeks of daily sales: a slow growth, and fewer sales at weekends.
dates = pandas.date_range("2024-01-01", "2024-03-24")
day = pandas.Series(range(len(dates)))
sales = pandas.DataFrame({"date": dates, "amount": 100 + 0.5 * day - 30 * (day % 7 >= 5) + (day * 37 % 11) - 5})

parameters, forecast = mercer(PROGRAM, sales=sales)
print(pandas.DataFrame(parameters))
print(pandas.DataFrame(forecast))
