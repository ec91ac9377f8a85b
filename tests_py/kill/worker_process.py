"""A worker in a process of its own: a line of JSON is a job. It says what it has done, and goes on when it is told to.

The business ledger is a folder; an entry is a file, named by the job's key, that only one can make.
"""

import json
import os
import sys


def say(word: str) -> None:
    sys.stdout.write(word + "\n")
    sys.stdout.flush()


def book(ledger: str, key: str) -> None:
    name = os.path.join(ledger, key.replace(":", "-"))
    try:
        os.close(os.open(name, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
    except FileExistsError:
        say("known")  # an earlier delivery came as far as this
        return
    say("booked")


for line in sys.stdin:
    job = json.loads(line)
    say("started")
    if not sys.stdin.readline():
        break
    book(job["ledger"], job["key"])
    if not sys.stdin.readline():
        break
    say("done")
