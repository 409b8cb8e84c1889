"""What the paper says of its nine programs (section "Experiments"), in single precision on one Cell of a QS22."""

PROGRAMS = ["dft", "synth", "hill", "hits", "kmeans", "leontief", "markov", "neural", "reachability"]

# Table "Sequential and parallelisable portions": per cent, and speed-ups on 8 SPEs.
SEQUENTIAL = dict(zip(PROGRAMS, [5.2, 7.8, 4.3, 3.7, 5.0, 3.8, 3.5, 17.5, 3.6]))
THEORETICAL = dict(zip(PROGRAMS, [5.9, 5.2, 6.1, 6.3, 5.9, 6.3, 6.4, 3.6, 6.4]))
OBSERVED = dict(zip(PROGRAMS, [4.9, 4.5, 5.1, 5.9, 3.2, 5.5, 5.5, 1.4, 5.1]))

# Table of graph sizes: nodes and edges as stated, then lowered.
GRAPHS = dict(zip(PROGRAMS, [
    (9, 9, 72384, 141284), (60003, 120000, 60003, 120000), (9, 8, 73684, 140608), (50, 98, 319950, 639450),
    (34, 23, 137764, 252743), (204, 402, 129152, 254720), (52, 100, 93400, 186580), (10012, 12489, 231784, 410151),
    (960, 1912, 119600, 239000)]))

HOST = """The paper compares a Cell with Octave 3.0 and one thread of ATLAS on a Core 2 Quad: up to 12 times as fast, over 7 times
for most programs, less for kmeans and neural. Here both sides have the same processors and Octave has today's OpenBLAS, which
itself uses all of them, so what is left to gain is fusion, small operands and overlap. NumPy and JAX have kmeans by the least
distance, where the paper's operators need the signs of all pairs, and JAX compiles whole loops, from which kmeans and neural
gain most."""
SCALING = """The paper's observed speed-ups on 8 SPEs are 1.4 (neural) to 5.9 (hits). Here blocks are cut with regard to the number
of SPEs, sums of products stay in the local store, and element-wise operations are executed together, so less is moved and the
PPE has less to lower and to schedule. The clock is a model of the machine, and the paper's figures were measured on one. In
the small size the trace of synth asks for its last product alone, and nothing else of it is executed, so its figures count in
the paper's size only."""
SHARES = """The paper's sequential share also has memory and clean-up, and was measured on a PPE. Here the PPE's time is that of a
host times an estimated factor, and fewer block operations are left to schedule."""
MODEL = """The paper: 1.3 % in the median over more than 100 traces, without kmeans and neural, which were up to 300 % off. No
program is left out here: the first table of each engine adds up the traces of a program, and each trace counts alike in the
histogram, where 55 short traces of neural and those that prepare inputs are most. A schedule knows the stages of block
operations alone, so short traces are underestimated, as the paper's were: the PPE's own work is not in a schedule. On the host
a trace of one block operation takes 1 us by the schedule, and 8 us with waking an MEU."""
OPTIMUM = """The paper: within 1 % of the optimum on nine reduced programs of 17 to 79 nodes, by CPLEX in up to 41 minutes. Here
a branch and bound search is bounded in time, so where it has not ended the distance is to a lower bound; and random graphs,
made to be hard, are included."""
SCHEDULERS = """The paper: the heuristic beats round robin but for synth and neural, and an online pool is about as good as round
robin. Here neural is no exception, as the models of thin matrices are right; with few, even block operations the orders
differ little."""
PHASES = """The paper's mean over the programs: 75.6 % executing, 11.4 % scheduling, 9.4 % lowering, 0.8 % allocation, 2.7 %
clean-up. Here one block operation does the work of some dozens of the paper's, so lowering and scheduling shrink most."""
IDLE = """The paper has a plot without numbers: close to 0 % for synth, DMA and task waits for all others, least for large
products. Here "operands" and "PPE" are its "Task", told apart."""
OVERLAP = """The paper has a plot without numbers: most programs gain by overlap, kmeans and neural lose. On a host whose MEUs take
all processors, stages that overlap take time from MEUs, so little is gained."""
MEMORY = """The paper gave up the PlayStation 3 because its programs do not fit some 200 MB. Most fit here in single precision, as
traces are executed in chunks and temporary blocks are freed at once."""
CLUSTER = """The paper has one machine. Here ranks hold matrices together; lowering, insertion and transfers are those of real
ranks, and SimGrid simulates the network: 100 Gb/s with 2 us (infiniband) and 10 Gb/s with 20 us (ethernet) a node. Matrices have
32,768 rows and columns in single precision and some 256 shards, so 256 ranks have one shard of each; kmeans has 2^24 points, and its
thousands of small partial sums travel to one rank, so latency binds it. Products of a matrix and a vector (neural) bring the
matrix to the ranks that have the result."""
SIZES = """The paper's block operations are single products and additions of blocks in a local store of 4,608 elements. On the
host, blocks are cut for caches, and one block operation sums up many products or executes a chain of element-wise operations. With
the paper's limits lowering gives the paper's sizes for seven programs, which a test checks."""
