import type { LevelName } from '@isolab/contract';
import {
  type History,
  type OperationId,
  type RegisterHistory,
  countOperations,
  countValues,
  transactionOf,
} from '@isolab/history';
import { AggregateRows, type Item, isAmong, itemAsked, lowerWithRows } from './aggregate-rows.ts';
import { type Fields, inside, integerOf, listOf, objectOf, refuse, show } from './verdict/flaw.ts';
import { type RawFacts, factsForAll } from './facts/raw-facts.ts';
import { type Rules, rulesOf } from './facts/rules.ts';
import { verifyViolation } from './violation.ts';

/**
 * Refuses unless the aggregates are impossible. Each row is assumed to be counted or not counted, until the result
 * cannot be reached or the reads contradict the level.
 */
export function verifyAggregates(history: History, level: LevelName, certificate: unknown): void {
  const data = objectOf(certificate, 'the certificate');
  const most = countOperations(history);
  const aggregates = listOf(data['aggregates'], 'the list of aggregates').map((op, i) =>
    integerOf(op, 0, most, `aggregate ${i + 1}`),
  );
  const rules = rulesOf(level);
  if (rules === null) return refuse('a certificate about aggregates needs a level with built-in rules');
  new Cases(history, rules, lowerWithRows(history, aggregates), new Set(aggregates)).verify(data['cases'], 0);
}

class Cases {
  readonly #history: History;
  readonly #rules: Rules;
  readonly #lowered: RegisterHistory;
  readonly #aggregates: ReadonlySet<number>;
  readonly #rows: AggregateRows;
  /** For each read of a row, whether the aggregate is assumed to cover that row. */
  readonly #supposed = new Map<number, boolean>();

  constructor(history: History, rules: Rules, lowered: RegisterHistory, aggregates: ReadonlySet<number>) {
    this.#history = history;
    this.#rules = rules;
    this.#lowered = lowered;
    this.#aggregates = aggregates;
    this.#rows = new AggregateRows(history, MOST_SUMS);
  }

  verify(data: unknown, depth: number): void {
    if (depth > DEEPEST) refuse(`there are more than ${DEEPEST} nested cases`);
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

  #alternative(data: Fields): RowAlternative {
    const { history, opOf } = this.#lowered;
    const read = integerOf(data['read'], 0, countOperations(history), 'the read of a row');
    const item = itemAsked(this.#history, this.#lowered, read);
    if (item === undefined || !this.#aggregates.has(opOf[read]))
      return refuse(`operation ${read} is not a read of a row that an aggregate in the list may include`);
    if (this.#supposed.has(read)) refuse(`operation ${read} is assumed twice`);
    const matched = data['matched'];
    if (typeof matched !== 'boolean')
      return refuse(`whether operation ${read} matched is ${show(matched)}, expected true or false`);
    return { read, matched, item, cases: data['cases'] };
  }

  /** For a count or sum, the row was absent or in one of its versions. For an extreme, some row has the value. */
  #refuseIncomplete(alternatives: readonly RowAlternative[]): void {
    const [first] = alternatives;
    if (first === undefined) return refuse('there are no alternatives');
    const op = this.#lowered.opOf[first.read];
    if (alternatives.some(({ read }) => this.#lowered.opOf[read] !== op))
      refuse('the alternatives are about several aggregates');
    const admits = (row: number, version: number): boolean =>
      alternatives.some(({ item, matched }) => item.row === row && isAmong(item, version) === matched);
    const { stated, adds } = this.#rows.of(op);
    if (stated.kind === 'count' || stated.kind === 'sum') {
      const { row } = first.item;
      for (const version of this.#rows.versionsOf(row))
        if (!admits(row, version)) refuse(`the alternatives leave out a version of the row of operation ${first.read}`);
      return;
    }
    if (alternatives.some(({ matched }) => !matched))
      refuse(`an alternative states that a row does not hold the ${stated.kind}`);
    for (const row of this.#rows.rowsOf(op))
      for (const version of this.#rows.versionsOf(row))
        if (adds(version) === stated.result && !admits(row, version))
          refuse(`the alternatives leave out a row that may have held the ${stated.kind} of operation ${op}`);
  }

  /** Verifies that the reads with the assumed results violate the level. */
  #verifyReads(part: Fields): void {
    // Trust in timestamps would have to be declared separately.
    if (part['kind'] === 'timestamps') refuse('timestamps cannot refute a case of an aggregate');
    verifyViolation(this.#facts(), this.#rules, part);
  }

  #facts(): RawFacts {
    const { history } = this.#lowered;
    const opValue = history.opValue.slice();
    const isFalse = countValues(this.#history); // after all other values: false, then true
    for (const [read, matched] of this.#supposed) opValue[read] = isFalse + (matched ? 1 : 0);
    return factsForAll({ ...history, opValue }, this.#rules);
  }

  #verifyTotal(data: unknown): void {
    const op = integerOf(data, 0, countOperations(this.#history), 'the aggregate');
    if (!this.#aggregates.has(op)) refuse(`operation ${op} is not in the list of aggregates`);
    const t = transactionOf(this.#history, op);
    if (!this.#facts().happened[t]) refuse(`transaction ${t}, of operation ${op}, need not have happened`);
    const { stated, adds } = this.#rows.of(op);
    const rows = this.#rows.rowsOf(op).map((row) => {
      let possible = this.#rows.versionsOf(row);
      for (const [read, matched] of this.#supposed) {
        const item = itemAsked(this.#history, this.#lowered, read)!;
        if (this.#lowered.opOf[read] !== op || item.row !== row) continue;
        possible = possible.filter((version) => isAmong(item, version) === matched);
      }
      return [...new Set(possible.map(adds))];
    });
    const mayCome = this.#rows.mayComeTo(stated, rows);
    if (mayCome === null) refuse('the rows allow too many sums to verify');
    if (mayCome === true)
      refuse(
        `the ${stated.kind} of operation ${op} of the history may be ${show(stated.result)}, with the assumed rows`,
      );
  }
}

interface RowAlternative {
  readonly read: OperationId;
  readonly matched: boolean;
  readonly item: Item;
  readonly cases: unknown;
}

const DEEPEST = 500;
/** Limit for all totals together, which take some minutes. */
const MOST_SUMS = 1_000_000_000;
