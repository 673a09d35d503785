import type { KeyQuestion as Question } from '@isolab/collector';
import { type Key, Random } from '@isolab/workloads';
import { type Dependency, dependenciesOf } from './dependencies.ts';
import { Order } from './order.ts';
import type { Action, Reply, Schedule, ScheduledTransaction, Step } from '../../schedule/schedule.ts';
import type { Story, StoryOperation } from './story.ts';

/** Choices that the dependencies of a story leave open. */
export interface Variation {
  /**
   * Reads that are sent only after the commit of the write that they missed, so that only a snapshot can miss it. The
   * numbers are indices into {@link missedWrites}.
   */
  readonly late: readonly number[];
  /** Action of another client on the key of a late read, between the missed write and the read. */
  readonly beside: 'nothing' | 'writes' | 'writes-and-waits';
  /** Whether every key has a value before the terminals begin. */
  readonly filled: boolean;
  /** Whether commits come late, and the next request is sent without waiting for the answer. */
  readonly rushed: boolean;
  /** Seed of a random order of independent statements; null for the order of the history's times. */
  readonly shuffled: number | null;
}

export const PLAIN: Variation = { late: [], beside: 'nothing', filled: false, rushed: false, shuffled: null };

/**
 * Returns the reads that missed committed writes, with these writes: the snapshot of the reader was too old for them.
 */
export const missedWrites = (story: Story): Dependency[] =>
  dependenciesOf(story).filter(({ kind, to }) => kind === 'rw' && story.transactions[to.txn]!.ends === 'commit');

/** Puts the statements of a story into an order that agrees with its dependencies. */
export function arrange(given: Story, variation: Variation): Schedule {
  const story = variation.filled ? filled(given) : given;
  const missed = missedWrites(story);
  const late = variation.late.flatMap((i) => missed[i] ?? []);
  const draft = new Draft(story, late);
  const dependencies = dependenciesOf(story);
  const allOf = (kind: Dependency['kind']): Dependency[] => dependencies.filter((each) => each.kind === kind);
  draft.keepPrograms();
  for (const { from, to } of allOf('wr')) draft.showsTo(from, to);
  for (const { from, to } of allOf('rw')) {
    if (late.some((each) => samePlace(each.from, from) && samePlace(each.to, to))) draft.missesLate(from, to);
    else if (!draft.misses(from, to)) draft.beginsBeforeEnd(from.txn, to.txn);
  }
  for (const { from, to } of allOf('ww')) draft.follows(from, to);
  for (const { from, to } of allOf('wr')) draft.beginsAfter(to.txn, from.txn);
  if (variation.beside !== 'nothing') draft.putBeside(late, variation.beside);
  return draft.schedule(variation, differences(variation, late, story));
}

const samePlace = (a: { txn: number; op: number }, b: { txn: number; op: number }): boolean =>
  a.txn === b.txn && a.op === b.op;

/** Returns the story with an initial value for every key. */
function filled(story: Story): Story {
  if (story.data === 'rows') return story;
  const held = new Map(story.initial.map(({ key, value }) => [key, value]));
  let { freeValue } = story;
  for (const { operations } of story.transactions)
    for (const { asks } of operations) if ('key' in asks && !held.has(asks.key)) held.set(asks.key, freeValue++);
  const operation = ({ asks, told }: StoryOperation): StoryOperation => {
    const first = 'key' in asks ? held.get(asks.key)! : 0;
    if (asks.kind === 'read' && told === null) return { asks, told: first };
    if (asks.kind === 'read-list' && told !== undefined) return { asks, told: [first, ...(told as readonly number[])] };
    const expects = asks.kind === 'compare-and-set' && asks.expected === null ? { ...asks, expected: first } : asks;
    return { asks: expects, ...(told !== undefined && { told }) };
  };
  const transactions = story.transactions.map((one) => ({ ...one, operations: one.operations.map(operation) }));
  return { ...story, initial: [...held].map(([key, value]) => ({ key, value })), transactions, freeValue };
}

function differences(
  { beside, filled: isFilled, rushed, shuffled }: Variation,
  late: readonly Dependency[],
  story: Story,
): string[] {
  const said = late.map(({ from, to, key }) => {
    const [reader, writer] = [story.transactions[from.txn]!.name, story.transactions[to.txn]!.name];
    return `${reader} reads ${key} after the commit of ${writer}, which it does not see`;
  });
  if (beside !== 'nothing' && late.length > 0)
    said.push(
      `before that read, another client writes the same key${beside === 'writes' ? ' and commits' : ', and commits at the end'}`,
    );
  if (isFilled) said.push('every key holds a value before the clients begin');
  if (rushed) said.push('statements after a commit are sent before the answer to the commit');
  if (shuffled !== null) said.push('independent statements are in another order');
  return said;
}

interface Node {
  readonly txn: number;
  readonly slot: number;
  readonly does: Action;
  readonly told?: Reply;
}

interface DraftTransaction extends ScheduledTransaction {
  /** Numbers of its nodes: begin, operations, end. */
  readonly nodes: readonly number[];
  /** Number of nodes before the first operation of the story. */
  readonly head: number;
  readonly times: readonly [begin: number, end: number] | null;
}

type Place = Dependency['from'];

/** Statements and their required order. If requirements contradict each other, earlier ones win. */
class Draft {
  readonly #story: Story;
  readonly #nodes: Node[] = [];
  readonly #transactions: DraftTransaction[] = [];
  readonly #terminals: number;
  readonly #demands: [before: number, after: number][] = [];
  #order: Order;

  constructor(story: Story, late: readonly Dependency[]) {
    this.#story = story;
    this.#terminals = 1 + Math.max(...story.transactions.map(({ terminal }) => terminal));
    const zero = story.transactions.reduce<bigint | null>(
      (least, { begin }) => (begin !== null && (least === null || begin < least) ? begin : least),
      null,
    );
    for (const [txn, { name, terminal, operations, ends, begin, end }] of story.transactions.entries()) {
      // A snapshot that the first statement takes must exist before the write that a late read misses.
      const needsSnapshot = late.some(({ from }) => from.txn === txn && from.op === 0);
      const times = begin === null || end === null ? null : ([Number(begin - zero!), Number(end - zero!)] as const);
      this.#put(
        { name, terminal, role: 'story' },
        needsSnapshot ? [{ asks: this.#elsewhere() }] : [],
        operations,
        ends,
        times,
      );
    }
    this.#order = new Order(this.#nodes.length);
  }

  #put(
    transaction: ScheduledTransaction,
    before: readonly StoryOperation[],
    operations: readonly StoryOperation[],
    ends: 'commit' | 'rollback',
    times: DraftTransaction['times'],
  ): void {
    const txn = this.#transactions.length;
    const steps: readonly Omit<Node, 'txn' | 'slot'>[] = [
      { does: { kind: 'begin' } },
      ...[...before, ...operations].map(({ asks, told }) => ({ does: asks, ...(told !== undefined && { told }) })),
      { does: { kind: ends } },
    ];
    const first = this.#nodes.length;
    for (const [slot, step] of steps.entries()) this.#nodes.push({ txn, slot, ...step });
    this.#transactions.push({
      ...transaction,
      nodes: steps.map((_, slot) => first + slot),
      head: 1 + before.length,
      times,
    });
  }

  /** Returns a read of a key that no transaction writes. */
  #elsewhere(): Question {
    const { data, transactions } = this.#story;
    const keys = transactions.flatMap(({ operations }) =>
      operations.flatMap(({ asks }) => ('key' in asks ? [asks.key] : [asks.low, asks.high])),
    );
    const key: Key = keys.every((one) => typeof one === 'number') ? Math.max(...keys) + 1 : 'isolab_other';
    if (data === 'rows') return { kind: 'range', low: key as number, high: key as number };
    return { kind: data === 'lists' ? 'read-list' : 'read', key };
  }

  #node({ txn, op }: Place): number {
    const { nodes, head } = this.#transactions[txn]!;
    return nodes[head + op]!;
  }

  #begin = (txn: number): number => this.#transactions[txn]!.nodes[0]!;
  #first = (txn: number): number => this.#transactions[txn]!.nodes[1]!;
  #end = (txn: number): number => this.#transactions[txn]!.nodes.at(-1)!;

  #demand(before: number, after: number): boolean {
    if (!this.#order.add(before, after)) return false;
    this.#demands.push([before, after]);
    return true;
  }

  /** Keeps the order of the statements of a transaction and of the transactions of a terminal. */
  keepPrograms(): void {
    const last = new Map<number, number>();
    for (const { terminal, nodes } of this.#transactions) {
      const before = last.get(terminal);
      if (before !== undefined) this.#demand(before, nodes[0]!);
      for (const [i, node] of nodes.entries()) if (i > 0) this.#demand(nodes[i - 1]!, node);
      last.set(terminal, nodes.at(-1)!);
    }
  }

  /** Lets the read see the write: after its commit or, if it never committed or too late, after the write itself. */
  showsTo(write: Place, read: Place): void {
    const isCommitted = this.#story.transactions[write.txn]!.ends === 'commit';
    if (isCommitted && this.#demand(this.#end(write.txn), this.#node(read))) return;
    this.#demand(this.#node(write), this.#node(read));
    if (!isCommitted) this.#demand(this.#node(read), this.#end(write.txn));
  }

  misses(read: Place, write: Place): boolean {
    return this.#demand(this.#node(read), this.#end(write.txn));
  }

  beginsBeforeEnd(reader: number, writer: number): void {
    this.#demand(this.#first(reader), this.#end(writer));
  }

  missesLate(read: Place, write: Place): void {
    this.beginsBeforeEnd(read.txn, write.txn);
    this.#demand(this.#end(write.txn), this.#node(read));
  }

  follows(before: Place, after: Place): void {
    if (!this.#demand(this.#end(before.txn), this.#node(after))) this.#demand(this.#node(before), this.#node(after));
  }

  /** Lets the snapshot of a reader include the writer's version. */
  beginsAfter(reader: number, writer: number): void {
    if (this.#story.transactions[writer]!.ends === 'commit') this.#demand(this.#end(writer), this.#first(reader));
  }

  /** Adds further writes of other clients to the keys of late reads. */
  putBeside(late: readonly Dependency[], how: 'writes' | 'writes-and-waits'): void {
    const { data } = this.#story;
    let { freeValue } = this.#story;
    const written = [...new Map(late.map((each) => [`${each.to.txn} ${each.to.op}`, each])).values()];
    const added = written.map(({ to, key }, i): readonly [txn: number, to: Place, key: Key] => {
      const kind = ({ registers: 'write', lists: 'append', rows: 'delete' } as const)[data];
      const operations = [{ asks: { kind, key, value: freeValue++ } }];
      const txn = this.#transactions.length;
      this.#put({ name: `B${i + 1}`, terminal: this.#terminals + i, role: 'beside' }, [], operations, 'commit', null);
      return [txn, to, key];
    });
    this.#order = new Order(this.#nodes.length);
    for (const demand of this.#demands) this.#order.add(...demand);
    for (const [txn, to, key] of added) {
      const { nodes } = this.#transactions[txn]!;
      for (const [i, node] of nodes.entries()) if (i > 0) this.#order.add(nodes[i - 1]!, node);
      this.#order.add(this.#end(to.txn), this.#begin(txn));
      for (const { from, to: missed } of late) {
        if (!samePlace(missed, to)) continue;
        this.#order.add(how === 'writes' ? this.#end(txn) : nodes[1]!, this.#node(from));
        if (how === 'writes-and-waits') this.#order.add(this.#end(from.txn), this.#end(txn));
      }
      // A read of the overwritten value keeps its reply, if possible.
      for (const { from, to: read, kind, key: other } of dependenciesOf(this.#story))
        if (kind === 'wr' && other === key && samePlace(from, to)) this.#order.add(this.#node(read), this.#begin(txn));
    }
  }

  schedule({ rushed, shuffled }: Variation, differs: readonly string[]): Schedule {
    const { data, initial } = this.#story;
    const random = new Random(shuffled ?? 0);
    const ranks = this.#nodes.map((node) =>
      shuffled !== null ? random.fraction() : rushed && node.does.kind === 'commit' ? Infinity : this.#rank(node),
    );
    const steps = this.#order
      .line((node) => ranks[node]!)
      .map((node): Step => {
        const { txn, slot, does, told } = this.#nodes[node]!;
        const { name, terminal } = this.#transactions[txn]!;
        const suffix = does.kind === 'begin' || does.kind === 'commit' || does.kind === 'rollback' ? does.kind : slot;
        return {
          name: `${name}_${suffix}`,
          terminal,
          transaction: txn,
          does,
          ...(rushed && does.kind === 'commit' && { rushes: true }),
          ...(told !== undefined && { told }),
        };
      });
    return {
      data,
      setup: initial.map(({ key, value }) => ({ kind: data === 'lists' ? 'append' : 'write', key, value })),
      terminals: 1 + Math.max(...this.#transactions.map(({ terminal }) => terminal)),
      transactions: this.#transactions.map(({ name, terminal, role }) => ({ name, terminal, role })),
      steps,
      differs,
    };
  }

  /**
   * Ranks a statement by its sending time, as far as the times of its transaction show it; equally if there are no
   * times.
   */
  #rank({ txn, slot }: Node): number {
    const { times, nodes, role } = this.#transactions[txn]!;
    const last = nodes.length - 1;
    if (this.#transactions.every((one) => one.times !== null || one.role === 'beside')) {
      if (role === 'beside' || times === null) return slot === last ? Infinity : -1;
      return times[0] + ((times[1] - times[0]) * slot) / last;
    }
    return slot === last ? 1e6 : slot;
  }
}
