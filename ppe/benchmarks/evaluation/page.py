"""page.py FOLDER: from FOLDER/raw, which scripts/evaluate fills, makes FOLDER/index.html, FOLDER/csv and two plots as files.

The page needs no other file. It ends with status 1, and writes nothing, when a measured result was wrong.
"""

import csv
import re
import sys
from html import escape
from itertools import takewhile
from pathlib import Path
from statistics import geometric_mean, mean, median

import paper
import svg
from paper import PROGRAMS

STYLE = """
:root { color-scheme: light dark; --ink: #222; --paper: #fff; --faint: #ccc; --0: #8a8f98; --1: #1b6ca8; --2: #d08a1d; --3: #3f9142;
  --4: #a4508b; --5: #b8433b }
@media screen and (prefers-color-scheme: dark) { :root { --ink: #ddd; --paper: #181a1b; --faint: #444; --0: #9aa0a8; --1: #5aa9e6;
  --2: #e6b04f; --3: #74c476; --4: #cf86bd; --5: #e57f77 } }
body { font: 15px/1.45 sans-serif; max-width: 62rem; margin: 1.5rem auto; padding: 0 1rem; color: var(--ink); background: var(--paper) }
h2 { margin-top: 2.2rem; font-size: 1.2rem } .paper { border-left: 3px solid var(--faint); padding-left: .8rem }
table { border-collapse: collapse; font-size: 13px } th, td { padding: .15rem .6rem; text-align: right; font-variant-numeric: tabular-nums }
th:first-child, td:first-child { text-align: left } thead th { border-bottom: 1px solid var(--ink) } .wide { overflow-x: auto }
figure { margin: .5rem 0 } svg { width: 100%; font: 9px sans-serif } svg text { fill: var(--ink) } .grid { stroke: var(--faint); stroke-width: .5 }
.mark { stroke: var(--ink); stroke-dasharray: 4 3 } polyline { fill: none; stroke-width: 1.5 } .legend { font-size: 13px }
.legend i { display: inline-block; width: .8rem; height: .8rem; margin: 0 .3rem 0 .6rem }
""" + "".join(f".c{n} {{ fill: var(--{n}) }} .b{n} {{ background: var(--{n}) }} .l{n} {{ stroke: var(--{n}) }} svg .t{n} {{ fill: var(--{n}) }}\n"
              for n in range(6)) + """
@media print { body { margin: 0; max-width: none; font-size: 10pt } h2 { break-after: avoid } table, figure { break-inside: avoid }
  rect, i { print-color-adjust: exact; -webkit-print-color-adjust: exact } }
"""


class Wrong(Exception):
    """A result of a run is wrong, so no figure counts."""


def table(headings, rows):
    head = "".join(f"<th>{escape(heading)}</th>" for heading in headings)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in map(text_of, row)) + "</tr>\n" for row in rows)
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead>\n{body}</table></div>\n'


def text_of(value):
    """A number with three digits, anything else as it is."""
    if value is None:
        return "missing"
    return f"{value:,.3g}" if isinstance(value, float) and abs(value) < 1000 else f"{value:,.0f}" if isinstance(value, float) else str(value)


class Evaluation:
    def __init__(self, folder):
        self.folder, self.raw = folder, folder / "raw"
        self.tables, self.pictures = {}, {}
        self.machine = dict(line.split(" ", 1) for line in self.text("machine").splitlines() if " " in line)

    def text(self, name):
        file = self.raw / name
        return file.read_text() if file.exists() else ""

    def keep(self, name, rows):
        """A table that becomes a file of the folder csv."""
        self.tables[name] = rows
        return rows

    def checked(self, name, texts):
        rows = [row for text in texts for row in csv.DictReader(text.splitlines())]
        for row in rows:
            if not float(row["deviation"]) <= float(row["limit"]):
                raise Wrong(f"{name}: {row['program']} by {row.get('system', row.get('setting'))} is off by {row['deviation']}")
        return self.keep(name, rows)

    def host(self):
        rows = self.checked("host", [file.read_text() for file in sorted(self.raw.glob("host-*-[01]"))])
        text = ""
        for kind in ("single", "double"):
            for threads in ("1", "0"):
                chosen = [row for row in rows if (row["type"], row["threads"]) == (kind, threads)]
                if chosen:
                    text += self.host_table(chosen, kind, threads)
        return text

    def host_table(self, rows, kind, threads):
        seconds = {}
        for row in rows:
            seconds.setdefault((row["program"], row["system"]), []).append(float(row["seconds"]))
        found, lines = {"over plain Octave": [], "over NumPy": [], "over JAX": []}, []
        for program in PROGRAMS:
            ours = seconds.get((program, "p_matrix"))
            if not ours:
                continue
            times = [seconds.get((program, system)) for system in ("plain", "numpy", "jax")]
            # Runs of one round are neighbours in time.
            ratios = [[theirs / own for theirs, own in zip(other, ours)] for other in times if other][0]
            for name, other in zip(found, times):
                found[name].append(median(other) / median(ours) if other else None)
            lines.append([program, *(median(other) if other else None for other in times), median(ours),
                          *(values[-1] for values in found.values()), f"{min(ratios):.2f} to {max(ratios):.2f}"])
        if not lines:
            return ""
        means = [geometric_mean(values) if None not in values else None for values in found.values()]
        lines.append(["geometric mean", "", "", "", "", *means, ""])
        shown = {name: values for name, values in found.items() if None not in values}
        where = "one processor" if threads == "1" else f"all {self.machine['processors']} processors"
        heading = ["program", "Octave s", "NumPy s", "JAX s", "p_matrix s", "over Octave", "over NumPy", "over JAX", "spread over Octave"]
        plot = svg.bars([line[0] for line in lines[:-1]], shown, "times as fast", line=1)
        if (kind, threads) == ("single", "0"):
            self.pictures["speed"] = plot
        return f"<h3>{kind} precision, {where}</h3>\n{plot}{table(heading, lines)}"

    def settings(self):
        seconds, stages = {}, {}
        for row in self.checked("settings", [self.text("settings")]):
            key = row["program"], row["setting"]
            seconds.setdefault(key, []).append(float(row["seconds"]))
            stages[key] = [1e3 * float(row[f"{stage}_seconds"]) for stage in ("lower", "schedule", "execute")]
        return {key: median(values) for key, values in seconds.items()}, stages

    def simulated(self):
        """Makespan in ms, idle shares in per cent, ms of the PPE's work, and rows of SPEs, by program, SPEs and scheduler."""
        runs = {}
        spes = []
        for part in self.text("simulate").split("program ")[1:]:
            program, meus, scheduler = re.match(r"(\w+) meus (\d+) scheduler (\S+)", part).groups()
            idle = {name: float(share) for name, share in re.findall(r"(?:idle, waiting for )(.+): ([\d.]+) %", part)}
            ppe = {name: float(ms) for name, ms in re.findall(r"(recording|lowering|scheduling|memory|control|operations) ([\d.]+)", part.split("PPE: ")[-1])}
            runs[program, int(meus), scheduler] = float(re.search(r"makespan: ([\d.]+) ms", part)[1]), idle, ppe
            for number, busy, data, operands, waits in re.findall(
                    r"MEU (\d+): .* executing ([\d.]+), waiting for data ([\d.]+), for operands ([\d.]+), for the PPE ([\d.]+)", part):
                spes.append(dict(program=program, spes=meus, scheduler=scheduler, spe=number, executing_ms=busy, data_ms=data,
                                 operands_ms=operands, ppe_ms=waits))
        self.keep("spes", spes)
        self.keep("simulated", [dict(program=program, spes=meus, scheduler=scheduler, makespan_ms=ms, **{f"idle_{name.split()[-1]}_percent": share
                  for name, share in idle.items()}, **{f"ppe_{name}_ms": value for name, value in ppe.items()})
                  for (program, meus, scheduler), (ms, idle, ppe) in runs.items()])
        return runs

    def cell(self):
        """Rows of the bench cell: program, SPEs, ms."""
        rows = []
        for line in self.text("cell").splitlines():
            words = line.split()
            if len(words) > 8 and words[0] in PROGRAMS:
                rows.append(dict(program=words[0], spes=int(words[1]), ms=float(words[2])))
        return self.keep("cell", rows)

    def cluster(self):
        """Plots of speed-ups on simulated clusters, and a table; empty when there were no runs."""
        rows = list(csv.DictReader(self.text("cluster").splitlines()))
        self.keep("cluster", rows)
        seconds = {(row["network"], row["program"], int(row["ranks"])): float(row["seconds"]) for row in rows}
        numbers = sorted({ranks for _, _, ranks in seconds})
        text = ""
        lines = []
        for network in ("infiniband", "ethernet"):
            speed = {}
            for program in PROGRAMS:
                times = [seconds.get((network, program, ranks)) for ranks in numbers]
                # The largest clusters may have been simulated for some programs only.
                measured = list(takewhile(bool, times))
                if len(measured) > 1:
                    speed[program] = [times[0] / time for time in measured]
                if times and times[0]:
                    lines.append([f"{program}, {network}", times[0], *(time and times[0] / time for time in times[1:])])
            if speed:
                plot = svg.lines(numbers, speed, f"ranks of four cores, {network}", "speed-up over one", doubling=True)
                self.pictures[f"cluster-{network}"] = plot
                text += plot
        head = ["program, network", "1 rank: s", *(f"{ranks} ranks: speed-up" for ranks in numbers[1:])]
        return (text + table(head, lines)) * bool(lines)

    def predictions(self, name):
        text = self.text(name)
        bars = [(int(a), int(count)) for a, count in re.findall(r"^\s*(-?\d+) to\s+-?\d+ %\s+(\d+)", text, re.M)]
        summary = re.findall(r"^(\w+, by the \w+): (\d+ traces; .*)$", text, re.M)
        self.keep(name, [dict(from_percent=low, traces=count) for low, count in bars])
        ways = len(bars) // 20
        plots = [(what, said, bars[20 * at:20 * (at + 1)]) for at, (what, said) in enumerate(summary[:ways])]
        sums = re.findall(r"^\s*(\w+)\s+(\d+)\s+([\d.]+)(?:\s+[\d.]+)?\s+([\d.]+)\s+(-?[\d.]+)", text, re.M)
        rows = [[program, int(traces), float(predicted), float(executed), float(off)] for program, traces, predicted, executed, off in sums if program in PROGRAMS]
        self.keep(f"{name}-programs", [dict(zip(("program", "traces", "predicted_ms", "executed_ms", "deviation_percent"), row)) for row in rows])
        head = ["all traces of", "traces", "predicted ms", "executed ms", "deviation %"]
        titles = {"clock": "8 SPEs by the virtual clock", "sim": "8 simulated SPEs", "host": "this host"}
        title = f"<h3>{titles[name.split('-')[-1]]}, small size</h3>\n<p>Below, the first and the last bar also hold what is further off.</p>\n"
        return (title + table(head, rows)) * bool(rows) + "".join(f"<p><b>{escape(what)}</b>: {escape(said)}.</p>\n" + svg.bars([str(low) for low, _ in part], {"traces": [n for _, n in part]}, "traces")
                       for what, said, part in plots)

    def optimality(self):
        rows = []
        for line in self.text("optimality").splitlines():
            found = re.match(r"\s*(\w+(?: \d+)?)\s+(\d+)\s+(\d+)\s+(\d+)\s+(\d+)\s+(\d+)\s+(\d+)\s+(\d+) (\w+)", line)
            if found:
                keys = ("graph", "meus", "nodes", "edges", "heuristic_ns", "portfolio_ns", "best_ns", "bound_ns", "bound_is")
                rows.append(dict(zip(keys, found.groups())))
        self.keep("optimality", rows)
        lines = []
        for program in PROGRAMS + ["30 random graphs"]:
            own = [row for row in rows if row["graph"] == program or (program[0] == "3" and row["graph"].startswith("random"))]
            above = sorted(100 * (int(row["heuristic_ns"]) / max(1, int(row["bound_ns"])) - 1) for row in own)
            portfolio = sorted(100 * (int(row["portfolio_ns"]) / max(1, int(row["bound_ns"])) - 1) for row in own)
            solved = sum(row["bound_is"] == "optimum" for row in own)
            if own:
                lines.append([program, f"{solved} of {len(own)}", median(above), above[-1], median(portfolio), portfolio[-1]])
        return table(["graph, on 2, 3, 4 and 8 MEUs", "optimum known", "heuristic: median % above", "at most", "portfolio: median % above", "at most"], lines)

    def memory(self):
        rows = [line.split(None, 3) for line in self.text("memory").splitlines()]
        rows = [row for row in rows if len(row) == 4 and row[0] in PROGRAMS]
        self.keep("memory", [dict(zip(("program", "precision", "matrices_mb", "peak_mb"), row)) for row in rows])
        return table(["program", "precision", "matrices MB", "peak MB"], rows)

    def write(self):
        sections = list(self.sections())
        (self.folder / "csv").mkdir(exist_ok=True)
        for name, rows in self.tables.items():
            if rows:
                with open(self.folder / "csv" / f"{name}.csv", "w", newline="") as file:
                    writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
                    writer.writeheader()
                    writer.writerows(rows)
        body = "".join(f"<h2>{title}</h2>\n{text}<p class=\"paper\">{escape(said)}</p>\n" for title, text, said in sections if text)
        page = (f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
                f"<title>pmatrix: evaluation</title><style>{STYLE}</style></head><body>\n<h1>pmatrix: evaluation</h1>\n{self.about()}{body}</body></html>\n")
        for name, plot in self.pictures.items():
            (self.folder / f"{name}.svg").write_text(svg.alone(plot, STYLE))
        (self.folder / "index.html").write_text(page)

    def about(self):
        m = self.machine
        size = "small sizes, three rounds" if m["mode"] == "quick" else "the paper's sizes on the host, five rounds"
        note = self.text("note").strip()
        return (f"<p>Measured by <code>scripts/evaluate --{m['mode']}</code> ({size}) on {m['date']}, revision {escape(m['revision'])}, "
                f"on {m['processors']} processors {escape(m.get('processor', ''))}; Octave {escape(m['octave'])}; NumPy {m['numpy']}; JAX {m['jax']}. "
                f"Load of the machine at the beginning: {m['load']}. {escape(note)}</p>\n<p>The systems run in processes of their own which take turns; a figure "
                "is the median of the rounds. Every result has been checked. Times on a Cell are virtual and equal in every run. "
                "Below each figure stands what the paper has, and why it differs.</p>\n")

    def sections(self):
        yield "Speed on a host", self.host(), paper.HOST
        seconds, stages = self.settings()
        runs, cell = self.simulated(), self.cell()
        known = [program for program in PROGRAMS if (program, 8, "heuristic") in runs]
        speed = {}
        for row in cell:
            first = next(other["ms"] for other in cell if other["program"] == row["program"] and other["spes"] == 1)
            speed.setdefault(row["program"], {})[row["spes"]] = first / row["ms"]
        rows = [[program, *speed[program].values(), paper.OBSERVED[program], seconds[program, "1 MEU"] / seconds[program, "usual"]] for program in speed]
        if rows:
            numbers = list(next(iter(speed.values())))
            head = ["program", *(f"{n} SPE{'s' * (n > 1)}" for n in numbers), "paper, 8 SPEs", f"host, {self.machine['processors']} MEUs"]
            plot = svg.lines(numbers, {program: list(values.values()) for program, values in speed.items()}, "SPEs, by the virtual clock", "speed-up over one")
            self.pictures["scaling"] = plot
            yield "Scaling over MEUs", plot + table(head, rows), paper.SCALING
        rows = []
        for program in known:
            one, _, ppe = runs[program, 1, "heuristic"]
            sequential = sum(ppe[name] for name in ("recording", "lowering", "scheduling", "memory"))
            share = sequential / (sequential + one)
            rows.append([program, 100 * share, paper.SEQUENTIAL[program], 1 / (share + (1 - share) / 8), paper.THEORETICAL[program],
                         one / runs[program, 8, "heuristic"][0], paper.OBSERVED[program]])
        yield "Sequential and parallel share, small size on the virtual clock", table(
            ["program", "sequential %", "paper", "8 SPEs at most (Amdahl)", "paper", "reached", "paper"], rows), paper.SHARES
        predicted = "".join(self.predictions(name) for name in ("predictions-sim", "predictions-clock", "predictions-host"))
        yield "Deviation of the time model: makespan of a schedule against its execution, in per cent", predicted, paper.MODEL
        yield "Heuristic against the optimum", self.optimality(), paper.OPTIMUM
        names = ("heuristic", "round-robin", "online")
        clock = {name: [runs[program, 8, name][0] / runs[program, 8, "heuristic"][0] for program in known] for name in names}
        rows = [[program, *(runs[program, 8, name][0] for name in names), *(1e3 * seconds[program, name] for name in ("usual", *names[1:]))] for program in known]
        yield "Schedulers: 8 SPEs, small size on the virtual clock, over the heuristic; and on the host", svg.bars(known, clock, "times the heuristic's makespan", line=1) + table(
            ["program", *(f"Cell: {name} ms" for name in names), *(f"host: {name} ms" for name in names)], rows), paper.SCHEDULERS
        yield "Phases", self.phases(known, runs, stages), paper.PHASES
        idle = {name: [runs[program, 8, "heuristic"][1][name] for program in known] for name in ("data", "operands", "the PPE")}
        each = [[row["program"], row["spe"], *(float(row[name]) for name in ("executing_ms", "data_ms", "operands_ms", "ppe_ms"))]
                for row in self.tables["spes"] if row["spes"] == "8" and row["scheduler"] == "heuristic"]
        text = (svg.bars(known, idle, "%", stacked=True)
               + table(["program", "data %", "operands %", "PPE %"], [[program, *(values[at] for values in idle.values())] for at, program in enumerate(known)])
               + "<details><summary>Each SPE</summary>" + table(["program", "SPE", "executing ms", "data ms", "operands ms", "PPE ms"], each) + "</details>\n")
        yield "Idle time of SPEs by cause, 8 SPEs, small size on the virtual clock, in per cent", text, paper.IDLE
        rows = [[program, 1e3 * seconds[program, "phases in turn"], 1e3 * seconds[program, "usual"], seconds[program, "phases in turn"] / seconds[program, "usual"]]
                for program in PROGRAMS if (program, "usual") in seconds]
        yield "Phases that overlap against phases in turn, on the host", table(["program", "in turn ms", "overlapping ms", "ratio"], rows), paper.OVERLAP
        yield "Several machines, simulated", self.cluster(), paper.CLUSTER
        yield "Memory on a PlayStation 3", self.memory(), paper.MEMORY
        yield "Sizes of graphs", self.sizes(), paper.SIZES

    def phases(self, known, runs, stages):
        share = {name: [] for name in ("executing", "recording", "lowering", "scheduling", "memory")}
        for program in known:
            one, _, ppe = runs[program, 8, "heuristic"]
            parts = {"executing": one, **ppe}
            whole = sum(parts[name] for name in share)
            for name in share:
                share[name].append(100 * parts[name] / whole)
        rows = [[program, *(values[at] for values in share.values()), *stages[program, "usual"]] for at, program in enumerate(known)]
        rows.append(["mean", *(mean(values) for values in share.values()), "", "", ""])
        return svg.bars(known, share, "%", stacked=True) + table(
            ["8 SPEs, virtual", *(f"{name} %" for name in share), "host: lower ms", "schedule ms", "execute ms"], rows)

    def sizes(self):
        counted = {row["program"]: row for row in self.tables["host"] if row["system"] == "p_matrix" and row["threads"] == "0" and row["type"] == "single"}
        rows = [[program, int(counted[program]["operations"]), int(counted[program]["block_operations"]), int(counted[program]["block_edges"]),
                 *paper.GRAPHS[program]] for program in PROGRAMS if program in counted]
        return table(["program", "operations", "block operations", "edges", "paper: nodes", "edges", "lowered nodes", "lowered edges"], rows)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    try:
        Evaluation(Path(sys.argv[1])).write()
    except Wrong as wrong:
        sys.exit(f"evaluate: {wrong}")
