"""Play one hand: python first_hand.py [PORT]. Standard library only; JSON over TCP."""

import json
import random
import socket
import struct
import sys

room = socket.create_connection(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 4190))
stream = room.makefile("rb")


def send(**message):
    body = json.dumps(message).encode()
    room.sendall(struct.pack(">I", len(body)) + body)


def receive():
    (length,) = struct.unpack(">I", stream.read(4))
    return json.loads(stream.read(length))


def ask(**request):  # before the first table, nothing but answers comes
    send(**request)
    answer = receive()
    if answer["type"] == "error":
        sys.exit(f"{answer['code']}: {answer['message']}")
    return answer


ask(type="hello", id=1, version=1, client="first hand")
ask(type="register", id=2, name=f"first.{random.randrange(10**9)}", password="correct horse")
lobby = ask(type="list_tables", id=3)["tables"]
info = next(row for row in lobby if row["house_bots"] and row["occupied"] < row["seats"])
table = {"table": info["table"]}
me = ask(type="sit_down", id=4, buy_in=info["min_buy_in"], post=True, **table)["your_seat"]
number = 5
while True:
    event = receive()
    print(event)
    if event["type"] == "turn" and event["seat"] == me:
        turn = {name: event[name] for name in ("hand_id", "seq")}
        send(type="act", id=number, action="check" if event["check"] else "call", **table, **turn)
        number += 1
    if event["type"] == "hand_ended" and any(seat["seat"] == me for seat in event["stacks"]):
        break
send(type="stand_up", id=number, **table)
while receive().get("re") != number:
    pass
