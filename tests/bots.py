"""Bots that misbehave, one a command-line argument: ``python bots.py crash``. They speak belote-bot/1 otherwise."""

from __future__ import annotations

import json
import sys
import time

how = sys.argv[1]
for line in sys.stdin:
    view = json.loads(line)
    action = view["legal"][0]
    if how == "crash" and view["phase"] == "play":
        sys.exit(1)
    if how == "hang" and view["phase"] == "play":
        time.sleep(1000)
    if how == "cheat":
        action = "play JS" if "play JS" not in view["legal"] else "bid 80S"
    if how == "nonsense":
        print("not JSON", flush=True)
        continue
    if how == "endless":
        while True:
            sys.stdout.write("x" * 1000)
    if how == "deaf":  # answers for ever what it has not been asked yet
        for number in range(10**9):
            print(json.dumps({"id": number, "action": "pass"}), flush=True)
    answer = {"id": view["id"] + (how == "wrong-id"), "action": [action] if how == "list" else action}
    print(json.dumps(answer), flush=True)
