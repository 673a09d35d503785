import { EMPTY_LIST, type History, OpKind, UNKNOWN_LIST, UNKNOWN_VALUE, countKeys, countValues } from '@isolab/history';
import { refuse } from './verdict/flaw.ts';
import { refuseAnomalousRead } from './facts/internal.ts';
import { BLIND, completersOfLists, holdsLists, listOfOthers, ownWrites } from './facts/list-tree.ts';
import type { CommitOrder } from './facts/orders.ts';
import { NOT_FROM_ANOTHER, factsGiven, readsFrom } from './facts/raw-facts.ts';
import { type Rules, readsRepeat } from './facts/rules.ts';
import { NOT_STATED, statedSources } from './facts/stated-sources.ts';
import { writersInOrder } from './facts/last-writes.ts';

/** Writers that reads saw, for the levels at which a read need not see the latest writer before the reader. */
export interface Reads {
  readonly history: History;
  /** 1 for every listed transaction. */
  readonly happened: Uint8Array;
  /** Transaction that every operation reads from, the initial transaction (−1), or NOT_FROM_ANOTHER. */
  readonly from: Int32Array;
}

/**
 * Checks reads along an order. Register reads identify the writer by value, or by the certificate if ambiguous. A list
 * shows the appends up to the end of some transaction.
 */
export function readsAlong(history: History, rules: Rules, co: CommitOrder, sources: unknown): Reads {
  const happened = co.position.map((at) => (at < 0 ? 0 : 1));
  const reads = { history, happened: Uint8Array.from(happened), from: new Int32Array(history.opKind.length) };
  attributeRegisters(reads, rules, sources);
  if (holdsLists(history)) attributeLists(reads, rules, co);
  return reads;
}

/** Refuses reads that the level forbids in every order, and returns the sources of all other reads. */
function attributeRegisters({ history, happened, from }: Reads, rules: Rules, sources: unknown): void {
  const { txnStart, opKind, opKey, opValue, keyInitial } = history;
  const sole = soleWriters(history, happened);
  const repeat = readsRepeat(rules);
  let facts = sources === undefined ? null : factsGiven(history, happened); // built where a value is ambiguous
  const stated = facts === null ? null : statedSources(facts, sources);
  const writer = new Int32Array(countKeys(history)).fill(-1); // by key: the last transaction to write it,
  const written = new Int32Array(writer.length); // and the version
  const reader = new Int32Array(writer.length).fill(-1); // by key: the last transaction to read it from others,
  const latest = new Int32Array(writer.length); // and by which operation
  for (let t = 0; t < happened.length; t++) {
    for (let op = txnStart[t], end = txnStart[t + 1]; op < end; op++) {
      from[op] = NOT_FROM_ANOTHER;
      const key = opKey[op];
      const value = opValue[op];
      if (opKind[op] === OpKind.Write) {
        writer[key] = t;
        written[key] = value;
      }
      if (opKind[op] !== OpKind.Read || value === UNKNOWN_VALUE || happened[t] === 0) continue;
      if (writer[key] === t) {
        if (value !== written[key])
          refuse(`operation ${op} of transaction ${t} does not see the write of its own transaction to its key`);
        continue;
      }
      const before = reader[key] === t ? latest[key] : -1;
      reader[key] = t;
      latest[key] = op;
      if (repeat && before >= 0 && opValue[before] !== value)
        refuse(`transaction ${t} reads key ${key} twice, but operation ${op} does not repeat the earlier result`);
      const isInitialValue = value === keyInitial[key];
      if (stated !== null && stated[op] !== NOT_STATED) from[op] = stated[op];
      else if (isInitialValue && sole.key[value] === NO_WRITER) from[op] = -1;
      else if (!isInitialValue && sole.key[value] === key && sole.txn[value] !== t) from[op] = sole.txn[value];
      else {
        facts ??= factsGiven(history, happened);
        refuseAnomalousRead(facts, t, op);
        from[op] = readsFrom(facts, op);
      }
      if (repeat && before >= 0 && from[before] !== from[op])
        refuse(
          `transaction ${t} reads key ${key} twice, and operations ${before} and ${op} do not see the same writer`,
        );
    }
  }
}

/**
 * The key and transaction of each value's only write, if it is a last write that happened; otherwise NO_WRITER or UNCLEAR.
 */
function soleWriters(history: History, happened: Uint8Array): { readonly key: Int32Array; readonly txn: Int32Array } {
  const { txnStart, opKind, opKey, opValue } = history;
  const key = new Int32Array(countValues(history)).fill(NO_WRITER);
  const txn = new Int32Array(key.length);
  const writer = new Int32Array(countKeys(history)).fill(-1); // by key: the last transaction to write it,
  const written = new Int32Array(writer.length); // and the version
  for (let t = 0; t < happened.length; t++) {
    for (let op = txnStart[t], end = txnStart[t + 1]; op < end; op++) {
      if (opKind[op] !== OpKind.Write) continue;
      const k = opKey[op];
      const value = opValue[op];
      key[value] = key[value] === NO_WRITER && happened[t] === 1 ? k : UNCLEAR;
      txn[value] = t;
      if (writer[k] === t) key[written[k]] = UNCLEAR; // overwritten by its own transaction
      writer[k] = t;
      written[k] = value;
    }
  }
  return { key, txn };
}

const NO_WRITER = -1;
const UNCLEAR = -2;

function attributeLists({ history, happened, from }: Reads, rules: Rules, { order, position }: CommitOrder): void {
  const { txnStart, opKind, opKey, opValue } = history;
  const ownWrite = ownWrites(history);
  const completer = completersOfLists(history, writersInOrder(history, happened, position));
  const repeat = readsRepeat(rules);
  const reader = new Int32Array(countKeys(history)).fill(-1); // by key: the last transaction to read it,
  const latest = new Int32Array(reader.length); // and the version that others had left
  for (let i = 0; i < order.length; i++) {
    const t = order[i];
    for (let op = txnStart[t], end = txnStart[t + 1]; op < end; op++) {
      if (opKind[op] !== OpKind.ListRead) continue;
      if (opValue[op] === UNKNOWN_LIST) continue;
      const key = opKey[op];
      const list = listOfOthers(history, ownWrite, op);
      if (list === BLIND)
        refuse(`operation ${op} of transaction ${t} does not end with the earlier appends of transaction ${t}`);
      if (repeat && reader[key] === t && latest[key] !== list)
        refuse(`transaction ${t} reads key ${key} twice, but operation ${op} does not show the same appends of others`);
      reader[key] = t;
      latest[key] = list;
      from[op] = list === EMPTY_LIST ? -1 : completer[list];
      if (list !== EMPTY_LIST && (from[op] < 0 || from[op] === t))
        refuse(`operation ${op} of transaction ${t} sees a list that no other transaction completes in the order`);
    }
  }
}
