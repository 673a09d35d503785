import {
  type History,
  findMisusedRow,
  foldInitialTransaction,
  showOperation,
  transactionOf,
  whyNotInitial,
} from '@isolab/history';
import { unexpected } from '../files/errors.ts';

/** Refuses rows of tables as keys of operations on other keys, which only the whole history shows. */
export function refuseMisusedRows(history: History, file: string): void {
  const op = findMisusedRow(history);
  if (op < 0) return;
  const place = `${history.source.unit} ${history.txnPosition[transactionOf(history, op)]!}`;
  throw unexpected(file, place, showOperation(history, op), 'rows of tables only in get, put and scan');
}

/** Makes the first transaction of the file the initial state; its session is −1 if the file has no transaction. */
export function withoutInitialTransaction(
  history: History,
  file: string,
  { session, line }: { readonly session: number; readonly line: number },
): History {
  const expected = 'an initial transaction that commits and only writes, as the header states';
  if (session < 0) throw unexpected(file, null, 'no transaction', expected);
  const first = history.sessionStart[session]!;
  const found = whyNotInitial(history, first);
  if (found !== null) throw unexpected(file, `line ${line}`, found, expected);
  return foldInitialTransaction(history, first).history;
}
