import type { LevelName } from '@isolab/contract';
import {
  type Aggregate,
  type History,
  NIL,
  OpKind,
  type RegisterHistory,
  type Row,
  UNKNOWN_VALUE,
  atomOf,
  countKeys,
  countOperations,
  countValues,
  matches,
  registersOf,
  transactionOf,
} from '@isolab/history';
import { inside, integerOf, listOf, objectOf, refuse, show } from './flaw.ts';
import { type RawFacts, factsForAll } from './raw-facts.ts';
import { type Rules, rulesOf } from './rules.ts';
import { verifyViolation } from './violation.ts';

/**
 * Refuses unless some aggregates cannot have been of any rows: of one row after another it is supposed that it was counted,
 * and that it was not, until they come to something else or the reads contradict the level.
 */
export function verifyAggregates(history: History, level: LevelName, certificate: unknown): void {
  const data = objectOf(certificate, 'the certificate');
  const most = countOperations(history);
  const aggregates = listOf(data['aggregates'], 'the list of aggregates').map((op, i) =>
    integerOf(op, 0, most, `aggregate ${i + 1}`),
  );
  const rules = rulesOf(level);
  if (rules === null) return refuse('a certificate about aggregates is for a level that isolab has rules for');
  new Cases(history, rules, lower(history, aggregates), new Set(aggregates)).verify(data['cases'], 0);
}

function lower(history: History, aggregates: readonly number[]): RegisterHistory {
  const other = aggregates.find((op) => history.opKind[op] !== OpKind.Scan);
  if (other !== undefined) refuse(`operation ${other} of the history is not a scan`);
  try {
    return registersOf(history, { certificate: { kind: 'aggregates', aggregates } });
  } catch (error) {
    if (error instanceof RangeError) refuse(`in the list of aggregates, ${error.message}`);
    throw error;
  }
}

class Cases {
  readonly #history: History;
  readonly #rules: Rules;
  readonly #lowered: RegisterHistory;
  readonly #aggregates: ReadonlySet<number>;
  /** By read of a row: whether it is supposed that the aggregate was of it. */
  readonly #supposed = new Map<number, boolean>();
  readonly #versions = new Map<number, readonly number[]>(); // by row

  constructor(history: History, rules: Rules, lowered: RegisterHistory, aggregates: ReadonlySet<number>) {
    this.#history = history;
    this.#rules = rules;
    this.#lowered = lowered;
    this.#aggregates = aggregates;
  }

  verify(data: unknown, depth: number): void {
    if (depth > DEEPEST) refuse(`there are more than ${DEEPEST} cases inside one another`);
    const part = objectOf(data, 'the case');
    if (part['kind'] === 'rows') this.#verifyEach(listOf(part['alternatives'], 'the list of alternatives'), depth);
    else if (part['kind'] === 'total') this.#verifyTotal(part['aggregate']);
    else this.#verifyReads(part);
  }

  #verifyEach(data: readonly unknown[], depth: number): void {
    const alternatives = data.map((one, i) => this.#alternative(objectOf(one, `alternative ${i + 1}`)));
    this.#refuseIncomplete(alternatives);
    for (const { read, matched, cases } of alternatives) {
      this.#supposed.set(read, matched);
      inside(
        () => `in the case that operation ${read} ${matched ? 'matches' : 'does not match'}`,
        () => this.verify(cases, depth + 1),
      );
      this.#supposed.delete(read);
    }
  }

  #alternative(data: Readonly<Record<string, unknown>>): RowAlternative {
    const { history, opOf, items } = this.#lowered;
    const read = integerOf(data['read'], 0, countOperations(history), 'the read of a row');
    const item = items[history.opKey[read] - countKeys(this.#history)];
    const isOpen = history.opKind[read] === OpKind.Read && history.opValue[read] === UNKNOWN_VALUE;
    if (!isOpen || item === undefined || !this.#aggregates.has(opOf[read]))
      return refuse(`operation ${read} is not the read of a row that an aggregate in the list may have been of`);
    if (this.#supposed.has(read)) refuse(`something is supposed twice of operation ${read}`);
    const matched = data['matched'];
    if (typeof matched !== 'boolean') return refuse(`whether operation ${read} matched is ${show(matched)}`);
    return { read, matched, item, cases: data['cases'] };
  }

  /** Of a count or sum, the row was absent or in one of its versions; of an extreme, a row held it. */
  #refuseIncomplete(alternatives: readonly RowAlternative[]): void {
    const [first] = alternatives;
    if (first === undefined) return refuse('there is no alternative');
    const op = this.#lowered.opOf[first.read];
    if (alternatives.some(({ read }) => this.#lowered.opOf[read] !== op))
      refuse('the alternatives are about several aggregates');
    const admits = (row: number, version: number): boolean =>
      alternatives.some(({ item, matched }) => item.row === row && isAmong(item, version) === matched);
    const { stated, adds } = this.#aggregateOf(op);
    if (stated.kind === 'count' || stated.kind === 'sum') {
      const { row } = first.item;
      for (const version of this.#versionsOf(row))
        if (!admits(row, version)) refuse(`the alternatives leave out a version of the row of operation ${first.read}`);
      return;
    }
    if (alternatives.some(({ matched }) => !matched))
      refuse(`that a row does not hold the ${stated.kind} is no alternative`);
    for (const row of this.#rowsOf(op))
      for (const version of this.#versionsOf(row))
        if (adds(version) === stated.result && !admits(row, version))
          refuse(`the alternatives leave out a row that may have held the ${stated.kind} of operation ${op}`);
  }

  /** The reads with what is supposed as their results violate the level. */
  #verifyReads(part: Readonly<Record<string, unknown>>): void {
    // Who takes timestamps on trust must be told so on top.
    if (part['kind'] === 'timestamps') refuse('timestamps cannot refute a case of an aggregate');
    verifyViolation(this.#facts(), this.#rules, part);
  }

  /** What is known with what is supposed. */
  #facts(): RawFacts {
    const { history } = this.#lowered;
    const opValue = history.opValue.slice();
    const isFalse = countValues(this.#history); // behind all values: false, and then true
    for (const [read, matched] of this.#supposed) opValue[read] = isFalse + (matched ? 1 : 0);
    return factsForAll({ ...history, opValue }, this.#rules);
  }

  #verifyTotal(data: unknown): void {
    const op = integerOf(data, 0, countOperations(this.#history), 'the aggregate');
    if (!this.#aggregates.has(op)) refuse(`operation ${op} is not in the list of aggregates`);
    const t = transactionOf(this.#history, op);
    if (!this.#facts().happened[t]) refuse(`transaction ${t}, of operation ${op}, need not have happened`);
    const { stated, adds } = this.#aggregateOf(op);
    const rows = this.#rowsOf(op).map((row) => {
      let possible = this.#versionsOf(row);
      for (const [read, matched] of this.#supposed) {
        const item = this.#lowered.items[this.#lowered.history.opKey[read] - countKeys(this.#history)]!;
        if (this.#lowered.opOf[read] !== op || item.row !== row) continue;
        possible = possible.filter((version) => isAmong(item, version) === matched);
      }
      return [...new Set(possible.map(adds))];
    });
    if (mayComeTo(stated, rows))
      refuse(
        `the ${stated.kind} of operation ${op} of the history may be ${show(stated.result)}, with the rows that are supposed`,
      );
  }

  /** What an aggregate said, and what a version of a row adds to it. */
  #aggregateOf(op: number): { readonly stated: Aggregate; readonly adds: (version: number) => Adds } {
    const { scans, opValue, values } = this.#history;
    const scan = opValue[op];
    const stated = scans.aggregates[scans.aggregate[scan]]!;
    const where = scans.predicates[scans.predicate[scan]]!;
    const adds = (version: number): Adds => {
      if (version === NIL || version === UNKNOWN_VALUE) return null;
      const columns = JSON.parse(atomOf(values, version) as string) as Row;
      if (!matches(where, columns)) return null;
      return stated.kind === 'count' ? 1 : (columns[stated.column] ?? null);
    };
    return { stated, adds };
  }

  /** The rows of the table of an aggregate. */
  #rowsOf(op: number): number[] {
    const { scans, opValue } = this.#history;
    const table = scans.table[opValue[op]];
    return Array.from(scans.keyTable.keys()).filter((row) => scans.keyTable[row] === table);
  }

  /** That it is absent, its initial version, and all that anybody wrote. */
  #versionsOf(row: number): readonly number[] {
    let versions = this.#versions.get(row);
    if (versions === undefined) {
      const { keyInitial, opKind, opKey, opValue } = this.#history;
      const all = new Set([NIL, keyInitial[row]]);
      for (let op = 0; op < opKind.length; op++)
        if (opKind[op] === OpKind.Write && opKey[op] === row) all.add(opValue[op]);
      this.#versions.set(row, (versions = [...all]));
    }
    return versions;
  }
}

/** Whether a version is one of those that an item stands for. */
const isAmong = ({ some }: Item, version: number): boolean => version !== NIL && (some?.has(version) ?? true);

interface RowAlternative {
  readonly read: number;
  readonly matched: boolean;
  readonly item: Item;
  readonly cases: unknown;
}

type Item = RegisterHistory['items'][number];
type Adds = Row[string] | null;

/** Whether an aggregate may have its result, if each row adds one of these. */
function mayComeTo(stated: Aggregate, rows: readonly (readonly Adds[])[]): boolean {
  const { kind, result } = stated;
  if (kind === 'count') {
    const least = rows.filter((adds) => adds.length > 0 && !adds.includes(null)).length;
    const most = rows.filter((adds) => adds.some((one) => one !== null)).length;
    return least <= result && result <= most;
  }
  if (kind !== 'sum') return result === null || rows.some((adds) => adds.includes(result));
  // What the rows so far may have come to; null where none of them added anything.
  let sums = new Set<number | null>([null]);
  let size = 0;
  for (const adds of rows) {
    const next = new Set<number | null>();
    for (const sum of sums) for (const more of adds) next.add(more === null ? sum : Number(more) + Number(sum ?? 0));
    if (next.size > MOST_SUMS) refuse(`the rows may come to more than ${MOST_SUMS} sums`);
    sums = next;
    size += adds.reduce<number>((most, more) => Math.max(most, Math.abs(Number(more ?? 0))), 0);
  }
  if (sums.has(result as number | null)) return true;
  return [...sums].some(
    (sum) => sum !== null && Math.abs(sum - Number(result)) <= ROUNDING * size && !Number.isInteger(sum),
  );
}

/** Sums of fractions depend on the order in which they are added up. */
const ROUNDING = 1e-12;
const MOST_SUMS = 100_000;
const DEEPEST = 500;
