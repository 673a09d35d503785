import { type History, OpKind, type PlainOperation, type PlainTransaction, listElements } from '@isolab/history';
import { historyOf } from '@isolab/testkit';
import fc from 'fast-check';

export type Level = 'snapshot-isolation' | 'serializable';

export interface Draft {
  readonly session: number;
  readonly start: number;
  readonly length: number;
  readonly operations: readonly { readonly key: number; readonly isWrite: boolean; readonly luck: number }[];
}

export const drafts = (shortest: number): fc.Arbitrary<readonly Draft[]> =>
  fc.array(
    fc.record({
      session: fc.nat({ max: 2 }),
      start: fc.nat({ max: 12 }),
      length: fc.integer({ min: shortest, max: 6 }),
      operations: fc.array(fc.record({ key: fc.nat({ max: 1 }), isWrite: fc.boolean(), luck: fc.nat({ max: 30 }) }), {
        maxLength: 3,
      }),
    }),
    { maxLength: 6 },
  );

/** A history of registers or lists, in which most reads see the version that the timestamps imply. */
export function historyFrom(drawn: readonly Draft[], level: Level, isLists: boolean): History {
  const sorted = drawn.toSorted((a, b) => a.start - b.start);
  // Commits have times of their own where they are all the order that there is.
  const commitOf = (i: number): number =>
    level === 'serializable' ? 10 * (sorted[i]!.start + sorted[i]!.length) + i : sorted[i]!.start + sorted[i]!.length;
  const snapshotOf = (i: number): number => (level === 'serializable' ? commitOf(i) : sorted[i]!.start);
  const valueOf = (i: number, j: number): bigint => BigInt(10 * i + j + 1);
  const writesOf = (i: number, key: number, before = Infinity): bigint[] =>
    sorted[i]!.operations.flatMap((op, j) => (op.isWrite && op.key === key && j < before ? [valueOf(i, j)] : []));
  const seenBy = (i: number, key: number, before: number): bigint[] => {
    const others = sorted.flatMap((_, k) => (k !== i && commitOf(k) <= snapshotOf(i) ? [k] : []));
    const order = others.toSorted((a, b) => commitOf(a) - commitOf(b));
    return [...order.flatMap((k) => writesOf(k, key)), ...writesOf(i, key, before)];
  };
  const everything = (key: number): bigint[] => sorted.flatMap((_, k) => writesOf(k, key));
  const sessions: PlainTransaction[][] = [[], [], []];
  for (const [i, draft] of sorted.entries()) {
    const operations = draft.operations.map(({ key, isWrite, luck }, j): PlainOperation => {
      const at = BigInt(key);
      if (isWrite)
        return isLists
          ? { kind: 'append', key: at, value: valueOf(i, j) }
          : { kind: 'write', key: at, value: valueOf(i, j) };
      const right = seenBy(i, key, j);
      if (isLists) return { kind: 'list-read', key: at, elements: luck > 1 ? right : right.slice(0, -1) };
      const any = everything(key);
      const wrong = any[luck % Math.max(1, any.length)] ?? 0n;
      return { kind: 'read', key: at, value: luck > 1 ? (right.at(-1) ?? 0n) : wrong };
    });
    const time = {
      startTs: BigInt(level === 'serializable' ? 10 * draft.start : draft.start),
      commitTs: BigInt(commitOf(i)),
    };
    sessions[draft.session]!.push({ status: 'committed', operations, ...time });
  }
  return historyOf(sessions);
}

/** Returns whether two transactions commit at one time and one of them also starts then and writes. */
export function hasTies({ txnStart, txnStartTs, txnCommitTs, opKind }: History): boolean {
  const commits = [...(txnCommitTs ?? [])];
  return commits.some((commit, t) => {
    const kinds = opKind.subarray(txnStart[t], txnStart[t + 1]);
    const writes = kinds.includes(OpKind.Write) || kinds.includes(OpKind.Append);
    return writes && commit === txnStartTs![t] && commits.some((other, s) => s !== t && other === commit);
  });
}

/**
 * Checks Definitions 5 and 6 of the paper, transaction by transaction; returns the name of the first axiom that fails.
 */
export function naive(history: History, level: Level): boolean {
  const { txnStart, txnSession, txnStartTs, txnCommitTs, opKind, opKey, opValue, keyInitial, lists } = history;
  const txns = [...txnSession.keys()];
  const start = (t: number): bigint => txnStartTs![t]!;
  const commit = (t: number): bigint => txnCommitTs![t]!;
  const opsOf = (t: number): number[] =>
    Array.from({ length: txnStart[t + 1]! - txnStart[t]! }, (_, i) => txnStart[t]! + i);
  const writes = (t: number, key: number): number[] =>
    opsOf(t).filter((op) => opKey[op] === key && (opKind[op] === OpKind.Write || opKind[op] === OpKind.Append));
  const isSerial = level === 'serializable';
  const isVisible = (s: number, t: number): boolean =>
    (isSerial ? commit(s) < commit(t) : commit(s) <= start(t)) && s !== t;
  for (const t of txns) {
    for (const s of txns.filter((each) => each < t && txnSession[each] === txnSession[t]))
      if (!isVisible(s, t)) return false;
    const seen = txns.filter((s) => isVisible(s, t)).toSorted((a, b) => (commit(a) < commit(b) ? -1 : 1));
    for (const op of opsOf(t)) {
      const key = opKey[op]!;
      const found = [...seen.flatMap((s) => writes(s, key)), ...writes(t, key).filter((own) => own < op)];
      const values = found.map((write) => opValue[write]!);
      if (opKind[op] === OpKind.Read && opValue[op] !== (values.at(-1) ?? keyInitial[key])) return false;
      if (opKind[op] === OpKind.ListRead && [...listElements(lists, opValue[op]!)].join(' ') !== values.join(' '))
        return false;
    }
    if (isSerial) continue;
    for (const s of txns.filter((each) => each < t && !isVisible(each, t) && !isVisible(t, each)))
      if (opsOf(t).some((op) => writes(t, opKey[op]!).includes(op) && writes(s, opKey[op]!).length > 0)) return false;
  }
  return true;
}
