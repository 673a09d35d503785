import type { History, PlainOperation } from '@isolab/history';
import { historyOf } from './build.ts';

export interface ExhaustiveBounds {
  /** Maximum numbers; each minimum is one. */
  readonly sessions: number;
  readonly transactions: number;
  readonly keys: number;
  readonly operations: number;
}

/**
 * Generates all histories of committed transactions with unique values within the bounds, up to renaming of sessions,
 * keys and values. A read sees the initial value or any write to its key, including own and later writes.
 * First come the skeletons, histories whose reads have no results yet. A skeleton represents its class if none of its
 * renamings is smaller. Then the reads are filled in. Only if a renaming leaves the skeleton unchanged can its fillings
 * be renamings of one another, and only the smallest of these is kept. Of every `every` histories, one is built.
 */
export function* exhaustiveHistories(bounds: ExhaustiveBounds, every = 1): Generator<History> {
  let number = 0;
  for (const skeleton of skeletons(bounds)) {
    for (const sources of fillings(skeleton)) if (number++ % every === 0) yield build(skeleton, sources);
  }
}

export function countExhaustive(bounds: ExhaustiveBounds): number {
  let count = 0;
  for (const skeleton of skeletons(bounds)) {
    for (const _ of fillings(skeleton)) count++;
  }
  return count;
}

/**
 * An operation is twice its key, plus 1 for a write. A transaction is a list of operations, a session a list of
 * transactions, and a skeleton a list of sessions.
 */
type Txn = readonly number[];
type Session = readonly Txn[];
type Skeleton = readonly Session[];

const isWrite = (op: number): boolean => (op & 1) === 1;
const keyOf = (op: number): number => op >> 1;

function* skeletons({ sessions, transactions, keys, operations }: ExhaustiveBounds): Generator<Skeleton> {
  const kinds = Array.from({ length: 2 * keys }, (_, op) => op);
  const txns: Txn[] = [];
  let longest: Txn[] = [[]];
  for (let length = 1; length <= operations; length++) {
    longest = longest.flatMap((txn) => kinds.map((op) => [...txn, op]));
    txns.push(...longest);
  }
  const renamings = permutations(Array.from({ length: keys }, (_, key) => key));
  for (let count = 1; count <= transactions; count++) {
    for (const lengths of partitions(count, sessions, count)) {
      for (const skeleton of arrangements(lengths, txns)) {
        const text = String(skeleton.map(sessionText));
        if (renamings.every((renaming) => String(renamed(skeleton, renaming).map(sessionText)) >= text)) yield skeleton;
      }
    }
  }
}

/** The ways to divide a number of transactions among at most `parts` sessions, long sessions first. */
function* partitions(count: number, parts: number, largest: number): Generator<number[]> {
  if (count === 0) yield [];
  if (count === 0 || parts === 0) return;
  for (let first = Math.min(count, largest); first >= 1; first--) {
    for (const rest of partitions(count - first, parts - 1, first)) yield [first, ...rest];
  }
}

/** All skeletons with sessions of these lengths. Sessions of equal length are in ascending order. */
function* arrangements(lengths: readonly number[], txns: readonly Txn[], previous: Session = []): Generator<Skeleton> {
  const [length, ...rest] = lengths;
  if (length === undefined) {
    yield [];
    return;
  }
  for (const session of sequences(length, txns)) {
    if (previous.length === length && sessionText(session) < sessionText(previous)) continue;
    for (const others of arrangements(rest, txns, session)) yield [session, ...others];
  }
}

function* sequences(length: number, txns: readonly Txn[]): Generator<Session> {
  if (length === 0) {
    yield [];
    return;
  }
  for (const first of txns) for (const rest of sequences(length - 1, txns)) yield [first, ...rest];
}

const sessionText = (session: Session): string => session.map((txn) => txn.join('')).join('|');

const renameKeys = (session: Session, renaming: readonly number[]): Session =>
  session.map((txn) => txn.map((op) => 2 * renaming[keyOf(op)]! + (op & 1)));

function renamed(skeleton: Skeleton, renaming: readonly number[]): Skeleton {
  return skeleton
    .map((session) => renameKeys(session, renaming))
    .toSorted((a, b) => b.length - a.length || (sessionText(a) < sessionText(b) ? -1 : 1));
}

/** Operation that every read sees, in the order of the skeleton; -1 for the initial state. */
function* fillings(skeleton: Skeleton): Generator<readonly number[]> {
  const ops = skeleton.flat(2);
  const reads = ops.flatMap((op, i) => (isWrite(op) ? [] : [i]));
  const choices = reads.map((i) => [
    -1,
    ...ops.flatMap((op, w) => (isWrite(op) && keyOf(op) === keyOf(ops[i]!) ? [w] : [])),
  ]);
  const symmetries = automorphisms(skeleton);
  const sources = reads.map(() => 0);
  for (;;) {
    const filling = sources.map((choice, r) => choices[r]![choice]!);
    if (symmetries.every((to) => compare(image(filling, reads, to), filling) >= 0)) yield filling;
    let r = 0;
    while (r < reads.length && ++sources[r]! === choices[r]!.length) sources[r++] = 0;
    if (r === reads.length) return;
  }
}

/** The renamings that leave a skeleton unchanged, as maps of its operations, without the identity. */
function automorphisms(skeleton: Skeleton): number[][] {
  const numKeys = 1 + Math.max(...skeleton.flat(2).map(keyOf));
  const starts: number[] = [];
  let ops = 0;
  for (const session of skeleton) {
    starts.push(ops);
    ops += session.flat().length;
  }
  const found: number[][] = [];
  for (const renaming of permutations(Array.from({ length: numKeys }, (_, key) => key))) {
    const texts = skeleton.map((session) => sessionText(renameKeys(session, renaming)));
    for (const order of permutations(skeleton.map((_, s) => s))) {
      if (!order.every((to, s) => texts[s] === sessionText(skeleton[to]!))) continue;
      const map = order.flatMap((to, s) => skeleton[s]!.flat().map((_, i) => starts[to]! + i));
      if (map.some((to, op) => to !== op)) found.push(map);
    }
  }
  return found;
}

function image(filling: readonly number[], reads: readonly number[], to: readonly number[]): number[] {
  const moved: number[] = [];
  for (const [r, source] of filling.entries()) moved[reads.indexOf(to[reads[r]!]!)] = source < 0 ? -1 : to[source]!;
  return moved;
}

function compare(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return a[i]! - b[i]!;
  return 0;
}

function build(skeleton: Skeleton, sources: readonly number[]): History {
  const ops = skeleton.flat(2);
  const count = new Map<number, number>();
  const values = ops.map((op) => {
    if (!isWrite(op)) return 0;
    count.set(keyOf(op), (count.get(keyOf(op)) ?? 0) + 1);
    return count.get(keyOf(op))!;
  });
  let at = 0;
  let read = 0;
  const operationOf = (op: number): PlainOperation => {
    const key = 'xyzuvw'[keyOf(op)]!;
    const own = values[at++]!;
    if (isWrite(op)) return { kind: 'write', key, value: BigInt(own) };
    const source = sources[read++]!;
    return { kind: 'read', key, value: source < 0 ? 0n : BigInt(values[source]!) };
  };
  return historyOf(
    skeleton.map((session) =>
      session.map((txn) => ({ status: 'committed' as const, operations: txn.map(operationOf) })),
    ),
  );
}

const permutations = <T>(items: readonly T[]): T[][] =>
  items.length === 0
    ? [[]]
    : items.flatMap((item, i) => permutations(items.toSpliced(i, 1)).map((rest) => [item, ...rest]));
