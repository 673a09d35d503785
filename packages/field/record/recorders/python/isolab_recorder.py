"""Records the transactions of an application, for isolab to check. Copy this file; it needs Python 3.8 and your driver.

    recorder = Recorder("history-{pid}.jsonl", initial=0)
    with recorder.transaction(connection) as tx:      # commits at the end, rolls back on an exception
        value = ...                                   # your SELECT
        tx.read("x", value)
        ...                                           # your UPDATE
        tx.write("x", value + 1)
    recorder.close()

A transaction is in the file before COMMIT is sent, as one of unknown outcome, and its outcome follows: so whatever ends the
process leaves a right history. Each process has a file of its own: {pid} in the path stands for its number.
"""

import json
import os
import secrets
import threading
import time
import weakref
from contextlib import contextmanager

REFUSED_BY_SQLITE = {5, 6, 19}  # SQLITE_BUSY, SQLITE_LOCKED, SQLITE_CONSTRAINT
REFUSED_BY_MYSQL = {1020, 1062, 1213, 3101}
IN_ERROR = 3  # the status of a PostgreSQL transaction in which a statement failed
LONGEST = 2**53 - 1


class Recorder:
    """The file of one process. `initial` is what every key holds at first, `initial_of` what some keys hold instead."""

    def __init__(self, path, initial=None, initial_of=None, database=None):
        self.path = str(path).replace("{pid}", str(os.getpid()))
        self._pid = os.getpid()
        self._prefix = "%d-%s" % (self._pid, secrets.token_hex(3))
        self._lock = threading.Lock()
        self._sessions = _Sessions()
        self._broken = None
        self._under_way = set()  # the sessions that have a transaction in progress
        header = {"isolab": "history", "version": 2, "times": "nanoseconds", "initial": _atom(initial)}
        if initial_of:
            header["initialOf"] = [[_key(key), _atom(value)] for key, value in initial_of.items()]
        if database is not None:
            header["database"] = database
        header["recorded"] = {"by": "isolab_recorder.py", **_clock()}
        try:
            self._file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600)
        except FileExistsError:
            raise FileExistsError(
                "%s exists, but a recorder needs a new file; name another one, such as history-{pid}.jsonl"
                % self.path
            ) from None
        self._write(header)

    def existing(self, table, key, row):
        """A row that was there before the recording. Say so before it is read."""
        self._write({"rows": [[_table(table), _key(key), _row(row)]]})

    def begin(self, connection):
        """Begins a transaction of a connection, just before its first statement is sent."""
        self._insist_open()
        with self._lock:
            session = "%s.%d" % (self._prefix, self._sessions.number_of(connection))
            if session in self._under_way:
                raise RuntimeError("this connection has a transaction in progress; end it, or use another connection")
            self._under_way.add(session)
        return Transaction(self, session)

    @contextmanager
    def transaction(self, connection, begin=None):
        """Runs the block as one transaction of a DB-API connection.

        `begin` is the statement that begins it, for connections that commit each statement by themselves."""
        if begin is None and _commits_each_statement(connection):
            raise ValueError('this connection commits each statement by itself; pass begin="BEGIN" to transaction()')
        tx = self.begin(connection)
        try:
            if begin is not None:
                _execute(connection, begin)
            yield tx
            tx.committing()
        except BaseException:
            _roll_back(connection, begin)
            tx.aborted()
            raise
        has_failed = _has_failed(connection)
        try:
            if begin is None:
                connection.commit()
            else:
                _execute(connection, "COMMIT")
        except BaseException as error:
            if tx.commit_failed(error) == "aborted":
                _roll_back(connection, begin)
            raise
        # PostgreSQL answers ROLLBACK to a COMMIT after a statement that failed, and some drivers say nothing.
        if has_failed:
            tx.aborted()
        else:
            tx.committed()

    def close(self):
        """Ends the file. Without this, it is one that was cut off."""
        self._insist_open()
        if self._under_way:
            raise RuntimeError("%d transactions are in progress; end them before close()" % len(self._under_way))
        self._write({"isolab": "end"})
        with self._lock:
            os.close(self._file)
            self._broken = "it is closed"

    def _write(self, line):
        text = json.dumps(line, separators=(",", ":"), allow_nan=False)
        with self._lock:
            self._insist_open()
            data = (text + "\n").encode()
            try:
                while data:
                    data = data[os.write(self._file, data) :]
            except OSError as error:
                self._broken = str(error)  # nothing can follow half a line
                raise

    def _insist_open(self):
        if self._broken is not None:
            raise RuntimeError("%s cannot be written: %s" % (self.path, self._broken))
        if os.getpid() != self._pid:
            raise RuntimeError("this recorder was made before the process forked; make one in each process")

    def _ended(self, session):
        with self._lock:
            self._under_way.discard(session)


class Transaction:
    """What one transaction read and wrote, in its order, with the values that the application sees."""

    def __init__(self, recorder, session):
        self._recorder = recorder
        self._session = session
        self._operations = []
        self._state = "in progress"
        self._times = {"begin": time.monotonic_ns()}

    def read(self, key, value):
        """A read of a key: a text or whole number. None is no value."""
        self._add(["r", _key(key), _atom(value)])

    def write(self, key, value):
        self._add(["w", _key(key), _atom(value)])

    def read_row(self, table, key, row):
        """A read of a row by its primary key: its columns as a dict, None if there is no such row."""
        self._add(["get", _table(table), _key(key), _row(row)])

    def write_row(self, table, key, row):
        """The whole row after an INSERT or UPDATE; None after a DELETE."""
        self._add(["put", _table(table), _key(key), _row(row)])

    def committing(self):
        """Call this before COMMIT is sent; from now on the outcome is unknown until something says it."""
        self._insist("in progress")
        self._times["committing"] = time.monotonic_ns()
        self._line("unknown")
        self._state = "committing"

    def committed(self):
        self._insist("committing")
        self._end("committed")

    def aborted(self):
        """It certainly did not commit."""
        self._end("aborted")

    def unknown(self):
        """Its outcome will never be known."""
        if self._state == "in progress":
            self._line("unknown")
        self._over()

    def commit_failed(self, error):
        """What became of a COMMIT that failed: aborted if the database refused it, else unknown."""
        outcome = outcome_of_commit(error)
        if outcome == "aborted":
            self.aborted()
        else:
            self.unknown()
        return outcome

    def _add(self, operation):
        self._insist("in progress")
        # Where it reads first, the database has taken its snapshot now. A write may not have been sent yet.
        if not self._operations and operation[0] in ("r", "get"):
            self._times["begun"] = time.monotonic_ns()
        self._operations.append(operation)

    def _end(self, outcome):
        end = {"end": time.monotonic_ns()}
        try:
            if self._state == "in progress":
                self._times.update(end)
                self._line(outcome)
            elif self._state == "committing":
                self._recorder._write({"outcome": outcome, "session": self._session, **end})
        except (OSError, RuntimeError):
            pass  # the database has answered, which the application must hear; the file is one that was cut off
        self._over()

    def _line(self, status):
        line = {"session": self._session, "status": status, **self._times, "ops": self._operations}
        self._recorder._write(line)

    def _over(self):
        if self._state != "over":
            self._state = "over"
            self._recorder._ended(self._session)

    def _insist(self, state):
        if self._state != state:
            raise RuntimeError("this transaction is %s, not %s" % (self._state, state))


def outcome_of_commit(error):
    """What an error of COMMIT says: `aborted` where the database certainly refused it, else `unknown`."""
    state = getattr(error, "sqlstate", None) or getattr(error, "pgcode", None)
    if state is not None:
        return "aborted" if is_refusal(str(state)) else "unknown"
    module = type(error).__module__.split(".")[0]
    if module == "sqlite3":
        code = getattr(error, "sqlite_errorcode", None)  # since Python 3.11
        is_refused = "locked" in str(error) or "constraint" in str(error) if code is None else code & 255 in REFUSED_BY_SQLITE
        return "aborted" if is_refused else "unknown"
    number = error.args[0] if error.args else None
    return "aborted" if module in ("pymysql", "MySQLdb") and number in REFUSED_BY_MYSQL else "unknown"


def is_refusal(sqlstate):
    """Whether a SQLSTATE says that COMMIT was refused: a conflict or a constraint, or a statement had failed before."""
    return (sqlstate[:2] in ("23", "40") and sqlstate != "40003") or sqlstate == "25P02"


class _Sessions:
    """Numbers of connections. Where a connection cannot be told from a later one, that one has a new number."""

    MOST = 1000

    def __init__(self):
        self._weak = weakref.WeakKeyDictionary()
        self._kept = {}  # connections that take no weak reference, which are kept alive
        self._last = 0

    def number_of(self, connection):
        try:
            known = self._weak.get(connection)
        except TypeError:
            known = self._kept.get(id(connection), (None, None))[0]
        if known is not None:
            return known
        self._last += 1
        try:
            self._weak[connection] = self._last
        except TypeError:
            if len(self._kept) >= self.MOST:
                self._kept.clear()
            self._kept[id(connection)] = (self._last, connection)
        return self._last


def _clock():
    """Names the clock of this machine: files of several processes that name the same one can be put together with their times."""
    try:
        with open("/proc/sys/kernel/random/boot_id") as file:
            return {"clock": "%s %s" % (file.read().strip(), os.readlink("/proc/self/ns/time"))}
    except OSError:
        return {}


def _atom(value):
    if value is None or isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool)):
        return value
    raise TypeError("a value is %r; expected a text, a whole number or None" % (value,))


def _table(name):
    if isinstance(name, str) and name != "" and "/" not in name:
        return name
    raise TypeError('a table is named %r; expected a text without "/"' % (name,))


def _key(key):
    if isinstance(key, str) or (isinstance(key, int) and not isinstance(key, bool)):
        return key
    raise TypeError("a key is %r; expected a text or a whole number" % (key,))


def _row(row):
    if row is None:
        return None
    for column, value in row.items():
        if not isinstance(column, str) or column == "":
            raise TypeError("a column is named %r; expected a text" % (column,))
        if value is None or isinstance(value, (bool, str)):
            continue
        is_whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
        if isinstance(value, (int, float)) and (not is_whole or abs(value) <= LONGEST) and value - value == 0:
            continue
        raise TypeError(
            "column %s is %r; expected a text, a number of at most 53 bits, True, False or None. Convert it to a text, in the"
            " same way at every read and write" % (column, value)
        )
    return dict(row)


def _commits_each_statement(connection):
    if type(connection).__module__.split(".")[0] == "sqlite3":
        return connection.isolation_level is None and getattr(connection, "autocommit", -1) is not False
    autocommit = getattr(connection, "autocommit", None)
    if not isinstance(autocommit, (bool, int)):
        get = getattr(connection, "get_autocommit", None)
        autocommit = get() if get is not None else False
    return bool(autocommit)


def _has_failed(connection):
    info = getattr(connection, "info", None)
    return getattr(info, "transaction_status", None) == IN_ERROR


def _execute(connection, statement):
    cursor = connection.cursor()
    try:
        cursor.execute(statement)
    finally:
        cursor.close()


def _roll_back(connection, begin):
    """What is not committed is undone at the latest when the connection ends, so that errors do not matter."""
    try:
        if begin is None:
            connection.rollback()
        else:
            _execute(connection, "ROLLBACK")
    except Exception:
        pass
