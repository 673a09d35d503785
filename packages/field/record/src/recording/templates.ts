import { type Literals, valueOfLiteral } from '../sql/literals.ts';
import type { Plan, Planned, PlannedNames } from '../sql/planned.ts';
import type { Added } from '../wire/statement.ts';

/** A statement of the query string that a template was made from. */
export interface TemplatePart {
  readonly plan: Plan;
  readonly start: number;
  readonly end: number;
  /** A query that is sent after the statement. */
  readonly behind: Planned | null;
}

/** A position that moves with the lengths of the preceding literals. */
interface Place {
  /** The position minus the lengths of these literals. */
  readonly rest: number;
  readonly literals: number;
}

interface PlannedPart {
  readonly plan: Plan;
  readonly start: Place;
  readonly end: Place;
  readonly insertion: Place | null;
  readonly behind: Planned | null;
}

const NO_LITERALS: Literals = { key: '', starts: [], ends: [] };

/** The plans of a query string, for all strings that differ from it only in their literals. */
export class Template {
  readonly #parts: readonly PlannedPart[];
  readonly #names: PlannedNames;
  /** The plans if the string has no literals. */
  readonly #whole: readonly Planned[] | null;

  constructor(sql: string, literals: Literals | null, parts: readonly TemplatePart[], names: PlannedNames) {
    this.#names = names;
    const { starts, ends } = literals ?? NO_LITERALS;
    const placeOf = (at: number): Place => {
      let rest = at;
      let count = 0;
      while (count < ends.length && ends[count]! <= at) rest -= ends[count]! - starts[count++]!;
      return { rest, literals: count };
    };
    this.#parts = parts.map(({ plan, start, end, behind }) => ({
      plan,
      start: placeOf(start),
      end: placeOf(end),
      insertion: plan.insertion && placeOf(start + plan.insertion.at),
      behind,
    }));
    this.#whole = starts.length === 0 ? this.#fill(sql, NO_LITERALS) : null;
  }

  /** Returns whether the database accepted a statement with hidden columns. */
  hasColumns(part: number): boolean {
    return this.#parts[part]!.insertion !== null;
  }

  /** Returns the statements of a query string with these literals. */
  filledIn(sql: string, literals: Literals | null): readonly Planned[] {
    return this.#whole ?? this.#fill(sql, literals ?? NO_LITERALS);
  }

  #fill(sql: string, literals: Literals): readonly Planned[] {
    const planned: Planned[] = [];
    const isOne = this.#parts.length === 1;
    for (const { plan, start, end, insertion, behind } of this.#parts) {
      const from = isOne ? 0 : moved(start, literals);
      const text = isOne ? sql : sql.slice(from, moved(end, literals));
      const added = insertion && { at: moved(insertion, literals) - from, text: plan.insertion!.text };
      planned.push(new Filled(plan, text, added, sql, literals, this.#names));
      if (behind !== null) planned.push(behind);
    }
    return planned;
  }
}

function moved({ rest, literals }: Place, { starts, ends }: Literals): number {
  let at = rest;
  for (let i = 0; i < literals; i++) at += ends[i]! - starts[i]!;
  return at;
}

/**
 * A plan with the literals of one query string. Each string that is sent needs one, so it has as few fields as
 * possible; copying all fields takes a hundred times as long.
 */
class Filled implements Planned {
  readonly plan: Plan;
  readonly names: PlannedNames;
  readonly text: string;
  readonly added: Added | null;
  readonly #sql: string;
  readonly #places: Literals;

  constructor(plan: Plan, text: string, added: Added | null, sql: string, places: Literals, names: PlannedNames) {
    this.plan = plan;
    this.names = names;
    this.text = text;
    this.added = added;
    this.#sql = sql;
    this.#places = places;
  }

  get literals(): readonly string[] {
    const { starts, ends } = this.#places;
    return starts.map((start, i) => valueOfLiteral(this.#sql, start, ends[i]!));
  }

  get hidden(): number {
    return this.plan.hidden;
  }

  get isSilent(): boolean {
    return this.plan.isSilent;
  }

  get commits(): boolean {
    return this.plan.commits;
  }
}
