import { createHash } from 'node:crypto';
import type { Parameters } from '../wire/statement.ts';
import type { Planned } from '../sql/planned.ts';

/** Transactions that the database refused because of a conflict, and that the application did not try again. */
export interface Refused {
  /** `40001` or `40P01` */
  readonly code: string;
  readonly count: number;
  readonly statements: readonly string[];
}

/** Errors after which a transaction is to be tried again. */
const CODES = new Set(['40001', '40P01']);

interface Refusable {
  first: Sending | null;
  readonly refusal: string | null;
}

export interface Sending {
  readonly statement: Planned;
  readonly parameters: Parameters | null;
}

/** Finds refused transactions that no later transaction with the same first statement and parameters repeats. */
export class Refusals {
  readonly #open = new Map<string, { readonly code: string; readonly shape: string }[]>();

  /** Notes a statement on rows. The first of a transaction may repeat a refused transaction. */
  sends(transaction: Refusable, statement: Planned, parameters: Parameters | null): void {
    if (transaction.first !== null || statement.isAdded) return;
    const first = { statement, parameters };
    transaction.first = first;
    this.begins(() => keyOf(first));
  }

  aborted({ refusal: code, first }: Refusable): void {
    if (first === null || code === null || !CODES.has(code)) return;
    this.refuses(keyOf(first), code, first.statement.plan.shape);
  }

  /** Notes the first statement of a refused transaction; equal keys mean equal statements with equal values. */
  refuses(key: string, code: string, shape: string): void {
    this.#open.set(key, [...(this.#open.get(key) ?? []), { code, shape }]);
  }

  /** Notes the first statement of a transaction. */
  begins(keyOfFirst: () => string): void {
    if (this.#open.size === 0) return;
    const key = keyOfFirst();
    const open = this.#open.get(key);
    if (open === undefined) return;
    if (open.length === 1) this.#open.delete(key);
    else open.pop();
  }

  left(told: (shape: string) => string): Refused[] {
    const kinds = new Map<string, Refused>();
    for (const { code, shape } of [...this.#open.values()].flat()) {
      const known = kinds.get(`${code} ${shape}`);
      kinds.set(`${code} ${shape}`, { code, statements: [told(shape)], count: (known?.count ?? 0) + 1 });
    }
    return [...kinds.values()].toSorted((a, b) => b.count - a.count);
  }
}

function keyOf({ statement, parameters }: Sending): string {
  const hash = createHash('sha256').update(statement.text);
  for (let i = 0; i < (parameters?.length ?? 0); i++) {
    const value = parameters!.at(i)?.value ?? null;
    hash.update(value === null ? '\0' : `\x01${value.length}\0`).update(value ?? '');
  }
  return hash.digest('base64');
}
