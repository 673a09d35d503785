import { timesWithin } from './random-runs.ts';
import {
  type Atom,
  type PlainHistory,
  type PlainOperation,
  type PlainTransaction,
  type Predicate,
  type Row,
  AGGREGATES,
  type Aggregate,
  UNKNOWN,
  aggregateOf,
  matches,
  mayMatch,
  rowName,
  textOfRow,
} from '@isolab/history';

/** Optional features of a random history of rows, which always has scans, point reads and writes. */
export interface RowKind {
  /** Whether several transactions write equal versions. */
  readonly repeated?: boolean;
  /** Whether some transactions have an unknown outcome. Some of these did not happen. */
  readonly open?: boolean;
  /**
   * Whether half of the scans are aggregates, such as counts and sums. Aggregates of uncommitted transactions have
   * arbitrary results.
   */
  readonly aggregates?: boolean;
  /** Whether each transaction has a single operation. */
  readonly single?: boolean;
  /** Whether there are only few rows and sessions, with frequent reads and writes, some of them stale or partial. */
  readonly tight?: boolean;
  /** Maximum number of transactions; default: 7. */
  readonly transactions?: number;
}

/**
 * Generates a small, nearly consistent history of one or two tables. Transactions see the latest versions except for a
 * few stale versions, some versions were committed in another order than they were written, and some rows are missing
 * from scans.
 */
export function randomRows(random: () => number, kind: RowKind): PlainHistory {
  const run = new RowRun(random, kind);
  const most = kind.transactions ?? 7;
  for (let k = 2 + run.int(most - 1); k > 0; k--) run.addTransaction();
  return run.finish();
}

type Version = Row | null;

class RowRun {
  readonly #random: () => number;
  readonly #kind: RowKind;
  readonly #tables: string[];
  readonly #names: string[];
  readonly #predicates: Predicate[];
  readonly #versions: ReadonlyMap<string, Version[]>; // in commit order
  readonly #initialOf: (readonly [string, Atom])[];
  readonly #readShare: number;
  readonly #staleness: number;
  readonly #isTimed: boolean;
  readonly #sessions: { name: bigint; transactions: PlainTransaction[]; end: number }[];
  #version = 0;
  // Versions that the current transaction has seen and written.
  #known = new Map<string, Version>();
  #own = new Map<string, Version[]>();
  #status: PlainTransaction['status'] = 'committed';

  constructor(random: () => number, kind: RowKind) {
    this.#random = random;
    this.#kind = kind;
    this.#tables = ['a', 'b'].slice(0, kind.tight || random() < 0.8 ? 1 : 2);
    this.#names = this.#tables.flatMap((table) =>
      Array.from({ length: 1 + this.int(kind.tight ? 2 : 3) }, (_, i) => rowName(table, i < 2 ? BigInt(i) : `r${i}`)),
    );
    this.#predicates = Array.from({ length: 1 + this.int(3) }, () => randomPredicate(random));
    this.#versions = new Map(this.#names.map((name) => [name, [random() < 0.5 ? this.#content() : null]]));
    this.#initialOf = Array.from(this.#versions, ([name, [row]]) => [name, atomOf(row!)] as const);
    this.#readShare = 0.3 + 0.5 * random();
    this.#isTimed = random() < 0.5;
    this.#staleness = kind.tight ? 0.4 + 0.6 * random() : random();
    this.#sessions = Array.from({ length: 1 + this.int(kind.tight ? 2 : 5) }, (_, s) => ({
      name: BigInt(s),
      transactions: [],
      end: 0,
    }));
  }

  int(below: number): number {
    return Math.floor(this.#random() * below);
  }

  #pick<T>(items: readonly T[]): T {
    return items[this.int(items.length)]!;
  }

  #content(): Version {
    if (this.#random() < 0.25) return null;
    const columns = { id: this.#random() < 0.5 ? 1 : null, x: this.#number(), t: this.#pick([null, 'a', 'b']) };
    return this.#kind.repeated ? columns : { ...columns, v: ++this.#version };
  }

  #number(): number | null {
    const kind = this.#random();
    return kind < 0.15 ? null : kind < 0.9 ? this.int(3) : this.#pick([-1, 0.5]);
  }

  /**
   * Returns the version of a row that the transaction sees, nearly always its own version, a version that it saw
   * before, or the latest version.
   */
  #see(name: string): Version {
    const mine = this.#own.get(name);
    const { tight } = this.#kind;
    if (mine !== undefined && this.#random() < (tight ? 0.92 : 0.97)) return mine.at(-1)!;
    const versions = this.#versions.get(name)!;
    const lag = this.#random() < this.#staleness ? this.int(3) : 0;
    const latest = versions[Math.max(0, versions.length - 1 - lag)]!;
    const row = this.#known.has(name) && this.#random() < (tight ? 0.6 : 0.95) ? this.#known.get(name)! : latest;
    this.#known.set(name, row);
    return row;
  }

  #scan(): PlainOperation {
    const table = this.#pick(this.#tables);
    const where = this.#pick(this.#predicates);
    const rows = this.#names
      .filter((name) => name.startsWith(`${table}/`))
      .flatMap((name) => {
        const row = this.#see(name);
        if (row === null || !mayMatch(where, row) || this.#random() < 0.02) return [];
        return matches(where, row) || this.#random() < 0.5 ? [{ name, row }] : [];
      });
    if (this.#random() < (this.#kind.aggregates ? 0.5 : 0.15))
      return { kind: 'scan', table, where, rows: [], aggregate: this.#aggregate(rows.map(({ row }) => row)) };
    const returned = rows.map(({ name, row }) => ({
      key: name,
      value: this.#random() < 0.1 ? UNKNOWN : atomOf(row),
    }));
    const other = this.#pick(this.#names);
    const isOther = other.startsWith(`${table}/`) && !rows.some(({ name }) => name === other);
    if (isOther && this.#random() < 0.02) returned.push({ key: other, value: UNKNOWN });
    return { kind: 'scan', table, where, rows: returned, aggregate: null };
  }

  /** Makes an aggregate, such as a count or sum, whose result often depends on a single row. */
  #aggregate(rows: readonly Row[]): Aggregate {
    const kind = this.#pick(AGGREGATES);
    const isAnything = this.#kind.aggregates === true && this.#random() < (this.#status === 'committed' ? 0.01 : 0.3);
    const seen = this.#random() < 0.05 ? rows.slice(1) : rows;
    if (kind === 'count') return { kind, result: isAnything ? this.int(5) : seen.length };
    const column = kind === 'sum' || this.#random() < 0.7 ? 'x' : 't';
    const result = aggregateOf({ kind, column }, seen);
    if (!isAnything) return { kind, column, result };
    return {
      kind,
      column,
      result: column === 'x' ? this.#pick([null, -1, 0, 1, 2, 3, 7]) : this.#pick([null, 'a', 'z']),
    };
  }

  #operation(): PlainOperation {
    if (this.#random() < this.#readShare && this.#random() < 0.6) return this.#scan();
    const key = this.#pick(this.#names);
    if (this.#random() < 0.4) return { kind: 'read', key, value: atomOf(this.#see(key)) };
    const row = this.#content();
    this.#own.set(key, [...(this.#own.get(key) ?? []), row]);
    return { kind: 'write', key, value: atomOf(row) };
  }

  addTransaction(): void {
    const session = this.#pick(this.#sessions);
    this.#known = new Map();
    this.#own = new Map();
    const isOpen = this.#kind.open === true && this.#random() < 0.4;
    const status = this.#random() < (this.#kind.tight ? 0.97 : 0.93) ? (isOpen ? 'unknown' : 'committed') : 'aborted';
    this.#status = status;
    const operations = Array.from({ length: this.#kind.single ? 1 : 1 + this.int(4) }, () => this.#operation());
    const takesEffect = { committed: 1, unknown: 0.6, aborted: 0.1 }[status];
    for (const [name, written] of this.#own) {
      if (this.#random() >= takesEffect) continue;
      const versions = this.#versions.get(name)!;
      versions.splice(
        this.#random() < 0.3 && versions.length > 1 ? versions.length - 1 : versions.length,
        0,
        ...written,
      );
    }
    const begin = Math.max(session.end, 3 * session.transactions.length + this.int(8));
    const end = begin + 1 + this.int(8);
    session.end = end + this.int(2);
    const times = this.#isTimed && this.#random() < 0.95 ? timesWithin(begin, end) : {};
    session.transactions.push({ status, operations, ...times });
  }

  finish(): PlainHistory {
    const sessions = this.#sessions.map(({ name, transactions }) => ({ name, transactions }));
    return { tables: this.#tables, initialOf: this.#initialOf, sessions };
  }
}

const atomOf = (row: Row | null): Atom => (row === null ? null : textOfRow(row));

function randomPredicate(random: () => number, depth = 0): Predicate {
  const int = (below: number): number => Math.floor(random() * below);
  const nested = (): Predicate => randomPredicate(random, depth + 1);
  if (random() < 0.04) return ['sql', 'is_of_interest(x)'];
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
