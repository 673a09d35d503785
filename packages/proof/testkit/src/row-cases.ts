/** All histories of two writers of two rows and a scan or a sum of these rows, where every result is possible. */
import { type Atom, type History, type PlainOperation, fromPlain, rowName, textOfRow } from '@isolab/history';

/** Amounts of the versions of both rows: by the first writer and by the second. Every sum has only one explanation. */
const AMOUNTS = [
  [1, 2],
  [4, 8],
] as const;

/** Two writers of one or both rows, in one session or in two, and a scan or a sum that sees some version of each row. */
export interface RowCase {
  readonly isOneSession: boolean;
  /** Change of each row by each writer: an amount, a delete, or none. */
  readonly writes: readonly (readonly ('amount' | 'delete' | null)[])[];
  /** Writer of the version of each row that the scan saw, or null. */
  readonly seen: readonly (0 | 1 | null)[];
  readonly isSum: boolean;
  /** States that the reader reads the first row of the second writer before the scan. */
  readonly isLater: boolean;
}

export function* rowCases(): Generator<RowCase> {
  const changes = ['amount', 'delete', null] as const;
  for (const isOneSession of [true, false])
    for (const isSum of [true, false])
      for (const a of changes)
        for (const b of changes)
          for (const c of changes)
            for (const d of changes)
              for (const x of [0, 1, null] as const)
                for (const y of [0, 1, null] as const) {
                  const writes = [
                    [a, b],
                    [c, d],
                  ];
                  const seen = [x, y];
                  const isThere = seen.every((writer, row) => writer === null || writes[writer]![row] === 'amount');
                  if (!isThere) continue;
                  yield { isOneSession, writes, seen, isSum, isLater: false };
                  if (c === 'amount') yield { isOneSession, writes, seen, isSum, isLater: true };
                }
}

const version = (writer: number, row: number): Atom => textOfRow({ v: AMOUNTS[writer]![row]! });

/** Returns the history of a case. If reversed, the rows have names in the opposite order, as has the scan's result. */
export function historyOfRowCase({ isOneSession, writes, seen, isSum, isLater }: RowCase, isReversed = false): History {
  const key = (row: number): Atom => rowName('t', BigInt(isReversed ? 9 - row : row));
  const writers = writes.map((changes, writer) =>
    changes.flatMap((change, row): PlainOperation[] =>
      change === null
        ? []
        : [{ kind: 'write', key: key(row), value: change === 'amount' ? version(writer, row) : null }],
    ),
  );
  const present = seen.flatMap((writer, row) => (writer === null ? [] : [{ writer, row }]));
  const rows = present.map(({ writer, row }) => ({ key: key(row), value: version(writer, row) }));
  const result = present.reduce((sum, { writer, row }) => sum + AMOUNTS[writer]![row]!, 0);
  const scan: PlainOperation = {
    kind: 'scan',
    table: 't',
    where: true,
    rows: isSum ? [] : isReversed ? rows.toReversed() : rows,
    aggregate: isSum ? { kind: 'sum', column: 'v', result: rows.length === 0 ? null : result } : null,
  };
  const reader: PlainOperation[] = [
    ...(isLater ? [{ kind: 'read' as const, key: key(0), value: version(1, 0) }] : []),
    scan,
  ];
  const sessions = isOneSession ? [writers, [reader]] : [...writers.map((one) => [one]), [reader]];
  return fromPlain({
    sessions: sessions.map((transactions, name) => ({
      name: BigInt(name),
      transactions: transactions.map((operations) => ({ status: 'committed', operations })),
    })),
  });
}
