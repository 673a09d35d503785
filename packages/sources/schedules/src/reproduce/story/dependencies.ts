import type { Key } from '@isolab/workloads';
import type { Story, StoryOperation } from './story.ts';

/** Position of an operation in a story: its transaction, and its index in the transaction. */
export interface Place {
  readonly txn: number;
  readonly op: number;
}

/**
 * Order of two statements that the replies of a violation show: a read follows the write that it saw (`wr`), a read
 * precedes the write that it missed (`rw`), and writes of a key have an order (`ww`), which may be a guess.
 */
export interface Dependency {
  readonly kind: 'wr' | 'ww' | 'rw';
  readonly from: Place;
  readonly to: Place;
  readonly key: Key;
}

interface Write extends Place {
  readonly key: Key;
  readonly value: number;
}

export function dependenciesOf(story: Story): Dependency[] {
  const writes = writesOf(story);
  const found: Dependency[] = [];
  for (const key of new Set(writes.map((write) => write.key))) {
    const own = writes.filter((write) => write.key === key);
    const order = versionOrder(story, own);
    for (const [i, write] of order.entries())
      if (i > 0) found.push({ kind: 'ww', from: order[i - 1]!, to: write, key });
    for (const read of readsOf(story, key)) found.push(...readDependencies(read, own, order));
  }
  return found.filter(({ from, to }) => from.txn !== to.txn);
}

/** Returns the dependencies of one read: on the writes that it saw, and on the writes that it missed. */
function readDependencies(read: Read, own: readonly Write[], order: readonly Write[]): Dependency[] {
  const { key } = read;
  const place = { txn: read.txn, op: read.op };
  const seen = own.filter(({ value }) => read.saw.includes(value));
  const last = Math.max(-1, ...seen.map((write) => order.indexOf(write)));
  const missed = order.filter((write, i) => i > last && !seen.includes(write));
  return [
    ...seen.map((write): Dependency => ({ kind: 'wr', from: write, to: place, key })),
    ...missed.map((write): Dependency => ({ kind: 'rw', from: place, to: write, key })),
  ];
}

interface Read extends Place {
  readonly key: Key;
  readonly saw: readonly number[];
}

function readsOf({ transactions }: Story, key: Key): Read[] {
  return transactions.flatMap(({ operations }, txn) =>
    operations.flatMap((operation, op) => {
      const saw = sawOf(operation, key);
      return saw === null ? [] : [{ txn, op, key, saw }];
    }),
  );
}

/**
 * Returns the values of a key in the reply to an operation; null if the operation did not read the key or its reply is
 * unknown.
 */
function sawOf({ asks, told }: StoryOperation, key: Key): readonly number[] | null {
  if (asks.kind === 'range') {
    if (typeof key !== 'number' || key < asks.low || key > asks.high || !Array.isArray(told)) return null;
    return told.flatMap((row) => (typeof row === 'object' && row.key === key ? [row.value] : []));
  }
  if (asks.key !== key || told === undefined) return null;
  switch (asks.kind) {
    case 'read':
      return told === null ? [] : [told as number];
    case 'read-list':
      return told as readonly number[];
    case 'compare-and-set':
      return told !== true ? null : asks.expected === null ? [] : [asks.expected];
    case 'insert':
    case 'delete':
      return (told as readonly { value: number }[]).map(({ value }) => value);
    default:
      return null;
  }
}

/** Lists the operations that create a version. A conditional write counts only if its condition held. */
function writesOf({ transactions }: Story): Write[] {
  return transactions.flatMap(({ operations }, txn) =>
    operations.flatMap((operation, op) => {
      const { asks } = operation;
      return leavesVersion(operation) && 'value' in asks ? [{ txn, op, key: asks.key, value: asks.value }] : [];
    }),
  );
}

function leavesVersion({ asks, told }: StoryOperation): boolean {
  switch (asks.kind) {
    case 'write':
    case 'append':
      return true;
    case 'compare-and-set':
      return told === true;
    case 'insert':
    case 'delete': {
      const [row] = told as readonly { dead: boolean }[];
      return (row !== undefined && !row.dead) === (asks.kind === 'delete');
    }
    default:
      return false;
  }
}

/**
 * Returns the writes of a key in the order in which they took effect, as far as known: the order in lists, then reads
 * before writes, then the order of one client, and finally the end times of transactions.
 */
function versionOrder(story: Story, writes: readonly Write[]): Write[] {
  const committed = writes.filter(({ txn }) => story.transactions[txn]!.ends === 'commit');
  const precedes = (a: Write, b: Write): boolean =>
    (a.txn === b.txn && a.op < b.op) || sameTerminal(story, a, b) || wasRead(story, a, b) || inList(story, a, b);
  const left = committed.toSorted((a, b) => endOf(story, a) - endOf(story, b) || a.txn - b.txn || a.op - b.op);
  const order: Write[] = [];
  while (left.length > 0) {
    const free = left.findIndex((write) => !left.some((other) => other !== write && precedes(other, write)));
    order.push(...left.splice(Math.max(0, free), 1)); // some violations contain a cycle
  }
  return order;
}

const sameTerminal = ({ transactions }: Story, a: Write, b: Write): boolean =>
  a.txn < b.txn && transactions[a.txn]!.terminal === transactions[b.txn]!.terminal;

/** Returns whether the transaction of `b` read the version of `a` before its own write. */
function wasRead({ transactions }: Story, a: Write, b: Write): boolean {
  if (a.txn === b.txn) return false;
  return transactions[b.txn]!.operations.some(
    (operation, op) => op <= b.op && sawOf(operation, b.key)?.at(-1) === a.value,
  );
}

/** Returns whether some list contains `a` with `b` after it or without `b`. */
function inList({ transactions }: Story, a: Write, b: Write): boolean {
  const lists = transactions.flatMap(({ operations }) =>
    operations.flatMap((one) => (one.asks.kind === 'read-list' ? [sawOf(one, a.key) ?? []] : [])),
  );
  const before = lists.some(
    (list) => list.includes(a.value) && list.includes(b.value) && list.indexOf(a.value) < list.indexOf(b.value),
  );
  return before || (lists.some((list) => list.includes(a.value)) && !lists.some((list) => list.includes(b.value)));
}

const endOf = ({ transactions }: Story, { txn }: Write): number => Number(transactions[txn]!.end ?? 0n);
