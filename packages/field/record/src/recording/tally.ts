import type { Planned } from '../sql/planned.ts';

/** The number of executions of one shape of statement, and the part of it that cannot be followed. */
export interface ShapeCount {
  readonly shape: string;
  calls: number;
  readonly opaque: string | null;
  readonly mayWriteUnseen: boolean;
}

export class Tally {
  readonly #numbers = new Map<string, number>();
  readonly #counts = new Map<string, ShapeCount>();
  readonly #changes = new Map<string, number>();
  readonly #updatedUnknown = new Set<string>();
  readonly #told: (shape: string) => string;
  #newShapes: (readonly [number, string])[] = [];

  /** `told` returns the publishable form of a shape. */
  constructor(told: (shape: string) => string) {
    this.#told = told;
  }

  count({ plan: { shape, opaque, mayWriteUnseen, does } }: Planned, tag: string | null): void {
    this.countShape({ shape, opaque, mayWriteUnseen });
    if (does.kind !== 'update' && does.kind !== 'delete') return;
    const rows = Number(/\d+$/.exec(tag ?? '')?.[0] ?? 0);
    this.change(does.source.table.name, rows);
  }

  countShape({ shape: whole, opaque, mayWriteUnseen }: Omit<ShapeCount, 'calls'>): void {
    const shape = this.#told(whole);
    const known = this.#counts.get(shape);
    if (known) known.calls++;
    else this.#counts.set(shape, { shape, calls: 1, opaque, mayWriteUnseen });
  }

  change(table: string, rows: number): void {
    this.#changes.set(table, this.changesOf(table) + rows);
  }

  /** Notes that a row of the table was updated and that the replaced version is unknown. */
  updatesUnknown(table: string): void {
    this.#updatedUnknown.add(table);
  }

  hasUpdatedUnknown(table: string): boolean {
    return this.#updatedUnknown.has(table);
  }

  changesOf(table: string): number {
    return this.#changes.get(table) ?? 0;
  }

  numberOf(whole: string): number {
    const shape = this.#told(whole);
    const known = this.#numbers.get(shape);
    if (known !== undefined) return known;
    const number = this.#numbers.size;
    this.#numbers.set(shape, number);
    this.#newShapes.push([number, shape]);
    return number;
  }

  /** Returns the shapes that have not yet been written to a line, and clears them. */
  takeNewShapes(): readonly (readonly [number, string])[] {
    const taken = this.#newShapes;
    this.#newShapes = [];
    return taken;
  }

  get shapes(): readonly ShapeCount[] {
    return [...this.#counts.values()].toSorted((a, b) => b.calls - a.calls);
  }
}
