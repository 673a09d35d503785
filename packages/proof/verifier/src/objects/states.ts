import { type Operation, type SequentialModel, nextStates, textOf } from '@isolab/operations';

/** Possible states of each part of an object. Untouched parts are in their initial state. */
export type PartStates = ReadonlyMap<string, readonly unknown[]>;

/** Effects of operations on an object, as the model defines them. */
export class Objects {
  readonly #model: SequentialModel;

  constructor(model: SequentialModel) {
    this.#model = model;
  }

  initial(): PartStates {
    return new Map();
  }

  /** All states that an operation may leave. If it is impossible, its part has no states. */
  after(states: PartStates, operation: Operation): PartStates {
    const part = this.partOf(operation);
    const before = states.get(part) ?? [this.#model.initial];
    const after: unknown[] = [];
    for (const state of before)
      for (const next of nextStates(this.#model, state, operation))
        if (!after.some((known) => this.#isSame(known, next))) after.push(next);
    return new Map(states).set(part, after);
  }

  isNone(states: PartStates): boolean {
    return [...states.values()].some((each) => each.length === 0);
  }

  partOf(operation: Operation): string {
    return this.#model.partition === undefined ? '' : textOf(this.#model.partition(operation));
  }

  /** A text that only equal states share; null if equality is defined only by the model. */
  textOf(states: PartStates): string | null {
    if (this.#model.equal !== undefined) return null;
    return textOf(new Map([...states].map(([part, each]) => [part, each.map(textOf).toSorted()])));
  }

  isSame(a: PartStates, b: PartStates): boolean {
    const parts = new Set([...a.keys(), ...b.keys()]);
    return [...parts].every((part) => {
      const [x, y] = [a.get(part) ?? [this.#model.initial], b.get(part) ?? [this.#model.initial]];
      return x.length === y.length && x.every((one) => y.some((other) => this.#isSame(one, other)));
    });
  }

  #isSame(a: unknown, b: unknown): boolean {
    return this.#model.equal ? this.#model.equal(a, b) : textOf(a) === textOf(b);
  }
}
