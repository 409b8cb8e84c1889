"""Inputs of the nine programs, and what their results are checked against, in double precision."""

import numpy as np


class Inputs:
    """The inputs as attributes, and `check`: a list of arrays becomes a deviation and its limit."""

    def __init__(self, check, limits, dtype, **values):
        self.__dict__.update(values)
        limit = limits[0 if dtype == np.float32 else 1]
        self.check = lambda result: [float(check(result)), limit]


def pick(size, paper, small):
    return {"paper": paper, "small": small}[size]


def off(x, reference):
    return np.linalg.norm(x - reference) / np.linalg.norm(reference)


def double(x):
    return x.astype(np.float64)


def dft(size, dtype):
    n = pick(size, 2496, 672)
    steps = np.arange(-n // 2, n // 2).astype(dtype)
    signals = (np.random.default_rng(101).random((n, n)) - 0.5).astype(dtype)

    def check(result):
        expected = np.fft.fftshift(np.fft.fft(np.fft.ifftshift(double(signals), axes=0), axis=0), axes=0)
        return off(result[0] + 1j * result[1], expected)

    return Inputs(check, (2e-3, 1e-10), dtype, times=steps[None, :], frequencies=steps[:, None], signals=signals)


def synth(size, dtype):
    matrices = [(np.random.default_rng(seed).random((96, 96)) - 0.5).astype(dtype) for seed in (1, 2, 3)]
    a, b, c = map(double, matrices)
    expected = [a @ b, b @ c, c @ a, b @ a, c @ b, a @ c]

    def check(result):
        return max(map(off, result, expected))

    return Inputs(check, (1e-5, 1e-13), dtype, matrices=matrices, rounds=pick(size, 60000, 1200) // 6)


def hill(size, dtype):
    n = pick(size, 2496, 672)
    half = n // 2
    a, b, c = (np.floor(26 * np.random.default_rng(seed).random((half, half))) for seed in (302, 303, 304))
    one = np.eye(half)
    top, bottom = (one + a @ b) % 26, (one + b @ a) % 26
    key = np.block([[top, top @ c + a], [b, b @ c + one]]) % 26
    inverse = np.block([[one + c @ b, -(c @ bottom) - a], [-b, bottom]]) % 26
    text = (97 + np.floor(26 * np.random.default_rng(301).random((n, n)))).astype(dtype)

    def check(result):
        return np.count_nonzero(result[1] != text)

    return Inputs(check, (0, 0), dtype, key=key.astype(dtype), inverse=inverse.astype(dtype), text=text)


def powers(matrix, start, steps):
    """The vector that a power of a matrix gives, step by step."""
    for _ in range(steps + 1):
        start = double(matrix) @ start
    return start


def hits(size, dtype):
    n = pick(size, 1440, 392)
    popularity = 1 / np.arange(1, n + 1)
    chance = np.minimum(0.9, 6 / n * (1 + popularity / popularity.mean()))
    links = (np.random.default_rng(401).random((n, n)) < chance).astype(float)
    authority = links.T @ links
    matrix = (authority / np.linalg.eigvalsh(authority)[-1]).astype(dtype)

    def check(result):
        return off(result[0].sum(axis=1), powers(matrix, np.ones(n), 49))

    return Inputs(check, (1e-4, 1e-12), dtype, matrix=matrix, steps=49)


def kmeans(size, dtype):
    n, k, rounds = pick(size, 400000, 8000), 8, 5
    random = np.random.default_rng(501)
    middle = 10 * random.random((2, k))
    points = middle[:, np.arange(n) % k] + 3 * (random.random((3, 2, n)).sum(axis=0) - 1.5)
    points = np.vstack([points, np.ones(n)]).astype(dtype)

    def check(result):
        plane = double(points[:2])
        centres = plane[:, :k].T
        for _ in range(rounds):
            nearest = ((centres**2).sum(axis=1)[:, None] - 2 * centres @ plane).argmin(axis=0)
            members = np.maximum(np.bincount(nearest, minlength=k), 1)
            centres = np.stack([np.bincount(nearest, axis, k) / members for axis in plane], axis=1)
        return np.abs(result[0] - centres).max() / 10

    return Inputs(check, (1e-3, 1e-8), dtype, points=points, clusters=k, rounds=rounds)


def leontief(size, dtype):
    n, demands = pick(size, 768, 208), pick(size, 19968, 5000)
    use = np.random.default_rng(601).random((n, n))
    consumption = (0.6 * use / use.sum(axis=0)).astype(dtype)
    demand = (100 * np.random.default_rng(602).random((n, demands))).astype(dtype)

    def check(result):
        return off(result[0] - double(consumption) @ result[0], double(demand))

    return Inputs(check, (1e-5, 1e-12), dtype, consumption=consumption, demand=demand, terms=100)


def markov(size, dtype):
    n = pick(size, 960, 260)
    states = np.arange(n)
    weight = (0.05 + np.random.default_rng(701).random((n, n))) * np.exp(-abs(states[:, None] - states) * (16 / n))
    transition = (weight / weight.sum(axis=0)).astype(dtype)
    start = (states == 0).astype(dtype)

    def check(result):
        return off(result[0], powers(transition, start, 49))

    return Inputs(check, (1e-4, 1e-12), dtype, transition=transition, start=start, steps=49)


def neural(size, dtype):
    wide, high, epochs = pick(size, 768, 216), pick(size, 672, 192), pick(size, 32, 8)
    patterns = (np.random.default_rng(801).random((wide, 26)) > 0.5).astype(dtype)
    targets = (np.random.default_rng(802).random((high, 26)) > 0.5).astype(dtype)

    def check(result):
        weights = np.zeros((high, wide))
        for _ in range(epochs):
            for x, target in zip(double(patterns).T, double(targets).T):
                weights += np.outer(0.01 * (target - 1 / (1 + np.exp(-weights @ x))), x)
        return np.inf if (result[0] != targets[:, 0]).any() else off(result[1], weights)

    return Inputs(check, (1e-3, 1e-10), dtype, patterns=patterns, targets=targets, epochs=epochs, rate=0.01)


def reachability(size, dtype):
    n = pick(size, 480, 180)
    edges = ((np.random.default_rng(901).random((n, n)) < 1.5 / n) | np.eye(n, dtype=bool)).astype(dtype)

    def check(result):
        reached = double(edges)
        for _ in range(int(np.ceil(np.log2(n - 1)))):
            reached = (reached @ reached > 0).astype(float)
        return np.count_nonzero(result[0] != reached)

    return Inputs(check, (0, 0), dtype, edges=edges, steps=n - 2)


INPUTS = {function.__name__: function for function in
          (dft, synth, hill, hits, kmeans, leontief, markov, neural, reachability)}
