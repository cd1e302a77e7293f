"""A session of an agent: its own reward, less what reviewers left open, teaches the next choice."""

import json
import subprocess
import sys


def evident(*args, given=None):
    """Runs one `evident reward` command, JSON in and out."""
    ran = subprocess.run(
        ["evident", "reward", *args],
        input=None if given is None else json.dumps(given),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return json.loads(ran.stdout)


with open(sys.argv[1] if len(sys.argv) > 1 else "threads.json") as file:
    reviews = json.load(file)

# The tests passed, so the agent gives itself 0.9; its two pull requests cost 0.09 and 0.05.
session = {
    "session": "monday",
    "category": "billing",
    "reward": 0.9,
    "pulls": ["octo-org/shop#41", "octo-org/shop#42"],
}
learned = evident(
    "update", "--state", "sessions.json", "--settings", "settings.json", given=reviews + [session]
)
for arm in learned["arms"]:
    print(f"{arm['category']}: alpha {arm['alpha']:.2f}, beta {arm['beta']:.2f}")

chosen = evident("choose", "--state", "sessions.json", "--among", "billing,docs", "--seed", "tuesday")
print("next:", chosen["choice"])
