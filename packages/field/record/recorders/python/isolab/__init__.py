"""Records the transactions of an application, and checks the isolation level that its database kept.

`Recorder` writes a history without any other program. `check` and `verify` run the command of isolab.
"""

from isolab._command import CommandNotFound, IsolabError, Result, Verification, check, verify
from isolab._story import Story
from isolab_recorder import Recorder, Transaction, outcome_of_commit

__all__ = [
    "CommandNotFound",
    "IsolabError",
    "Recorder",
    "Result",
    "Story",
    "Transaction",
    "Verification",
    "check",
    "outcome_of_commit",
    "verify",
]
