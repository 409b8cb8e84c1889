"""cluster.py FOLDER CORES NODES PLACES BYTES: what SimGrid and StarPU read about a simulated cluster

FOLDER gets a file of hosts, a file for each network, and the folder .starpu with a node of CORES cores. NODES nodes are
in the cluster. PLACES is how many places of memory this StarPU knows at most. Each byte that is sent stands for BYTES bytes.
"""

import pathlib
import sys

folder = pathlib.Path(sys.argv[1])
cores, nodes, places, scale = map(int, sys.argv[2:])

# Gigabytes a second and microseconds of latency of each node's link.
NETWORKS = {"ethernet": (1.25, 20), "infiniband": (12.5, 2)}
BACKBONE = 160
HEAD = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "http://simgrid.gforge.inria.fr/simgrid/simgrid.dtd">
<platform version="4">
"""

(folder / "hosts").write_text("".join(f"node{i}.sim\n" for i in range(nodes)))
for name, (bandwidth, latency) in NETWORKS.items():
    (folder / f"{name}.xml").write_text(
        f"""{HEAD}<AS id="AS0" routing="Vivaldi">
<cluster id="c" prefix="node" suffix=".sim" radical="0-{nodes - 1}" speed="1Gf" bw="{1e9 * bandwidth / scale}Bps" lat="{latency}us"
  bb_bw="{1e9 * BACKBONE / scale}Bps" bb_lat="1us"/>
</AS>
</platform>
"""
    )

# One place of memory, to which nothing is copied; StarPU would measure this.
node = folder / ".starpu" / "sampling" / "bus"
node.mkdir(parents=True, exist_ok=True)
(node / "node.affinity").write_text("# GPU\tNUMA0\t\n")
for what in ("bandwidth", "latency"):
    rows = [["nan"] * places for _ in range(places)]
    rows[0][0] = "0.000000e+00"
    head = "# " + "".join(f"to {i}\t\t" for i in range(places))
    (node / f"node.{what}").write_text("\n".join([head, *("\t".join(row) for row in rows)]) + "\n")
counts = [(cores, "CPUs"), (1, "NUMA nodes"), *((0, f"{kind} devices") for kind in ("CUDA", "OpenCL", "MIC", "MPI"))]
(node / "node.config").write_text(
    "# Current configuration\n" + "".join(f"{count} # Number of {what}\n" for count, what in counts)
)
settings = {"TCP-gamma": "-1", "latency-factor": "1", "bandwidth-factor": "1", "crosstraffic": "0", "weight-S": "0.0"}
(node / "node.platform.v4.xml").write_text(
    HEAD
    + ' <config id="General">\n'
    + "".join(f'   <prop id="network/{name}" value="{value}"></prop>\n' for name, value in settings.items())
    + ' </config>\n <AS  id="AS0"  routing="Full">\n   <host id="MAIN" speed="1f"/>\n'
    + "".join(f'   <host id="CPU{core}" speed="2000000000f"/>\n' for core in range(cores))
    + '\n   <host id="RAM" speed="1f"/>\n\n   <link id="Host" bandwidth="0.000000Bps" latency="0.000000s"/>\n\n\n'
    + " </AS>\n </platform>\n"
)
