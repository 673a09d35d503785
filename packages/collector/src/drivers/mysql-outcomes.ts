import { type Outcomes, row } from './outcomes.ts';

/**
 * Error numbers, after MySQL's "Error Message Reference" and "InnoDB Error Handling", MariaDB's "Error Codes", Galera's
 * manual on certification, and TiDB's "Error Codes". Most errors undo only their statement: the transaction is undone by
 * the ROLLBACK that follows, or with its connection. The numbers from 2000 to 2999 are the client's own.
 */
export const MYSQL_OUTCOMES: Outcomes = {
  database: 'MySQL',
  keysOf: (code) => (/^2\d{3}$/.test(code) ? [code, '2…'] : [code]),
  rows: [
    row('1020', 'aborted', 'aborted', 'the record has changed since it was read (MariaDB’s snapshots)'),
    row('1021', 'failed', 'unknown', 'the disk is full'),
    row('1040', 'lost', 'unknown', 'too many connections; reported as such at the first connection'),
    row('1041', 'failed', 'unknown', 'out of memory'),
    row('1047', 'lost', 'unknown', 'this node of Galera is not ready'),
    row('1053', 'lost', 'unknown', 'the server is shutting down'),
    row('1062', 'aborted', 'aborted', 'two sessions inserted the same key'),
    row('1114', 'failed', 'unknown', 'the table is full'),
    row('1152', 'lost', 'unknown', 'the connection was ended'),
    row('1158', 'lost', 'unknown', 'reading from the network failed'),
    row('1159', 'lost', 'unknown', 'reading from the network took too long'),
    row('1160', 'lost', 'unknown', 'writing to the network failed'),
    row('1161', 'lost', 'unknown', 'writing to the network took too long'),
    row('1180', 'failed', 'unknown', 'an error during COMMIT'),
    row('1184', 'lost', 'unknown', 'the connection was ended'),
    row('1203', 'lost', 'unknown', 'too many connections of this user; reported as such at the first connection'),
    row('1205', 'aborted', 'unknown', 'innodb_lock_wait_timeout: undoes only the statement by default'),
    row('1206', 'aborted', 'unknown', 'the lock table is full'),
    row('1213', 'aborted', 'aborted', 'deadlock, and at COMMIT a certification of Galera that failed'),
    row('1317', 'aborted', 'unknown', 'the query was interrupted'),
    row('1615', 'aborted', 'unknown', 'the prepared statement must be prepared again'),
    row('1637', 'aborted', 'unknown', 'too many transactions at once'),
    row('1927', 'lost', 'unknown', 'the connection was killed (MariaDB)'),
    row('1969', 'aborted', 'unknown', 'max_statement_time (MariaDB)'),
    row('3024', 'aborted', 'unknown', 'max_execution_time'),
    row('3101', 'aborted', 'aborted', 'Group Replication rolled it back at COMMIT'),
    row('3169', 'lost', 'unknown', 'the session was killed'),
    row('3572', 'aborted', 'unknown', 'a lock is not available'),
    row('4031', 'lost', 'unknown', 'the client was idle for too long'),
    row('8002', 'aborted', 'aborted', 'a write conflict (TiDB)'),
    row('8005', 'aborted', 'aborted', 'a write conflict (TiDB)'),
    row('8022', 'aborted', 'aborted', 'COMMIT failed and was rolled back (TiDB)'),
    row('8028', 'aborted', 'aborted', 'the schema changed, and the transaction was rolled back (TiDB)'),
    row('9001', 'lost', 'unknown', 'PD did not answer in time (TiDB)'),
    row('9002', 'lost', 'unknown', 'TiKV did not answer in time (TiDB)'),
    row('9005', 'lost', 'unknown', 'a region is not available (TiDB)'),
    row('9007', 'aborted', 'aborted', 'a write conflict (TiDB)'),
    row('2…', 'lost', 'unknown', 'the client found the connection gone'),
  ],
};
