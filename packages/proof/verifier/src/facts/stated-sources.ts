import { OpKind, type OperationId, UNKNOWN_VALUE, countOperations, countTransactions } from '@isolab/history';
import { eachOf, integerOf, listOf, nameTxn, refuse } from '../verdict/flaw.ts';
import { isInitial, type RawFacts } from './raw-facts.ts';
import { lowerBound } from './sorted.ts';

/**
 * Writers that reads saw according to a certificate, by operation: a transaction, −1 for the initial transaction, −2
 * for no writer where the level allows it, or NOT_STATED. Refuses impossible reads and writers.
 */
export function statedSources(
  facts: RawFacts,
  data: unknown,
  mayBeUnexplained: ((read: OperationId) => boolean) | null = null,
): Int32Array {
  const { history } = facts;
  const stated = new Int32Array(countOperations(history)).fill(NOT_STATED);
  const lowest = mayBeUnexplained === null ? -1 : NO_WRITER;
  const nameSource = (number: number): string => `source ${number}`;
  eachOf(data, 'the list of sources', nameSource, (source) => {
    const pair = listOf(source, 'it');
    const read = integerOf(pair[0], 0, countOperations(history), 'the read');
    const writer = integerOf(pair[1], lowest, countTransactions(history), 'the writer');
    if (pair.length > 2) refuse('it has more than a read and a writer');
    if (stated[read] !== NOT_STATED) refuse(`operation ${read} already has a source`);
    refuseOwnRead(facts, read);
    const isPossible = writer === NO_WRITER ? mayBeUnexplained!(read) : mayHaveLeft(facts, read, writer);
    if (!isPossible) refuse(`operation ${read} cannot have seen ${nameTxn(writer)}`);
    stated[read] = writer;
  });
  return stated;
}

function refuseOwnRead({ history, txnOf, happened, ownWrite }: RawFacts, read: OperationId): void {
  if (history.opKind[read] !== OpKind.Read) refuse(`operation ${read} is not a read of a register`);
  if (history.opValue[read] === UNKNOWN_VALUE) refuse(`operation ${read} has an unknown result`);
  if (happened[txnOf[read]] === 0) refuse(`transaction ${txnOf[read]}, of operation ${read}, is not in the order`);
  if (ownWrite[read] >= 0) refuse(`operation ${read} comes after a write of its own transaction`);
}

/** Returns whether a listed transaction wrote the version that another transaction read. */
function mayHaveLeft({ history, txnOf, versions }: RawFacts, read: OperationId, writer: number): boolean {
  const [key, value] = [history.opKey[read], history.opValue[read]];
  if (writer < 0) return isInitial(history, key, value);
  if (writer === txnOf[read]) return false;
  const writes = versions.writesOf(key, value);
  const end = versions.countLast(writes);
  const at = lowerBound(writes, 0, end, history.txnStart[writer]);
  return at < end && txnOf[writes[at]] === writer;
}

const NO_WRITER = -2;
export const NOT_STATED = -3;
