import { type Outcomes, row } from './outcomes.ts';

/**
 * Labels of errors, after MongoDB's "Transactions in Applications" and the drivers' specification of transactions: at
 * COMMIT, TransientTransactionError is given only where the transaction did not commit. Then the codes of errors that
 * come without a label, after its "Error Codes".
 */
export const MONGODB_OUTCOMES: Outcomes = {
  database: 'MongoDB',
  keysOf: (codes) => codes.split(' '),
  rows: [
    row('UnknownTransactionCommitResult', 'lost', 'unknown', 'unknown whether it committed'),
    row('TransientTransactionError', 'aborted', 'aborted', 'it did not commit; try again'),
    row('50', 'aborted', 'unknown', 'maxTimeMS was exceeded'),
    row('64', 'lost', 'unknown', 'the write concern was not met'),
    row('112', 'aborted', 'unknown', 'a write conflict'),
    row('251', 'aborted', 'unknown', 'the transaction no longer exists: it aborted, or committed before'),
    row('11000', 'aborted', 'unknown', 'two sessions inserted the same key'),
    row('6', 'lost', 'unknown', 'the host is unreachable'),
    row('7', 'lost', 'unknown', 'the host was not found'),
    row('89', 'lost', 'unknown', 'the network took too long'),
    row('91', 'lost', 'unknown', 'the server is shutting down'),
    row('189', 'lost', 'unknown', 'the primary stepped down'),
    row('9001', 'lost', 'unknown', 'the connection failed'),
    row('10107', 'lost', 'unknown', 'this is not the primary'),
    row('11600', 'lost', 'unknown', 'the server is shutting down'),
    row('11602', 'lost', 'unknown', 'the primary changed'),
    row('13435', 'lost', 'unknown', 'this is not the primary'),
    row('MongoNetworkError', 'lost', 'unknown', 'the client found the connection gone'),
    row('MongoNetworkTimeoutError', 'lost', 'unknown', 'the server did not answer in time'),
    row('MongoServerSelectionError', 'lost', 'unknown', 'no server was found'),
    row('MongoNotConnectedError', 'lost', 'unknown', 'the client is closed'),
  ],
};
