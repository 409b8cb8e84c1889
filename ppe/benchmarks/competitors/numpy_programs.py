"""The nine programs as a user of NumPy writes them: the formulas of the Octave programs, and NumPy's own functions where
it has one for what those spell out."""

import numpy as np


def dft(i):
    phases = (i.frequencies @ i.times) * i.signals.dtype.type(-2 * np.pi / i.times.size)
    return np.cos(phases) @ i.signals, np.sin(phases) @ i.signals


def synth(i):
    a, b, c = i.matrices
    products = [[a @ b, b @ c, c @ a, b @ a, c @ b, a @ c] for _ in range(i.rounds)]
    return products[-1]


def hill(i):
    cipher = np.mod(i.key @ (i.text - 97), 26)
    return cipher, np.mod(i.inverse @ cipher, 26) + 97


def power(matrix, steps):
    result = matrix
    for _ in range(steps):
        result = result @ matrix
    return result


def hits(i):
    return [power(i.matrix, i.steps)]


def kmeans(i):
    points, k = i.points[:2], i.clusters
    centres = points[:, :k].T.astype(np.float64)
    for _ in range(i.rounds):
        distances = (-2 * centres).astype(points.dtype) @ points + (centres**2).sum(axis=1, keepdims=True).astype(points.dtype)
        nearest = distances.argmin(axis=0)
        members = np.maximum(np.bincount(nearest, minlength=k), 1)
        centres = np.stack([np.bincount(nearest, axis, k) / members for axis in points], axis=1)
    return [centres]


def leontief(i):
    term = series = np.eye(len(i.consumption), dtype=i.demand.dtype)
    for _ in range(i.terms):
        term = term @ i.consumption
        series = series + term
    return [series @ i.demand]


def markov(i):
    return [power(i.transition, i.steps) @ i.start]


def neural(i):
    weights = np.zeros((len(i.targets), len(i.patterns)), i.patterns.dtype)
    rate = i.patterns.dtype.type(i.rate)
    answer = lambda x: 1 / (1 + np.exp(-(weights @ x)))
    for _ in range(i.epochs):
        for x, target in zip(i.patterns.T, i.targets.T):
            weights = weights + np.outer(rate * (target - answer(x)), x)
    return np.round(answer(i.patterns[:, 0])), weights


def reachability(i):
    reached = i.edges
    for _ in range(i.steps):
        reached = (reached @ i.edges != 0).astype(i.edges.dtype)
    return [reached]


def prepared(name, inputs):
    """What runs a program on these inputs."""
    return lambda: globals()[name](inputs)
