#!/usr/bin/env python3
"""Random programs in heed and in PyTorch: values, first and second derivatives, refusals.

    run.py [--count N] [--seed S] [--jobs J] [--replay PROGRAM]
    run.py --one SEED        one program: its sources, and where the answers differ
    run.py --nudge [SIZE]    the check of the check: of each program whose answers agree one
                             number of heed's is moved by SIZE (1e-8) of max(1, |x|), and
                             each must be reported, except a few: rounding may explain
                             0.5 % of them, and known.py 5 %
    run.py --stored FILE     replays programs stored with their results; needs no PyTorch
    run.py --store           prints such a file

Programs are 1 to 8 ops, each of which takes leaves and results of ops before it: 1 to 4
leaves of float64, besides masks, indices and constants. All numbers are held against
PyTorch within 1e-9 of max(1, |x|). Program i of a run has the seed S + i. Where the
answers differ and rounding does not explain it, finite differences are consulted, and
known.py lists where PyTorch is not followed. A failing program is made small and printed
for both sides.

Exit code: 0 if all agree and, of 5000 programs or more, every row of the table was
computed; 1 if not; 2 for wrong arguments or without PyTorch.
"""

import argparse
import collections
import json
import multiprocessing
import os
import random
import sys
import time
import warnings

HERE = os.path.dirname(os.path.abspath(__file__))
REPLAY = os.path.join(HERE, "..", "..", "build", "tests", "differential_replay")
MOST_SHOWN = 5


def import_torch():
    try:
        import torch
    except ImportError:
        print(
            f"run.py: this compares heed with PyTorch, which {sys.executable} has not.\n"
            "  Debian:  apt-get install python3-torch, then /usr/bin/python3 run.py\n"
            "  or:      pip install torch",
            file=sys.stderr,
        )
        sys.exit(2)
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    return torch


def nudged(answer, size, chance):
    """Moves one finite number by `size` of max(1, |x|). Returns whether there was one."""
    places = [
        (x, i)
        for part in ("values", "backward", "grad", "second")
        for x in answer.get(part, {}).values()
        if x["dtype"] == "float64"
        for i, number in enumerate(x["data"].split())
        if abs(float(number)) < 1e300
    ]
    if not places:
        return False
    x, i = chance.choice(places)
    parts = x["data"].split()
    number = float(parts[i])
    parts[i] = repr(number + chance.choice([-size, size]) * max(1.0, abs(number)))
    x["data"] = " ".join(parts)
    return True


class Tally:
    def __init__(self):
        self.counts = collections.Counter()
        self.known = collections.Counter()
        self.rows = collections.Counter()
        self.failures = []  # seeds

    def add(self, other):
        self.counts += other.counts
        self.known += other.known
        self.rows += other.rows
        self.failures += other.failures


def examine(seed, replay, tally, nudge):
    """Draws one program and compares."""
    import draw
    import judge
    import torch_side

    program, answer = draw.draw(seed)
    torch, heed = torch_side.written(answer), replay(program)
    tally.counts["programs"] += 1
    tally.counts["refused"] += "error" in torch
    for part in ("grad", "second"):
        tally.counts[part] += part in torch
    for op in program["ops"]:
        tally.rows[op["row"]] += op["name"] != torch.get("at")
    if nudge:
        before = judge.judge(replay, program, heed, torch)
        if before.found or before.known or before.rounding:
            tally.counts["differ without it"] += 1
            return
        if not nudged(heed, nudge, random.Random(seed)):
            tally.counts["without a number"] += 1
            return
        tally.counts["nudged"] += 1
    last = () if nudge else judge.LAST_ROUNDINGS
    verdict = judge.judge(replay, program, heed, torch, last)
    tally.counts["rounding"] += verdict.rounding
    if verdict.known:
        tally.known[verdict.known.reason] += 1
    explained = verdict.known or verdict.rounding
    if bool(verdict.found) != (bool(nudge) and not explained):
        tally.failures.append(seed)


def work(task):
    """One process's share of a run."""
    import_torch()
    from replay_client import Replay

    path, nudge, seeds = task
    tally, replay = Tally(), Replay(path)
    for seed in seeds:
        examine(seed, replay, tally, nudge)
    replay.close()
    return tally


def show(seed, replay):
    """Prints a program, made small, and what is wrong with it."""
    import draw
    import judge
    import program as programs
    import shrink
    import torch_side
    from table import TABLE

    def judged(program):
        torch = torch_side.written(torch_side.compute(program))
        return judge.judge(replay, program, replay(program), torch)

    def kinds(verdict):
        return {d.part for d in verdict.found}

    program, _ = draw.draw(seed)
    kind = kinds(judged(program))
    if kind:
        program = shrink.shrink(program, lambda p: bool(kind & kinds(judged(p))))
    verdict = judged(program)
    print(f"\n=== seed {seed}: {'fails' if verdict.found else 'agrees'}")
    if verdict.known:
        print(f"differs as known: {verdict.known.reason}")
    for d in verdict.found[:8]:
        print(d)
        if d.part in ("backward", "grad", "second") and d.element >= 0:
            number = judge.finite_difference(replay, program, d)
            print(
                f"    finite differences: {'do not exist' if number is None else number}"
            )
    print("\n--- PyTorch\n" + programs.torch_source(program, TABLE))
    print("--- heed\n" + programs.heed_source(program, TABLE))


def compare_with_torch(options):
    torch = import_torch()
    from table import TABLE

    seed = (
        random.SystemRandom().randrange(10**9) if options.seed is None else options.seed
    )
    kind = f"programs nudged by {options.nudge}" if options.nudge else "programs"
    print(f"{options.count} {kind}, seed {seed}, PyTorch {torch.__version__}", flush=True)
    begin = time.time()
    seeds = range(seed, seed + options.count)
    jobs = options.jobs
    shares = [(options.replay, options.nudge, seeds[i::jobs]) for i in range(jobs)]
    total = Tally()
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        for tally in pool.imap_unordered(work, shares):
            total.add(tally)

    for reason, count in total.known.most_common():
        print(f"{count:6} differ as known: {reason}")
    print(f"{total.counts['rounding']:6} differ by rounding alone")
    untried = [name for name in TABLE if not total.rows[name]]
    if untried and options.count >= 5000:
        print(f"no program computed: {', '.join(untried)}")
    if not options.nudge:
        replay = replay_of(options)
        for failing in sorted(total.failures)[:MOST_SHOWN]:
            show(failing, replay)
        replay.close()
    what = "were not reported" if options.nudge else "failed"
    if total.failures:
        some = ", ".join(map(str, sorted(total.failures)[:20]))
        print(f"\nseeds that {what}: {some}{' ...' * (len(total.failures) > 20)}")
    took = f"{time.time() - begin:.0f} s"
    counts = ", ".join(f"{count} {name}" for name, count in total.counts.items())
    print(f"{counts}; {len(total.failures)} {what}, {took}, seed {seed}")
    blind = options.nudge and (
        total.counts["rounding"] > total.counts["nudged"] / 200
        or total.known.total() > total.counts["nudged"] / 20
    )
    if blind:
        print("run.py: rounding and known.py explain too many of the nudges")
    return 1 if total.failures or blind or (untried and options.count >= 5000) else 0


def replay_of(options):
    from replay_client import Replay

    return Replay(options.replay)


def compare_with_stored(options):
    from compare import mismatches

    import program as programs
    from table import TABLE

    replay, failed, count = replay_of(options), 0, 0
    with open(options.stored, encoding="utf-8") as file:
        for line in file:
            entry = json.loads(line)
            programs.heed_source(entry["program"], TABLE)  # that it can be printed
            found = mismatches(replay(entry["program"]), entry["torch"])
            count, failed = count + 1, failed + bool(found)
            for d in found[:3]:
                print(f"{options.stored}:{count}: {d}")
    replay.close()
    print(f"{count} programs, {failed} failed")
    return 1 if failed or not count else 0


def store(options):
    """Prints programs that agree, with PyTorch's answers, until each row of the table is
    in one: short ones, with second derivatives or refused."""
    import_torch()
    import draw
    import judge
    import torch_side
    from table import TABLE

    replay, seen, seed = replay_of(options), set(), options.seed or 0
    while {name for name, refused in seen if not refused} != set(TABLE):
        program, answer = draw.draw(seed)
        torch = torch_side.written(answer)
        verdict = judge.judge(replay, program, replay(program), torch)
        clean = not (verdict.found or verdict.known or verdict.rounding)
        rows = {(op["row"], op["name"] == torch.get("at")) for op in program["ops"]}
        line = json.dumps({"program": program, "torch": torch})
        complete = "second" in torch or "error" in torch or seed > 3000
        if (
            clean
            and complete
            and len(rows - seen) >= max(1, 4 - seed // 1000)
            and len(line) < 4000
        ):
            print(line)
            seen |= rows
        seed += 1
    replay.close()
    return 0


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=20000)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--replay", default=REPLAY)
    parser.add_argument("--nudge", type=float, nargs="?", const=1e-8, metavar="SIZE")
    parser.add_argument("--one", type=int, metavar="SEED")
    parser.add_argument("--stored", metavar="FILE")
    parser.add_argument("--store", action="store_true")
    options = parser.parse_args()
    if not os.access(options.replay, os.X_OK):
        parser.error(
            f"no program {options.replay}: ninja -C build tests/differential_replay"
        )
    if options.stored:
        return compare_with_stored(options)
    if options.store:
        return store(options)
    if options.one is not None:
        import_torch()
        replay = replay_of(options)
        show(options.one, replay)
        replay.close()
        return 0
    return compare_with_torch(options)


if __name__ == "__main__":
    sys.exit(main())
