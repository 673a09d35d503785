import { type History, NO_TIME, TxnStatus } from '@isolab/history';

/** Whether it is known when a transaction returned. One of unknown outcome never did: it may take effect at any time. */
export const returned = ({ txnStatus, txnEnd }: History, t: number): boolean =>
  txnEnd !== null && txnStatus[t] === TxnStatus.Committed && txnEnd[t] !== NO_TIME;

/** A time before which a transaction surely did not commit: its end, or if that was never learned its begin. */
export function commitsAfter(history: History, t: number): bigint {
  const { txnBegin, txnEnd } = history;
  if (returned(history, t)) return txnEnd![t];
  return txnBegin === null ? NO_TIME : txnBegin[t];
}
