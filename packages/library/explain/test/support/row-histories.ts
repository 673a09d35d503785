import {
  type History,
  type PlainOperation,
  type PlainTransaction,
  type Predicate,
  type Row,
  fromPlain,
  matches,
  rowName,
  textOfRow,
  toPlain,
} from '@isolab/history';
import * as fc from 'fast-check';

export type Known = Record<number, Row | null>;

export const put = (key: number, row: Row | null): PlainOperation => ({
  kind: 'write',
  key: rowName('t', BigInt(key)),
  value: row && textOfRow(row),
});
export const get = (key: number, row: Row | null): PlainOperation =>
  ({ ...put(key, row), kind: 'read' }) as PlainOperation;
export const scan = (where: Predicate, rows: Known): PlainOperation => ({
  kind: 'scan',
  table: 't',
  where,
  rows: Object.entries(rows).map(([key, row]) => ({ key: rowName('t', BigInt(key)), value: textOfRow(row!) })),
  aggregate: null,
});

/** A session for each transaction. */
export function historyOf(transactions: readonly (readonly PlainOperation[])[], initial: Known = {}): History {
  return fromPlain({
    sessions: transactions.map((operations, s) => ({
      name: BigInt(s),
      transactions: [{ status: 'committed', operations }],
    })),
    initialOf: Object.entries(initial).map(([key, row]) => [rowName('t', BigInt(key)), textOfRow(row!)]),
    tables: ['t'],
  });
}

export const IS_ON: Predicate = ['=', 'on', true];

const INITIAL: Row = { on: true, n: 99 };

/** A transaction as requested; its reads are chosen afterwards among the versions of others. */
interface Asked {
  readonly kind: 'get' | 'put' | 'delete' | 'scan';
  readonly row: number;
  readonly where: Predicate;
  /** Foreign versions that it sees of the first row and of the second one. */
  readonly sees: readonly [number, number];
}

const wheres: readonly Predicate[] = [IS_ON, ['and', ['=', 'on', true], ['>', 'n', 0]], true, ['<', 'n', 30]];
const asked: fc.Arbitrary<Asked> = fc.record({
  kind: fc.constantFrom('get', 'put', 'put', 'delete', 'scan', 'scan'),
  row: fc.constantFrom(0, 1),
  where: fc.constantFrom(...wheres),
  sees: fc.tuple(fc.nat(5), fc.nat(5)),
});
export const histories: fc.Arbitrary<History> = fc
  .array(fc.array(asked, { minLength: 1, maxLength: 3 }), { minLength: 2, maxLength: 3 })
  .map(historyAsked);

/** Versions are unique, and of other transactions only their last versions are seen. */
function historyAsked(transactions: readonly (readonly Asked[])[]): History {
  const written = (t: number, i: number): Row | null =>
    transactions[t]![i]!.kind === 'delete' ? null : { on: (t + i) % 2 === 0, n: 10 * t + i };
  const isWrite = ({ kind }: Asked): boolean => kind === 'put' || kind === 'delete';
  const lastOf = (t: number, row: number, end = Infinity): number =>
    transactions[t]!.findLastIndex((one, i) => i < end && isWrite(one) && one.row === row);
  const left = [0, 1].map((row) => [
    { t: -1, version: row === 0 ? INITIAL : null },
    ...transactions.flatMap((_, t) => (lastOf(t, row) < 0 ? [] : [{ t, version: written(t, lastOf(t, row)) }])),
  ]);
  return historyOf(
    transactions.map((own, t) =>
      own.map((one, i): PlainOperation => {
        const seen = (row: number): Row | null => {
          const mine = lastOf(t, row, i);
          const others = left[row]!.filter((by) => by.t !== t);
          return mine >= 0 ? written(t, mine) : others[one.sees[row]! % others.length]!.version;
        };
        if (isWrite(one)) return put(one.row + 1, written(t, i));
        if (one.kind === 'get') return get(one.row + 1, seen(one.row));
        const rows = [0, 1].flatMap((row) => {
          const version = seen(row);
          return version !== null && matches(one.where, version) ? [[row + 1, version] as const] : [];
        });
        return scan(one.where, Object.fromEntries(rows));
      }),
    ),
    { 1: INITIAL },
  );
}

/**
 * Returns whether two scans of one transaction disagree about which rows match: one of them sees another transaction
 * and the other does not, and a passed-over row shows one of the two. It knows nothing of the levels.
 */
export function twoScansDisagree(history: History): boolean {
  const txns = toPlain(history).sessions.flatMap(({ transactions }) => transactions);
  return txns.some((reader) => {
    const scans = reader.operations.filter((op) => op.kind === 'scan');
    return txns.some(
      (writer) =>
        writer !== reader &&
        scans.some((seeing) => scans.some((missing) => missing !== seeing && disagreeAbout(writer, seeing, missing))),
    );
  });
}

type Scan = Extract<PlainOperation, { kind: 'scan' }>;

function disagreeAbout({ operations }: PlainTransaction, seeing: Scan, missing: Scan): boolean {
  const left = new Map(operations.flatMap((op) => (op.kind === 'write' ? [[op.key, op.value] as const] : [])));
  const returnedBy = ({ rows }: Scan, key: unknown) => rows.find((row) => row.key === key);
  const wouldMatch = ({ where }: Scan, version: unknown): boolean =>
    typeof version === 'string' && matches(where, JSON.parse(version) as Row);
  const says = { sees: false, seesByMatch: false, misses: false, missesByMatch: false };
  for (const [key, version] of left) {
    const [seen, missed] = [returnedBy(seeing, key), returnedBy(missing, key)];
    says.sees ||= seen ? seen.value === version : !wouldMatch(seeing, version);
    says.seesByMatch ||= !seen && !wouldMatch(seeing, version);
    says.misses ||= missed ? missed.value !== version : wouldMatch(missing, version);
    says.missesByMatch ||= !missed && wouldMatch(missing, version);
  }
  return (says.sees && says.missesByMatch) || (says.seesByMatch && says.misses);
}
