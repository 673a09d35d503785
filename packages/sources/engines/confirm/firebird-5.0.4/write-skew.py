"""Lets two transactions at SNAPSHOT TABLE STABILITY each read the row that the other one changes: python write-skew.py
[early]. Exits with 1 if both commit. With `early`, the second one reads its row before the first one commits."""

import os
import sys
import tempfile
from pathlib import Path

import firebird.embedded

RUNTIME = Path(next(iter(firebird.embedded.__path__))) / "runtime"
FOLDER = tempfile.mkdtemp()
os.environ.update(FIREBIRD=str(RUNTIME), FIREBIRD_LOCK=FOLDER)

from firebird.driver import DatabaseError, Isolation, connect, create_database, driver_config, tpb

driver_config.fb_client_library.value = str(RUNTIME / "libfbclient.so.2")
PLACE = {"database": f"{FOLDER}/skew.fdb", "user": "SYSDBA"}
STABILITY = tpb(Isolation.SERIALIZABLE, lock_timeout=0)


def session():
    connection = connect(**PLACE)
    transaction = connection.transaction_manager(STABILITY)
    return transaction, transaction.cursor()


with create_database(**PLACE) as first:
    for table in ("t", "u", "w"):
        first.execute_immediate(f"CREATE TABLE {table} (a INTEGER)")
        first.commit()
        first.execute_immediate(f"INSERT INTO {table} VALUES (0)")
        first.commit()

one, one_cursor = session()
two, two_cursor = session()


def read(cursor, table):
    return cursor.execute(f"SELECT a FROM {table}").fetchone()[0]


try:
    one.begin()
    seen_by_one = read(one_cursor, "t")
    one_cursor.execute("UPDATE u SET a = 1")
    two.begin()
    seen_by_two = read(two_cursor, "u" if "early" in sys.argv else "w")
    one.commit()
    seen_by_two = read(two_cursor, "u")
    two_cursor.execute("UPDATE t SET a = 1")
    two.commit()
except DatabaseError as refusal:
    print("Firebird refuses:", str(refusal).splitlines()[0])
    os._exit(0)
print(f"Both committed. The first one read t = {seen_by_one}, the second one read u = {seen_by_two}; both changed the other.")
os._exit(1)
