import { type PlainHistory, type PlainOperation, type Predicate, rowName, textOfRow } from '@isolab/history';

const TABLE = 't';

/**
 * Generates one transaction that asks about the same three rows several times, mostly for their sum, beside another
 * transaction that writes them. Most histories satisfy no level but cut isolation, where a sum may leave out any row.
 */
export function randomSums(random: () => number): PlainHistory {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
  const number = (): number => pick([1, 2, 3, 5]);
  const where = (): Predicate => pick<Predicate>([true, true, true, ['=', 'x', 1], ['>', 'x', 1], ['<', 'x', 3]]);
  const write = (): PlainOperation => {
    const id = pick([0, 1, 2]);
    const value = random() < 0.1 ? null : textOfRow({ id, x: number() });
    return { kind: 'write', key: rowName(TABLE, BigInt(id)), value };
  };
  const ask = (): PlainOperation => {
    const scan = { kind: 'scan', table: TABLE, where: where(), rows: [] } as const;
    if (random() < 0.2) return { ...scan, aggregate: null };
    const kind = pick(['sum', 'sum', 'sum', 'sum', 'count', 'min', 'max'] as const);
    if (kind === 'count') return { ...scan, aggregate: { kind, result: pick([0, 1, 2, 3]) } };
    const result = random() < 0.1 ? null : kind === 'sum' ? Math.floor(random() * 9) : number();
    return { ...scan, aggregate: { kind, column: 'x', result } };
  };
  const operations = (least: number, most: number, writes: number): PlainOperation[] =>
    Array.from({ length: least + Math.floor(random() * (most - least + 1)) }, () =>
      random() < writes ? write() : ask(),
    );
  const asks = { status: 'committed', operations: operations(2, 4, 0.2) } as const;
  const changes = { status: random() < 0.85 ? 'committed' : 'unknown', operations: operations(1, 3, 0.8) } as const;
  return {
    tables: [TABLE],
    initialOf: [0, 1, 2].map((id) => [
      rowName(TABLE, BigInt(id)),
      random() < 0.6 ? textOfRow({ id, x: number() }) : null,
    ]),
    sessions: [asks, changes].map((transaction, s) => ({ name: BigInt(s), transactions: [transaction] })),
  };
}
