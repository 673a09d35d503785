/**
 * Robust allocations of isolation levels to transaction templates: with them, each execution of any number of instances
 * is serializable (Vandevoort, Ketsman and Neven, PODS 2023 and TODS 2025; templates: Vandevoort, Ketsman, Koch and
 * Neven, PVLDB 2021; mixed levels of templates: arXiv 2501.18377). An allocation is not robust if a split schedule
 * exists: a transaction starts, others run one after the other behind one of its reads, and then it continues; and
 * conflicts lead from that read through the others back to the transaction.
 */

/** An operation on a row. An operation that reads and writes is atomic. */
export interface TemplateOperation {
  readonly relation: string;
  /**
   * Variable for the key of the row. A variable has the same key in each relation, and different variables of a template
   * have different keys.
   */
  readonly variable: string;
  readonly reads: readonly string[];
  readonly writes: readonly string[];
}

export interface Template {
  /** Name of the program; templates of one program have one level. */
  readonly program: string;
  readonly operations: readonly TemplateOperation[];
}

/** Levels in the order of strength: read committed, snapshot isolation, serializable snapshot isolation. */
export const LEVELS = ['RC', 'SI', 'SSI'] as const;
export type RobustLevel = (typeof LEVELS)[number];
export type Allocation = ReadonlyMap<string, RobustLevel>;

/** Returns the lowest robust allocation, which is unique. */
export function lowestAllocation(templates: readonly Template[]): Allocation {
  const programs = [...new Set(templates.map(({ program }) => program))];
  let allocation = new Map<string, RobustLevel>(programs.map((program) => [program, 'SSI']));
  for (const program of programs)
    for (const level of LEVELS) {
      const lower = new Map(allocation).set(program, level);
      if (level !== 'SSI' && !isRobust(templates, lower)) continue;
      allocation = lower;
      break;
    }
  return allocation;
}

export function isRobust(templates: readonly Template[], allocation: Allocation): boolean {
  const parts = { templates, groups: groupsOf(templates) };
  return !templates.some((first) =>
    first.operations.some(({ reads }, at) => reads.length > 0 && new Split(parts, allocation, first, at).exists()),
  );
}

/** A middle transaction that the path enters, by the variable of the transaction that is split, or null for another key. */
interface Entered {
  readonly template: Template;
  readonly variable: string;
  readonly row: string | null;
  /** States that an earlier transaction has written a version that the split serializable transaction misses. */
  readonly isMissed: boolean;
}

/** Search for a split schedule in which a transaction pauses behind one of its operations. */
class Split {
  readonly #templates: readonly Template[];
  readonly #levelOf: (template: Template) => RobustLevel;
  readonly #first: Template;
  readonly #at: number;
  readonly #groups: ReadonlyMap<string, number>;
  readonly #seen = new Set<string>();
  readonly #waiting: Entered[] = [];

  constructor(
    { templates, groups }: { readonly templates: readonly Template[]; readonly groups: ReadonlyMap<string, number> },
    allocation: Allocation,
    first: Template,
    at: number,
  ) {
    this.#templates = templates;
    this.#groups = groups;
    this.#levelOf = ({ program }) => allocation.get(program)!;
    this.#first = first;
    this.#at = at;
  }

  exists(): boolean {
    const { relation, variable, reads } = this.#first.operations[this.#at]!;
    for (const template of this.#templates)
      for (const next of template.operations)
        if (next.relation === relation && meet(reads, next.writes))
          this.#enter({ template, variable: next.variable, row: variable, isMissed: false });
    for (let entered = this.#waiting.pop(); entered !== undefined; entered = this.#waiting.pop())
      if (this.#leave(entered)) return true;
    return false;
  }

  #enter(entered: Entered): void {
    const name = [this.#templates.indexOf(entered.template), entered.variable, entered.row, entered.isMissed].join(' ');
    if (this.#seen.has(name)) return;
    this.#seen.add(name);
    this.#waiting.push(entered);
  }

  /** Leaves a transaction by each of its operations; returns whether one leads back to the transaction that is split. */
  #leave({ template, variable, row, isMissed }: Entered): boolean {
    for (const operation of template.operations)
      for (const to of this.#rowsOf(operation, variable, row)) {
        const rows = new Map([
          [variable, row],
          [operation.variable, to],
        ]);
        const state = this.#stateBehind(template, rows, isMissed);
        if (state === null) continue;
        if (to !== null && this.#leadsBack(operation, to)) return true;
        for (const next of this.#templates)
          for (const other of next.operations)
            if (other.relation === operation.relation && conflict(operation, other))
              this.#enter({ template: next, variable: other.variable, row: to, isMissed: state });
      }
    return false;
  }

  /**
   * Lists the keys that the variable of an operation may have, null for a key of no other importance: such are also the
   * keys in relations from which no path along equal keys leads to the relation.
   */
  #rowsOf({ relation, variable }: TemplateOperation, entered: string, row: string | null): readonly (string | null)[] {
    if (variable === entered) return [row];
    const group = this.#groups.get(relation);
    const own = this.#first.operations
      .filter((each) => this.#groups.get(each.relation) === group)
      .map((each) => each.variable);
    return [null, ...new Set(own)].filter((each) => each === null || each !== row);
  }

  /**
   * Returns whether a version is missed after a transaction has run; null if its writes, or a dangerous structure of
   * serializable transactions, prevent that it runs.
   */
  #stateBehind(template: Template, rows: ReadonlyMap<string, string | null>, isMissed: boolean): boolean | null {
    const { operations } = this.#first;
    const level = this.#levelOf(this.#first);
    const begun = level === 'RC' ? operations.slice(0, this.#at + 1) : operations;
    const touches = (
      some: readonly TemplateOperation[],
      test: (own: TemplateOperation, other: TemplateOperation) => boolean,
    ): boolean =>
      template.operations.some((other) => {
        const row = rows.get(other.variable) ?? null;
        return (
          row !== null &&
          some.some((own) => own.relation === other.relation && row === own.variable && test(own, other))
        );
      });
    if (touches(begun, (own, other) => meet(own.writes, other.writes))) return null;
    if (level !== 'SSI' || this.#levelOf(template) !== 'SSI') return isMissed;
    const isMissedNow = isMissed || touches(operations, (own, other) => meet(own.reads, other.writes));
    return isMissedNow && touches(operations, (own, other) => meet(other.reads, own.writes)) ? null : isMissedNow;
  }

  #leadsBack(operation: TemplateOperation, row: string): boolean {
    return this.#first.operations.some(({ relation, variable, reads, writes }, at) => {
      if (relation !== operation.relation || variable !== row) return false;
      const isLater = this.#levelOf(this.#first) === 'RC' && at > this.#at;
      return meet(operation.reads, writes) || (isLater && conflict(operation, { reads, writes }));
    });
  }
}

/** Returns the number of the group of each relation: relations with a common variable in a template are in one group. */
function groupsOf(templates: readonly Template[]): ReadonlyMap<string, number> {
  const groups = new Map<string, number>();
  for (const { operations } of templates)
    for (const { relation } of operations) if (!groups.has(relation)) groups.set(relation, groups.size);
  for (const { operations } of templates)
    for (const one of operations)
      for (const other of operations) {
        const [from, to] = [groups.get(one.relation)!, groups.get(other.relation)!];
        if (one.variable !== other.variable || from === to) continue;
        for (const [relation, group] of groups) if (group === from) groups.set(relation, to);
      }
  return groups;
}

type Accessed = Pick<TemplateOperation, 'reads' | 'writes'>;

const conflict = (one: Accessed, other: Accessed): boolean =>
  meet(one.writes, other.writes) || meet(one.writes, other.reads) || meet(one.reads, other.writes);

const meet = (some: readonly string[], others: readonly string[]): boolean =>
  some.some((each) => others.includes(each));
