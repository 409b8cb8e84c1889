"""worker.py numpy|jax: a process of bench.m that runs the nine programs in NumPy or JAX.

A task is a line NAME SIZE TYPE CHECK, as of program_worker.m. The answer is the seconds of a run and, where CHECK is 1,
the deviation of the result and its limit. Inputs have the shapes and distributions of the Octave programs, and other
random numbers. JAX compiles a program in its first run, which is not timed.
"""

import sys
import time

import numpy as np


def main(kind):
    if kind == "jax":
        import jax

        jax.config.update("jax_enable_x64", True)
        import jax_programs as programs
    else:
        import numpy_programs as programs
    from inputs import INPUTS

    prepared, program = None, None
    for line in sys.stdin:
        words = line.split()
        if not words:
            continue
        try:
            name, size, kind_of_number, check = words
            if prepared != words[:3]:
                dtype = np.float32 if kind_of_number == "single" else np.float64
                inputs = INPUTS[name](size, dtype)
                program = programs.prepared(name, inputs)
                prepared = words[:3]
            start = time.perf_counter()
            result = program()
            answer = [time.perf_counter() - start]
            if check == "1":
                answer += inputs.check([np.asarray(part, np.float64) for part in result])
            print(" ".join(f"{number:.9g}" for number in answer), flush=True)
        except Exception as failure:  # The other end prints what went wrong.
            print(" ".join(str(failure).split()) or type(failure).__name__, flush=True)
        # A space begins the next line: see serve_tasks.m.
        print(" ", end="", flush=True)


main(sys.argv[1])
