import {
  type History,
  type IdColumn,
  OpKind,
  Outcome,
  ReadFrom,
  type TransactionId,
  buildReadFrom,
  countKeys,
  countTransactions,
  listVersions,
  transactionOf,
} from '@isolab/history';
import { arbitraryHistory, h } from '@isolab/testkit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  INITIAL,
  NO_SOURCE,
  Relations,
  initialVersion,
  listAppendVersions,
  happenedIn,
  nodesInPlace,
  placeOfWriter,
  registerVersions,
  writesKey,
} from '../../src/relations/index.ts';
import { nodesAmong } from '../../src/relations/nodes.ts';

const registers = arbitraryHistory({
  sessions: 3,
  transactions: 7,
  aborted: true,
  unknown: true,
  repeatedValues: true,
});
const lists = arbitraryHistory({ sessions: 3, transactions: 7, aborted: true, unknown: true, lists: true });
const histories = fc.oneof(registers, lists);

/** Each way of numbering: all transactions that happened, some of those, and under their own numbers. */
function* numberings(history: History): Generator<Relations> {
  const index = buildReadFrom(history);
  const happened = Array.from(index.outcome.keys()).filter((t) => index.outcome[t] === Outcome.Happened);
  const some = happened.filter((t) => t % 3 !== 1);
  yield new Relations(history, index);
  yield new Relations(
    history,
    index,
    nodesAmong(Int32Array.from(some) as IdColumn<TransactionId>, countTransactions(history)),
  );
  yield new Relations(history, index, nodesInPlace(happenedIn(index.outcome)));
}

const check = (property: (relations: Relations) => void, arbitrary: fc.Arbitrary<History> = histories): void =>
  fc.assert(
    fc.property(arbitrary, (history) => {
      for (const relations of numberings(history)) property(relations);
    }),
    { numRuns: 150 },
  );

const nodesOf = ({ nodes }: Relations): number[] => Array.from(nodes.nodeOf).filter((node) => node >= 0);

const operationsOf = ({ history, nodes }: Relations, node: number): number[] => {
  const first = history.txnStart[nodes.txnOf[node]!]!;
  return Array.from({ length: history.txnStart[nodes.txnOf[node]! + 1]! - first }, (_, i) => first + i);
};

const nodeOfOp = ({ history, nodes }: Relations, op: number): number => nodes.nodeOf[transactionOf(history, op)]!;

const isWrite = ({ history }: Relations, op: number): boolean =>
  history.opKind[op] === OpKind.Write || history.opKind[op] === OpKind.Append;

const keysOf = ({ history }: Relations): number[] => Array.from({ length: countKeys(history) }, (_, key) => key);

const row = (column: Int32Array, start: Int32Array, i: number): number[] =>
  Array.from(column.subarray(start[i], start[i + 1]));

/** Source of an operation, by the definition. */
function sourceOf(relations: Relations, op: number): number {
  const { history, index } = relations;
  const node = nodeOfOp(relations, op);
  const from = index.readFrom[op]!;
  const isRead = history.opKind[op] === OpKind.Read || history.opKind[op] === OpKind.ListRead;
  if (!isRead || node < 0 || from < ReadFrom.Initial) return NO_SOURCE;
  if (from === ReadFrom.Initial) return INITIAL;
  const writer = nodeOfOp(relations, from);
  return writer < 0 || writer === node ? NO_SOURCE : writer;
}

/** Returns whether a read is external: it has a source, and its transaction has not written the register before. */
const isExternal = (relations: Relations, op: number): boolean =>
  sourceOf(relations, op) !== NO_SOURCE &&
  (relations.history.opKind[op] === OpKind.ListRead ||
    !operationsOf(relations, nodeOfOp(relations, op)).some(
      (other) =>
        other < op && isWrite(relations, other) && relations.history.opKey[other] === relations.history.opKey[op],
    ));

/** Last write of a node to a key, or −1. */
const lastWrite = (relations: Relations, node: number, key: number): number =>
  operationsOf(relations, node).findLast((op) => isWrite(relations, op) && relations.history.opKey[op] === key) ?? -1;

const writersOf = (relations: Relations, key: number): number[] =>
  nodesOf(relations).filter((node) => lastWrite(relations, node, key) >= 0);

describe('nodes', () => {
  test('nodes are the transactions that happened, in the order of the history', () => {
    const history = h`w(x,1) | r(y,5)
                      ! w(x,2)
                      ? w(y,5) | ? w(z,7)`;
    const { nodes } = new Relations(history, buildReadFrom(history));
    expect(Array.from(nodes.txnOf)).toEqual([0, 1, 3]);
    expect(Array.from(nodes.nodeOf)).toEqual([0, 1, -1, 2, -1]);
  });

  test('nodes have sessions, positions in them and neighbours', () => {
    check((relations) => {
      const { history, nodes, sessions, neighbours } = relations;
      const inSession = (node: number): number[] =>
        nodesOf(relations).filter(
          (other) => history.txnSession[nodes.txnOf[other]!] === history.txnSession[nodes.txnOf[node]!],
        );
      const seen = new Set(nodesOf(relations).map((node) => history.txnSession[nodes.txnOf[node]!]));
      expect(sessions.numSessions).toBe(seen.size);
      for (const node of nodesOf(relations)) {
        const session = inSession(node);
        const at = session.indexOf(node);
        expect(sessions.position[node]).toBe(at + 1);
        expect(sessions.session[node]).toBe([...seen].indexOf(history.txnSession[nodes.txnOf[node]!]!));
        expect(neighbours.previous[node]).toBe(session[at - 1] ?? -1);
        expect(neighbours.next[node]).toBe(session[at + 1] ?? -1);
      }
    });
  });

  test('nodes are those of their operations', () => {
    check((relations) => {
      const all = Array.from(relations.history.opKind.keys(), (op) => nodeOfOp(relations, op));
      expect(Array.from(relations.nodeOfOp)).toEqual(all);
    });
  });
});

describe('read relations', () => {
  test('read relations have the writer of each read', () => {
    check((relations) => {
      const all = Array.from(relations.history.opKind.keys(), (op) => sourceOf(relations, op));
      expect(Array.from(relations.source)).toEqual(all);
    });
  });

  test('read relations are rows, one for each reader, key and writer', () => {
    check((relations) => {
      const { reads, history } = relations;
      for (const node of nodesOf(relations)) {
        const external = operationsOf(relations, node).filter((op) => isExternal(relations, op));
        const name = (op: number): string => `${history.opKey[op]} from ${sourceOf(relations, op)}`;
        const expected = [...new Set(external.map(name))].map((one) => {
          const same = external.filter((op) => name(op) === one);
          return { one, first: same[0], last: same.at(-1) };
        });
        const found = row(Int32Array.from(reads.key.keys()), reads.start, node).map((i) => ({
          one: `${reads.key[i]} from ${reads.writer[i]}`,
          first: reads.first[i],
          last: reads.last[i],
        }));
        expect(found).toEqual(expected);
        for (let i = reads.start[node]!; i < reads.start[node + 1]!; i++) {
          expect(reads.reader[i]).toBe(node);
          const before = Array.from(reads.key.subarray(reads.start[node], i)).lastIndexOf(reads.key[i]!);
          expect(reads.sameKey[i]).toBe(before < 0 ? -1 : reads.start[node]! + before);
        }
      }
      expect(reads.start.at(-1)).toBe(reads.key.length);
    });
  });
});

describe('write relations', () => {
  test('write relations have the writers of each key, with their last writes', () => {
    check((relations) => {
      const { writers, lastWrites } = relations;
      for (const key of keysOf(relations)) {
        const expected = writersOf(relations, key);
        expect(row(writers.node, writers.start, key)).toEqual(expected);
        expect(row(lastWrites, writers.start, key)).toEqual(expected.map((node) => lastWrite(relations, node, key)));
        for (const node of nodesOf(relations)) {
          const at = expected.indexOf(node);
          expect(placeOfWriter(writers, key, node)).toBe(at < 0 ? -1 : writers.start[key]! + at);
          expect(writesKey(relations.writeSets, node, key)).toBe(at >= 0);
        }
      }
    });
  });

  test('write relations are rows, one for each node and key', () => {
    check((relations) => {
      const { writes, history } = relations;
      for (const node of nodesOf(relations)) {
        const all = operationsOf(relations, node).filter((op) => isWrite(relations, op));
        const keys = [...new Set(all.map((op) => history.opKey[op]!))];
        expect(row(writes.key, writes.start, node)).toEqual(keys);
        expect(row(writes.last, writes.start, node)).toEqual(keys.map((key) => lastWrite(relations, node, key)));
        expect(row(writes.node, writes.start, node)).toEqual(keys.map(() => node));
        for (const op of all) expect(writes.rowOf[op]).toBe(writes.start[node]! + keys.indexOf(history.opKey[op]!));
      }
    });
  });
});

describe('versions', () => {
  test('versions of registers are in the order of their writers', () => {
    check((relations) => {
      const versions = registerVersions(relations);
      for (const key of keysOf(relations)) {
        const nodes = writersOf(relations, key);
        expect(row(versions.writer, versions.keyStart, key)).toEqual(nodes);
        nodes.forEach((node, i) =>
          expect(readersAt(versions, versions.keyStart[key]! + i)).toEqual(readersOf(relations, key, node)),
        );
        expect(readersAt(versions, initialVersion(versions, key))).toEqual(readersOf(relations, key, INITIAL));
      }
    }, registers);
  });

  test('versions of lists are in the order of the longest list, then of their writers', () => {
    check((relations) => {
      const found = listVersions(relations.history, relations.index);
      if (found.conflicts.length > 0) return;
      const versions = listAppendVersions(relations, found);
      for (const key of keysOf(relations)) {
        const shown = longestList(relations, key);
        const unshown = writersOf(relations, key).filter((node) => !shown.includes(node));
        expect(row(versions.writer, versions.keyStart, key)).toEqual([...shown, ...unshown]);
        expect(versions.numOrdered[key]).toBe(shown.length);
      }
    }, lists);
  });

  test('versions of lists have the readers that see them last', () => {
    const history = h`a(x,1) a(x,2)
                      a(x,3)
                      r(x,[]) | r(x,[1 2])
                      r(x,[1 2 3]) r(x,[1 2])`;
    const relations = new Relations(history, buildReadFrom(history));
    const versions = listAppendVersions(relations, listVersions(history, relations.index));
    expect(Array.from(versions.writer)).toEqual([0, 1]);
    expect(Array.from(versions.write)).toEqual([1, 2]);
    expect(readersAt(versions, 0)).toEqual([
      [3, 4],
      [4, 6],
    ]);
    expect(readersAt(versions, 1)).toEqual([[4, 5]]);
    expect(readersAt(versions, initialVersion(versions, 0))).toEqual([[2, 3]]);
  });
});

/** Readers of a version, each with its first read of it. */
const readersAt = (versions: ReturnType<typeof registerVersions>, version: number): number[][] => {
  const { readerStart, reader, read } = versions;
  const reads = row(read, readerStart, version);
  return row(reader, readerStart, version).map((node, i) => [node, reads[i]!]);
};

const readersOf = (relations: Relations, key: number, writer: number): number[][] =>
  nodesOf(relations).flatMap((node) => {
    const read = operationsOf(relations, node).find(
      (op) => relations.history.opKey[op] === key && isExternal(relations, op) && sourceOf(relations, op) === writer,
    );
    if (read === undefined) return [];
    const isIntermediate = writer !== INITIAL && lastWrite(relations, writer, key) !== relations.index.readFrom[read];
    return isIntermediate ? [] : [[node, read]];
  });

/** Nodes that appended the elements of the longest list of a key, without those of its reader; each once. */
function longestList(relations: Relations, key: number): number[] {
  const { history, index, nodes } = relations;
  const { keyStart, numShown, txn } = listVersions(history, index);
  const shown = Array.from(txn.subarray(keyStart[key], keyStart[key]! + numShown[key]!));
  return [...new Set(shown.map((t) => (t < 0 ? -1 : nodes.nodeOf[t]!)).filter((node) => node >= 0))];
}
