import {
  type History,
  type IdColumn,
  type KeyId,
  OpKind,
  TxnStatus,
  UNKNOWN_VALUE,
  transactionOfOperations,
} from '@isolab/history';
import type { LevelDefinition } from '@isolab/levels';
import { eachOf, type Fields, inside, integerOf, listOf, objectOf, refuse } from '../verdict/flaw.ts';
import type { RawFacts } from '../facts/raw-facts.ts';
import { verifyAxioms } from './evaluate.ts';
import { HistoriesOfKeys, type HistoryOfKey } from './one-key.ts';
import { refusePredicates } from './predicates.ts';
import { keysUsed } from './used.ts';
import { readWorld } from './world.ts';
import { lowerBound } from '../facts/sorted.ts';

/**
 * Refuses unless the level's own axioms hold along one order, and the history of each key satisfies the other level
 * along a separate order.
 */
export function verifyEachKey(history: History, level: LevelDefinition, certificate: Fields): void {
  if (certificate['kind'] !== 'each-key')
    refuse(`the certificate is not of kind "each-key", but ${level.name} is judged key by key`);
  refusePredicates(history);
  const { happened } = inside(
    () => 'the order for all keys',
    () => verifyAxioms(readWorld(history, level, objectOf(certificate['all'], 'it')), level),
  );
  const txnOf = transactionOfOperations(history);
  const histories = new HistoriesOfKeys(history, txnOf);
  const missing = new Set(keysUsed({ history, happened, txnOf }));
  const nameEntry = (number: number): string => `entry ${number} of the keys`;
  eachOf(certificate['keys'], 'the list of keys', nameEntry, (data) => {
    const pair = listOf(data, 'it');
    const key = integerOf(pair[0], 0, history.keyInitial.length, 'the key');
    if (!missing.delete(key)) refuse(`key ${key} is listed twice, or no transaction uses it`);
    verifyKey(histories.of(key), happened, level.eachKeySatisfies!, objectOf(pair[1], 'the order'));
  });
  for (const key of missing) refuse(`the keys leave out key ${key}`);
}

function verifyKey(
  { history, txns, ops }: HistoryOfKey,
  happened: Uint8Array,
  level: LevelDefinition,
  certificate: Fields,
): void {
  const world = readWorld(history, level, inNumbersOf(txns, ops, certificate));
  txns.forEach((t, at) => {
    if (world.happened[at] !== happened[t])
      refuse(`it and the order for all keys disagree on whether transaction ${t} happened`);
  });
  verifyAxioms(world, level);
}

/** Renumbers an order as in the history of a key, where the key is number 0. */
function inNumbersOf(txns: Int32Array, ops: Int32Array, certificate: Fields): Fields {
  const among = (all: Int32Array, data: unknown, what: string): number => {
    const wanted = integerOf(data, 0, Infinity, what);
    const at = lowerBound(all, 0, all.length, wanted);
    return at < all.length && all[at] === wanted ? at : refuse(`${what} is ${wanted}, which does not use the key`);
  };
  const txn = (data: unknown): number => among(txns, data, 'a transaction');
  const event = (data: unknown): number => {
    const number = integerOf(data, 0, Infinity, 'an event');
    return 2 * txn(number >> 1) + (number % 2);
  };
  const list = (name: string, map: (item: unknown) => unknown) =>
    certificate[name] === undefined ? {} : { [name]: listOf(certificate[name], `the list ${name}`).map(map) };
  return {
    kind: certificate['kind'],
    ...list('order', txn),
    ...list('events', event),
    ...list('happened', txn),
    ...list('orders', (data) => {
      const [, writers] = listOf(data, 'an order');
      return [0, listOf(writers, 'the writers').map(txn)];
    }),
    ...list('sources', (data) => {
      const [read, writer] = listOf(data, 'a source');
      return [among(ops, read, 'a read'), integerOf(writer, -2, Infinity, 'a writer') < 0 ? writer : txn(writer)];
    }),
  };
}

/**
 * The history with the facts of one key in its original numbers. Results of all other operations are treated as
 * unknown.
 */
export function historyWithOnly(history: History, key: KeyId): History {
  const { txnStart, txnStatus, opKey, opKind, opValue } = history;
  const uses = (t: number): boolean => opKey.subarray(txnStart[t], txnStart[t + 1]).includes(key);
  return {
    ...history,
    txnStatus: txnStatus.map((status, t) => (uses(t) ? status : TxnStatus.Aborted)),
    opKind: opKind.map((kind, op) => (opKey[op] === key ? kind : OpKind.Read)),
    opValue: opValue.map((value, op) => (opKey[op] === key ? value : UNKNOWN_VALUE)),
    opKey: opKey.map(() => key) as IdColumn<KeyId>,
  };
}

/** The facts of a single key, where the transactions that certainly happened in the whole history count as happened. */
export const happenedIn = (ofKey: RawFacts, whole: RawFacts): RawFacts => ({
  ...ofKey,
  happened: ofKey.mayHaveHappened.map((may, t) => may & whole.happened[t]),
});
