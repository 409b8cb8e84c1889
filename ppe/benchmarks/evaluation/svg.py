"""Plots as inline SVG, whose colours the page's style sets."""

import re
from html import escape
from math import ceil, floor, log2, log10

LEFT, TOP, HIGH, BAR, GAP = 30, 8, 170, 11, 14


def scale(most):
    """The step between marks of an axis, a round number, and the end of the axis."""
    power = 10 ** (ceil(log10(most / 5)) - 1)
    step = next(power * factor for factor in (1, 2, 5, 10) if 5 * power * factor >= most)
    return step, step * ceil(most / step)


def bars(labels, series, unit, line=None, stacked=False):
    """Upright bars: `series` maps a name to a value a label, None where there is none. `line` marks a height."""
    names = list(series)
    sums = [sum(series[name][at] or 0 for name in names) for at in range(len(labels))]
    values = sums if stacked else [value or 0 for name in names for value in series[name]]
    step, most = scale(max(values + [line or 0]) or 1)
    group = BAR * (2 if stacked else len(names)) + GAP
    wide = LEFT + 20 + group * len(labels)
    parts = []
    for number in range(round(most / step) + 1):
        value = step * number
        y = TOP + HIGH * (1 - value / most)
        parts.append(f'<line class="grid" x1="{LEFT}" y1="{y:.1f}" x2="{wide}" y2="{y:.1f}"/>')
        parts.append(f'<text x="{LEFT - 4}" y="{y + 3:.1f}" text-anchor="end">{value:.4g}</text>')
    for at, label in enumerate(labels):
        x, floor = LEFT + GAP / 2 + at * group, TOP + HIGH
        for number, name in enumerate(names):
            value = series[name][at]
            if value is None:
                continue
            high = HIGH * value / most
            left = x if stacked else x + number * BAR
            floor = floor - high if stacked else TOP + HIGH - high
            parts.append(f'<rect class="c{number}" x="{left:.1f}" y="{floor:.1f}" width="{BAR * (2 if stacked else 1) - 1}" '
                         f'height="{high:.1f}"><title>{escape(label)}, {escape(name)}: {value:.3g} {unit}</title></rect>')
        middle = x + (group - GAP) / 2
        parts.append(f'<text x="{middle:.1f}" y="{TOP + HIGH + 12}" text-anchor="end" '
                     f'transform="rotate(-35 {middle:.1f} {TOP + HIGH + 12})">{escape(label)}</text>')
    if line is not None:
        y = TOP + HIGH * (1 - line / most)
        parts.append(f'<line class="mark" x1="{LEFT}" y1="{y:.1f}" x2="{wide}" y2="{y:.1f}"/>')
    return picture(wide, TOP + HIGH + 62, parts, names)


def lines(xs, series, across, up, doubling=False):
    """A line a name, over `xs`; the dashed line is up = across. With `doubling` equal distances are equal ratios."""
    wide, most = 430, max([max(xs)] + [y for ys in series.values() for y in ys])
    # What is slower than one is drawn too, down to the next power of two.
    least = 2 ** floor(log2(min([1] + [y for ys in series.values() for y in ys]))) if doubling else 0
    height = (lambda y: log2(y / least) / log2(most / least)) if doubling else (lambda y: y / most)
    along = (lambda x: log2(x) / log2(max(xs))) if doubling else (lambda x: x / max(xs))
    place = lambda x, y: (LEFT + (wide - LEFT - 130) * along(x), TOP + HIGH * (1 - height(y)))
    first = xs[0] if doubling else 0
    parts = []
    for x in xs:
        left, bottom = place(x, least)
        parts.append(f'<line class="grid" x1="{left:.1f}" y1="{TOP}" x2="{left:.1f}" y2="{bottom}"/>')
        parts.append(f'<text x="{left:.1f}" y="{bottom + 14}" text-anchor="middle">{x}</text>')
    for y in sorted({*xs, least} - {0}):
        parts.append(f'<text x="{LEFT - 6}" y="{place(first, y)[1] + 3:.1f}" text-anchor="end">{y:.3g}</text>')
    (x1, y1), (x2, y2) = place(first, first), place(max(xs), max(xs))
    parts.append(f'<line class="mark" x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}"/>')
    ends = sorted(((place(xs[-1], ys[-1])[1], name) for name, ys in series.items()))
    below = -99
    labels = {}
    for y, name in ends:
        below = max(y, below + 11)
        labels[name] = below
    for number, (name, ys) in enumerate(series.items()):
        points = [place(x, y) for x, y in zip(xs, ys)]
        joined = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        parts.append(f'<polyline class="l{number % 6}" points="{joined}"/>')
        parts.append(f'<text class="t{number % 6}" x="{points[-1][0] + 6:.1f}" y="{labels[name] + 3:.1f}">{escape(name)} {ys[-1]:.2f}</text>')
    parts.append(f'<text x="{(LEFT + wide - 130) / 2}" y="{TOP + HIGH + 30}" text-anchor="middle">{across}; up: {up}</text>')
    return picture(wide, TOP + HIGH + 36, parts, [])


def picture(wide, high, parts, names):
    legend = "".join(f'<span><i class="b{number}"></i>{escape(name)}</span> ' for number, name in enumerate(names) if len(names) > 1)
    return (f'<figure><div class="legend">{legend}</div><svg viewBox="0 0 {wide} {high}" style="max-width:{wide * 1.5:.0f}px" '
            f'role="img">{"".join(parts)}</svg></figure>\n')


def alone(figure, style):
    """A figure as a file of its own: the plot, with the legend above it and its colours."""
    drawn = re.search(r'<svg viewBox="0 0 (\S+) (\S+)"[^>]*>(.*)</svg>', figure, re.S)
    wide, high, parts = float(drawn[1]), float(drawn[2]), drawn[3]
    names = re.findall(r'</i>([^<]*)</span>', figure)
    legend = "".join(f'<rect class="c{number}" x="{LEFT + 110 * number}" y="4" width="8" height="8"/>'
                     f'<text x="{LEFT + 110 * number + 12}" y="12">{name}</text>' for number, name in enumerate(names))
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high + 16}"><style>{style}</style>{legend}'
            f'<g transform="translate(0 16)">{parts}</g></svg>\n')
