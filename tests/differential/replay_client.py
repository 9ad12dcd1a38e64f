"""heed's side: the program `differential_replay`, kept running."""

import json
import subprocess

import program as programs
from table import TABLE


class Replay:
    def __init__(self, path):
        self.path = path
        self.process = None

    def start(self):
        self.process = subprocess.Popen(
            [self.path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def __call__(self, program):
        """heed's answer. If the process ends over it, that is the answer."""
        if self.process is None:
            self.start()
        try:
            self.process.stdin.write(programs.wire(program, TABLE) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if line:
            return json.loads(line)
        code = self.process.wait()
        self.process = None
        return {"broken": f"replay ended with {code}"}

    def close(self):
        if self.process is not None:
            self.process.stdin.close()
            self.process.stdout.close()
            self.process.wait()
