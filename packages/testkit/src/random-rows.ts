import {
  type Atom,
  type PlainHistory,
  type PlainOperation,
  type Predicate,
  type Row,
  UNKNOWN,
  matches,
  rowName,
  textOfRow,
} from '@isolab/history';

/** What a random history of rows has beside scans, point reads and writes. */
export interface RowKind {
  /** Versions that several transactions write. */
  readonly repeated?: boolean;
  /** Transactions of unknown outcome, some of which did not happen. */
  readonly open?: boolean;
}

/**
 * A small history of one or two tables that nearly makes sense: transactions see the latest versions but for a few stale
 * ones; some versions were committed in another order than they were written; some rows are missing from scans.
 */
export function randomRows(random: () => number, kind: RowKind): PlainHistory {
  const int = (below: number): number => Math.floor(random() * below);
  const pick = <T>(items: readonly T[]): T => items[int(items.length)]!;
  const tables = ['a', 'b'].slice(0, random() < 0.8 ? 1 : 2);
  const names = tables.flatMap((table) =>
    Array.from({ length: 1 + int(3) }, (_, i) => rowName(table, i < 2 ? BigInt(i) : `r${i}`)),
  );
  const predicates = Array.from({ length: 1 + int(3) }, () => randomPredicate(random));
  let version = 0;
  const randomRow = (): Row | null => {
    if (random() < 0.25) return null;
    const columns = { id: random() < 0.5 ? 1 : null, x: random() < 0.15 ? null : int(3) };
    return kind.repeated ? columns : { ...columns, v: ++version };
  };
  const versions = new Map(names.map((name) => [name, [random() < 0.5 ? randomRow() : null]]));
  const initialOf = Array.from(versions, ([name, [row]]) => [name, atomOf(row!)] as const);
  const readShare = 0.3 + 0.5 * random();
  const timed = random() < 0.5;
  const staleness = random();
  const sessions = Array.from({ length: 1 + int(5) }, (_, s) => ({
    name: BigInt(s),
    transactions: [] as PlainHistory['sessions'][number]['transactions'][number][],
    end: 0,
  }));
  for (let k = 2 + int(6); k > 0; k--) {
    const session = sessions[int(sessions.length)]!;
    const known = new Map<string, Row | null>();
    const own = new Map<string, (Row | null)[]>();
    const see = (name: string): Row | null => {
      const mine = own.get(name);
      if (mine !== undefined && random() < 0.97) return mine.at(-1)!;
      const of = versions.get(name)!;
      const lag = random() < staleness ? int(3) : 0;
      const row = known.has(name) && random() < 0.95 ? known.get(name)! : of[Math.max(0, of.length - 1 - lag)]!;
      known.set(name, row);
      return row;
    };
    const scan = (): PlainOperation => {
      const table = pick(tables);
      const where = pick(predicates);
      const rows = names
        .filter((name) => name.startsWith(`${table}/`))
        .flatMap((name) => {
          const row = see(name);
          if (row === null || !matches(where, row) || random() < 0.02) return [];
          return [{ key: name, value: random() < 0.1 ? UNKNOWN : atomOf(row) }];
        });
      const counts = rows.length === 0 && random() < 0.2;
      return { kind: 'scan', table, where, rows, aggregate: counts ? { kind: 'count', result: 0 } : null };
    };
    const operations = Array.from({ length: 1 + int(4) }, (): PlainOperation => {
      if (random() < readShare) {
        if (random() < 0.6) return scan();
        const key = pick(names);
        return { kind: 'read', key, value: atomOf(see(key)) };
      }
      const key = pick(names);
      const row = randomRow();
      own.set(key, [...(own.get(key) ?? []), row]);
      return { kind: 'write', key, value: atomOf(row) };
    });
    const status = random() < 0.93 ? (kind.open && random() < 0.4 ? 'unknown' : 'committed') : 'aborted';
    for (const [name, written] of own) {
      if (status === 'unknown' && random() < 0.4) continue;
      if (status === 'aborted' && random() < 0.9) continue;
      const of = versions.get(name)!;
      of.splice(random() < 0.3 && of.length > 1 ? of.length - 1 : of.length, 0, ...written);
    }
    const begin = Math.max(session.end, 3 * session.transactions.length + int(8));
    const end = begin + 1 + int(8);
    session.end = end + int(2);
    const times = timed && random() < 0.95 ? { begin: BigInt(begin), end: BigInt(end) } : {};
    session.transactions.push({ status, operations, ...times });
  }
  return { tables, initialOf, sessions: sessions.map(({ name, transactions }) => ({ name, transactions })) };
}

const atomOf = (row: Row | null): Atom => (row === null ? null : textOfRow(row));

function randomPredicate(random: () => number, depth = 0): Predicate {
  const int = (below: number): number => Math.floor(random() * below);
  const nested = (): Predicate => randomPredicate(random, depth + 1);
  switch (int(depth < 2 ? 11 : 8)) {
    case 0:
      return true;
    case 1:
      return ['=', 'x', int(3)];
    case 2:
      return ['<>', 'x', int(3)];
    case 3:
      return [random() < 0.5 ? '<' : '<=', 'x', int(3)];
    case 4:
      return [random() < 0.5 ? '>' : '>=', 'x', int(3)];
    case 5:
      return ['between', 'x', int(3), int(3)];
    case 6:
      return random() < 0.5 ? ['in', 'x', [int(3), int(3)].slice(0, int(3))] : ['=', 'id', 1];
    case 7:
      return ['null', 'x'];
    case 8:
      return ['and', nested(), nested()];
    case 9:
      return ['or', nested(), nested()];
    default:
      return ['not', nested()];
  }
}
