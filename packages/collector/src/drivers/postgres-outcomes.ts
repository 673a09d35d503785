import { type Outcomes, row } from './outcomes.ts';

/**
 * SQLSTATEs, after appendix A of PostgreSQL's manual, "PostgreSQL Error Codes", and, for 40003, CockroachDB's "Common
 * Errors" (result is ambiguous). A code in full goes before its class, which is its first two characters.
 */
export const POSTGRES_OUTCOMES: Outcomes = {
  database: 'PostgreSQL',
  keysOf: (code) => [code, code.slice(0, 2)],
  rows: [
    row('08', 'lost', 'unknown', 'the connection failed'),
    row('23', 'failed', 'aborted', 'a constraint is violated, at COMMIT a deferred one'),
    row('23505', 'aborted', 'aborted', 'two sessions inserted the same key'),
    row('25P02', 'aborted', 'aborted', 'an earlier statement failed'),
    row('25P03', 'lost', 'unknown', 'idle_in_transaction_session_timeout, which ends the connection'),
    row('25P04', 'lost', 'unknown', 'transaction_timeout, which ends the connection'),
    row('40000', 'aborted', 'aborted', 'transaction rollback'),
    row('40001', 'aborted', 'aborted', 'serialization failure'),
    row('40002', 'aborted', 'aborted', 'integrity constraint violation at COMMIT'),
    row('40003', 'aborted', 'unknown', 'statement completion unknown: at COMMIT, perhaps committed'),
    row('40P01', 'aborted', 'aborted', 'deadlock'),
    row('53100', 'failed', 'unknown', 'the disk is full'),
    row('53200', 'aborted', 'unknown', 'out of memory, or of shared memory for locks: fewer sessions may help'),
    row('53300', 'lost', 'unknown', 'too many connections; reported as such at the first connection'),
    row('55P03', 'aborted', 'unknown', 'a lock is not available, or lock_timeout'),
    row('57014', 'aborted', 'unknown', 'canceled, such as by statement_timeout'),
    row('57P01', 'lost', 'unknown', 'the administrator ended the connection or the server'),
    row('57P02', 'lost', 'unknown', 'the server crashed'),
    row('57P03', 'lost', 'unknown', 'the server is starting up or shutting down'),
    row('57P04', 'lost', 'unknown', 'the database was dropped'),
    row('57P05', 'lost', 'unknown', 'idle_session_timeout'),
    row('58', 'failed', 'unknown', 'a system error, such as an I/O error'),
    row('72000', 'aborted', 'aborted', 'the snapshot is too old'),
    row('XX', 'failed', 'unknown', 'an internal error'),
  ],
};
