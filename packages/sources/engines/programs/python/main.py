"""Serves all sessions of one embedded engine, a line of JSON for each request and each answer, as isolab's README of the
collector says under "One process for all sessions". Called with the name of a module in stores/, a folder of its own, and
options such as storage=memory. The module has the class Store."""

import importlib
import json
import os
import queue
import sys
import threading
import traceback

writing = threading.Lock()
out = sys.stdout
sys.stdout = sys.stderr  # what engines print is not an answer


class Aborted(Exception):
    """States that the engine refused or undid the transaction."""


def say(request, answer):
    if "id" in request:
        answer["id"] = request["id"]
    with writing:
        out.write(json.dumps(answer) + "\n")
        out.flush()


class Engine:
    """Holds the store that all sessions use. Empty data are a store in a new folder."""

    def __init__(self, make, folder, options):
        self.make, self.folder, self.options = make, folder, options
        # The greatest number is the current folder, also after a crash.
        self.generation = max((int(name) for name in os.listdir(folder)), default=0)
        self.store = None
        self.holds_rows = False

    def prepare(self, data, keeps):
        self.holds_rows = data == "rows"
        if self.store is not None and keeps:
            return
        if self.store is not None:
            self.store.close()
        if not keeps:
            self.generation += 1
        place = os.path.join(self.folder, str(self.generation))
        os.makedirs(place, exist_ok=True)
        self.store = self.make(place, self.options)


class Session(threading.Thread):
    """Serves one client in a thread, so that it may wait alone."""

    def __init__(self, engine):
        super().__init__(daemon=True)
        self.engine = engine
        self.requests = queue.SimpleQueue()
        self.client = None
        self.start()

    def run(self):
        try:
            while True:
                request = self.requests.get()
                say(request, self.answer(request))
                if "close" in request:
                    return
        except BaseException:
            # A session whose thread ends would leave its request open.
            traceback.print_exc()
            os._exit(1)

    def answer(self, request):
        try:
            return self.done(request)
        except Aborted as why:
            return {"aborted": str(why)}
        except Exception as why:
            return {"error": f"{type(why).__name__}: {why}"}

    def done(self, request):
        if "begin" in request:
            if self.client is None:
                self.client = self.engine.store.connect()
            self.client.begin(request["begin"])
            return {}
        if self.client is None:
            return {} if "close" in request else {"error": "no transaction has begun"}
        if "commit" in request:
            self.client.commit()
            return {}
        if "rollback" in request or "close" in request:
            self.client.rollback()
            if "close" in request:
                self.client.close()
            return {}
        return kinds[request["kind"]](self, request)

    def read(self, request):
        held = self.client.get(self.key(request))
        return {"value": None if held is None else int(held.split(" ")[0])}

    def write(self, request):
        self.client.put(self.key(request), f"{request['value']} insert")
        return {}

    def compare_and_set(self, request):
        holds = self.read(request)["value"] == request["expected"]
        if holds:
            self.write(request)
        return {"value": holds}

    def read_list(self, request):
        held = self.client.get(("l", str(request["key"])))
        return {"value": [] if held is None else [int(element) for element in held.split(",")]}

    def append(self, request):
        key = ("l", str(request["key"]))
        held = self.client.get(key)
        self.client.put(key, str(request["value"]) if held is None else f"{held},{request['value']}")
        return {}

    def change(self, request):
        """Writes a row, or a tombstone, unless such a one is there; returns what was there."""
        key = ("w", request["key"])
        held = self.client.get(key)
        is_live = held is not None and held.endswith("insert")
        if is_live != (request["kind"] == "insert"):
            self.client.put(key, f"{request['value']} {request['kind']}")
        return {"value": [] if held is None else [row(request["key"], held)]}

    def range(self, request):
        found = self.client.range(request["low"], request["high"])
        return {"value": [row(key, held) for key, held in found]}

    def key(self, request):
        return ("w", request["key"]) if self.engine.holds_rows else ("r", str(request["key"]))


def row(key, held):
    value, kind = held.split(" ")
    return {"key": key, "value": int(value), "dead": kind == "delete"}


kinds = {
    "read": Session.read,
    "write": Session.write,
    "compare-and-set": Session.compare_and_set,
    "read-list": Session.read_list,
    "append": Session.append,
    "insert": Session.change,
    "delete": Session.change,
    "range": Session.range,
}


def main(name, folder, *options):
    sys.modules["main"] = sys.modules["__main__"]  # stores import Aborted
    given = dict(option.split("=", 1) for option in options)
    engine = Engine(importlib.import_module(f"stores.{name}").Store, folder, given)
    sessions = {}
    for line in sys.stdin:
        request = json.loads(line)
        if "hello" in request:
            say(request, {"database": given["title"], "sessions": "shared"})
        elif "prepare" in request:
            try:
                engine.prepare(request["prepare"], request["keep"])
                say(request, {})
            except Exception as why:
                say(request, {"error": f"{type(why).__name__}: {why}"})
        else:
            number = request["session"]
            if number not in sessions:
                sessions[number] = Session(engine)
            sessions[number].requests.put(request)
            if "close" in request:
                del sessions[number]
    os._exit(0)  # whatever a session waits for


main(*sys.argv[1:])
