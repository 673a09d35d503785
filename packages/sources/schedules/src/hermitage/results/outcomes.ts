/**
 * Results that transactions may have: the reads of the committed transactions and the final rows. The database itself
 * computes them, one transaction at a time, so a schedule is compared row by row with the same statements in one session.
 */
import { type CaseStep, type Row, tableNames } from '../cases/case.ts';
import type { Transactions } from '../cases/transactions.ts';
import type { Sent } from '../play/sessions.ts';

/** Plays steps on new tables and fails with {@link Unclear} if their effects are unknown. */
export type Player = (given: Transactions, steps: readonly CaseStep[]) => Promise<readonly Sent[]>;

/** Decides whether the committed transactions of a schedule may have a result. */
export interface Outcomes {
  has(committed: readonly string[], outcome: string): Promise<boolean>;
  /** Returns the permitted results of these transactions. */
  of(committed: readonly string[]): Promise<readonly string[]>;
}

/** Error of steps with unknown effects. */
export class Unclear extends Error {
  readonly sent: readonly Sent[];

  constructor(why: string, sent: readonly Sent[]) {
    super(why);
    this.sent = sent;
  }
}

/** Ignores transactions that roll back deliberately: they leave no effects, and their reads do not count. */
export const committedIn = (sent: readonly Sent[]): readonly string[] =>
  sent
    .filter(({ kind, answer }) => kind === 'commit' && answer.kind === 'rows')
    .map(({ session }) => session)
    .toSorted();

/** Names and rows of the reads of the committed transactions, and of the final reads. */
export type Reads = readonly (readonly [read: string, rows: readonly string[]])[];

function readsOf(sent: readonly Sent[]): Reads {
  const seen = new Set([...committedIn(sent), 'afterwards']);
  return sent.flatMap(({ session, read, answer }) =>
    read !== undefined && seen.has(session) && answer.kind === 'rows' ? [[read, plain(answer.rows)] as const] : [],
  );
}

/** Returns the reads of the committed transactions and the final rows, independent of row order. */
export const outcomeOf = (sent: readonly Sent[]): string => textOf(readsOf(sent));

const plain = (rows: readonly Row[]): string[] => rows.map((row) => JSON.stringify(row)).toSorted();
const textOf = (reads: Reads): string => JSON.stringify(reads.toSorted(([a], [b]) => (a < b ? -1 : 1)));

/** Results of the transactions in every serial order. */
export class SerialOutcomes implements Outcomes {
  readonly #given: Transactions;
  readonly #player: Player;
  readonly #found = new Map<string, Promise<string | null>>();

  constructor(given: Transactions, player: Player) {
    this.#given = given;
    this.#player = player;
  }

  /**
   * Fails if statements give different answers each time, such as the time of day, because every schedule would look
   * wrong.
   */
  async insistOnSteady(): Promise<void> {
    const order = [...this.#given.steps.keys()];
    const [once, again] = [await this.#play(order), await this.#play(order)];
    if (once !== again)
      throw new Unclear(
        'two serial runs of the transactions gave different rows; do they use a clock or random numbers?',
        [],
      );
  }

  async has(committed: readonly string[], outcome: string): Promise<boolean> {
    for (const order of permutations(committed)) if ((await this.#outcome(order)) === outcome) return true;
    return false;
  }

  async of(committed: readonly string[]): Promise<readonly string[]> {
    const all: string[] = [];
    for (const order of permutations(committed)) {
      const outcome = await this.#outcome(order);
      if (outcome !== null) all.push(outcome);
    }
    return all;
  }

  #outcome(order: readonly string[]): Promise<string | null> {
    const key = order.join();
    const found = this.#found.get(key) ?? this.#play(order);
    this.#found.set(key, found);
    return found;
  }

  /** Returns null if the database refuses a serial order, for example because of a constraint. */
  async #play(order: readonly string[]): Promise<string | null> {
    const steps = order.flatMap((name) => this.#given.steps.get(name)!);
    const sent = await this.#player(this.#given, steps);
    return committedIn(sent).length === order.length ? outcomeOf(sent) : null;
  }
}

/** Rows of all tables by primary key, which is the first column. */
type State = readonly ReadonlyMap<string, Row>[];

interface Alone {
  readonly reads: Reads;
  /** Rows that the transaction changed, by table; null for a deleted row. */
  readonly changes: readonly ReadonlyMap<string, Row | null>[];
}

/**
 * Results under snapshot isolation: each transaction runs alone on the state after some of the earlier commits, and its
 * changed rows are applied at its commit, unless a transaction that committed in between changed one of them.
 */
export class SnapshotOutcomes implements Outcomes {
  readonly #given: Transactions;
  readonly #player: Player;
  readonly #alone = new Map<string, Promise<Alone | null>>();
  readonly #found = new Map<string, Promise<readonly string[]>>();

  constructor(given: Transactions, player: Player) {
    this.#given = given;
    this.#player = player;
  }

  async has(committed: readonly string[], outcome: string): Promise<boolean> {
    return (await this.of(committed)).includes(outcome);
  }

  of(committed: readonly string[]): Promise<readonly string[]> {
    const key = committed.join();
    const found = this.#found.get(key) ?? this.#search(committed);
    this.#found.set(key, found);
    return found;
  }

  async #search(committed: readonly string[]): Promise<readonly string[]> {
    const first = stateOf(readsOf(await this.#player(this.#given, [])));
    const outcomes = new Set<string>();
    const extend = async (left: readonly string[], states: readonly State[], done: readonly Alone[]): Promise<void> => {
      if (left.length === 0) {
        const last = states.at(-1)!;
        const final = last.map((table, i) => [finalRead(i), plain([...table.values()])] as const);
        return void outcomes.add(textOf([...done.flatMap(({ reads }) => reads), ...final]));
      }
      for (const name of left)
        for (let seen = 0; seen < states.length; seen++) {
          const alone = await this.#run(name, states[seen]!);
          if (alone === null || done.slice(seen).some((other) => isConflict(other, alone))) continue;
          const next = applied(states.at(-1)!, alone);
          await extend(
            left.filter((one) => one !== name),
            [...states, next],
            [...done, alone],
          );
        }
    };
    await extend(committed, [first], []);
    return [...outcomes];
  }

  /** Runs a transaction alone on a state. Returns null if the database refuses it. */
  #run(name: string, state: State): Promise<Alone | null> {
    const rows = state.map((table) => [...table.values()]);
    const key = JSON.stringify([name, rows]);
    const found = this.#alone.get(key) ?? this.#play(name, state, rows);
    this.#alone.set(key, found);
    return found;
  }

  async #play(name: string, state: State, rows: readonly (readonly Row[])[]): Promise<Alone | null> {
    const { tables, steps } = this.#given;
    const names = tableNames(tables);
    const filled = names.flatMap((table, i) =>
      rows[i]!.map((row) => `INSERT INTO ${table} VALUES (${row.map(literal).join(', ')})`),
    );
    const given = { ...this.#given, tables: [...tables.filter((sql) => !/^\s*INSERT\b/i.test(sql)), ...filled] };
    const sent = await this.#player(given, steps.get(name)!);
    if (committedIn(sent).length === 0) return null;
    const reads = readsOf(sent);
    const after = stateOf(reads);
    return {
      reads: reads.filter(([read]) => !isFinal(read)),
      changes: state.map((table, i) => changesOf(table, after[i]!)),
    };
  }
}

const finalRead = (table: number): string => (table === 0 ? 'final' : `final ${table + 1}`);
const isFinal = (read: string): boolean => read === 'final' || read.startsWith('final ');

const stateOf = (reads: Reads): State =>
  reads
    .filter(([read]) => isFinal(read))
    .map(([, rows]) => new Map(rows.map((text) => JSON.parse(text) as Row).map((row) => [String(row[0]), row])));

function changesOf(before: ReadonlyMap<string, Row>, after: ReadonlyMap<string, Row>): ReadonlyMap<string, Row | null> {
  const changes = new Map<string, Row | null>();
  for (const [key, row] of after) if (JSON.stringify(before.get(key)) !== JSON.stringify(row)) changes.set(key, row);
  for (const key of before.keys()) if (!after.has(key)) changes.set(key, null);
  return changes;
}

const isConflict = (one: Alone, other: Alone): boolean =>
  one.changes.some((table, i) => [...table.keys()].some((key) => other.changes[i]!.has(key)));

const applied = (state: State, { changes }: Alone): State =>
  state.map((table, i) => {
    const next = new Map(table);
    for (const [key, row] of changes[i]!) {
      if (row === null) next.delete(key);
      else next.set(key, row);
    }
    return next;
  });

const literal = (value: Row[number]): string =>
  value === null ? 'NULL' : typeof value === 'number' ? String(value) : `'${value.replaceAll("'", "''")}'`;

function permutations(names: readonly string[]): readonly (readonly string[])[] {
  if (names.length === 0) return [[]];
  return names.flatMap((name) => permutations(names.filter((one) => one !== name)).map((rest) => [name, ...rest]));
}
