"""Adds a comment with the caller's file, line and test to the statements of SQLAlchemy and Django.

`isolab record -- pytest` loads it as a plugin of pytest. Any other program loads it with `import isolab_callers`.
Answers stay the same.
"""

import os
import re
import sys
from urllib.parse import quote

_UNCHANGED = re.compile(r"\s*(begin|start|commit|end|rollback|abort|savepoint|release|set|show|copy)\b", re.I)
_LIBRARIES = re.compile(r"[\\/](site-packages|dist-packages|lib[\\/]python[\d.]+)[\\/]|^<")


def _caller():
    frame = sys._getframe(2)
    while frame is not None:
        name = frame.f_code.co_filename
        if name != __file__ and not _LIBRARIES.search(name):
            try:
                name = os.path.relpath(name)
            except ValueError:
                pass
            return name.replace(os.sep, "/"), frame.f_lineno
        frame = frame.f_back
    return None


def _commented(sql, framework):
    if not isinstance(sql, str) or "/*" in sql or _UNCHANGED.match(sql) or not sql.strip():
        return sql
    at = _caller()
    if at is None:
        return sql
    facts = {"file": at[0], "framework": framework, "line": str(at[1])}
    test = os.environ.get("PYTEST_CURRENT_TEST")
    if test is not None:
        facts["test"] = test.rsplit(" ", 1)[0].rsplit("::", 1)[-1]
    # Drivers of Python read a percent sign as a parameter.
    pairs = (f"{key}='{quote(value, safe=' /:.,-_[]').replace('%', '_')}'" for key, value in facts.items())
    return f"{sql}\n/*{','.join(pairs)}*/"


def _sqlalchemy():
    from sqlalchemy import event
    from sqlalchemy.engine import Engine

    @event.listens_for(Engine, "before_cursor_execute", retval=True)
    def comment(connection, cursor, statement, parameters, context, many):
        return _commented(statement, "sqlalchemy"), parameters


def _django():
    from django.db.backends.signals import connection_created

    def comment(execute, sql, params, many, context):
        return execute(_commented(sql, "django"), params, many, context)

    def connected(sender, connection, **_):
        if comment not in connection.execute_wrappers:
            connection.execute_wrappers.append(comment)

    connection_created.connect(connected, weak=False)


for _framework in (_sqlalchemy, _django):
    try:
        _framework()
    except ImportError:
        pass
