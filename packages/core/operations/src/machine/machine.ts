import { type Operation, OperationError, type OperationHistory } from '../history/history.ts';
import { ModelError, type SequentialModel, nextStates } from './model.ts';
import { showValue, textOf } from '../history/value.ts';

export const IMPOSSIBLE = -1;

/**
 * A model whose states are numbers, which a search can compare and store. If a model leaves its state open, a number
 * represents the set of possible states. Each step is computed once: a model does not distinguish operations with equal
 * names, arguments and results.
 */
export class Machine {
  readonly initial: number;
  readonly classOf: Int32Array;
  readonly #model: SequentialModel;
  readonly #example: Operation[] = [];
  readonly #isRead: boolean[] = [];
  readonly #states: States;
  readonly #steps = new Map<number, number>();

  constructor(model: SequentialModel, { operations }: OperationHistory) {
    this.#model = model;
    this.#states = new States(model);
    this.initial = this.#states.setOf([this.#states.idOf(model.initial)]);
    const classes = new Map<string, number>();
    this.classOf = Int32Array.from(operations, (operation) => {
      if (model.functions?.includes(operation.f) === false)
        throw new OperationError(
          operation,
          `the operation ${operation.f}`,
          `one of ${model.name}: ${model.functions.join(', ')}`,
        );
      const { f, argument, result, return: returned } = operation;
      const text = `${f} ${textOf(argument)} ${textOf(result)} ${returned === null}`;
      let known = classes.get(text);
      if (known === undefined) {
        classes.set(text, (known = classes.size));
        this.#example.push(operation);
        this.#isRead.push(this.#asked('isRead', operation, () => model.isRead?.(operation) === true));
      }
      return known;
    });
  }

  /** Returns whether operations of a class never change any state. */
  isRead(operationClass: number): boolean {
    return this.#isRead[operationClass];
  }

  /** Returns the part of the object that an operation accesses, as a text; a constant if the model has no parts. */
  partOf(operation: Operation): string {
    const { partition } = this.#model;
    return partition === undefined ? '' : this.#asked('partition', operation, () => textOf(partition(operation)));
  }

  /** Returns the state after an operation of a class, or IMPOSSIBLE. */
  step(state: number, operationClass: number): number {
    const pair = state * this.#example.length + operationClass;
    let reached = this.#steps.get(pair);
    if (reached === undefined) this.#steps.set(pair, (reached = this.#compute(state, operationClass)));
    return reached;
  }

  show(state: number): string {
    const { show = showValue } = this.#model;
    return this.#states
      .members(state)
      .map((id) => show(this.#states.state(id)))
      .join(' or ');
  }

  #compute(from: number, operationClass: number): number {
    const states = this.#states;
    const operation = this.#example[operationClass];
    const reached = new Set<number>();
    for (const id of states.members(from)) {
      const before = states.state(id);
      for (const next of this.#asked('step', operation, () => nextStates(this.#model, before, operation)))
        reached.add(states.idOf(next));
      if (!states.isUnchanged(id))
        throw new ModelError(
          `${this.#model.name}: ${named(operation)} changed the state that it was given; return a new one`,
        );
    }
    if (reached.size === 0) return IMPOSSIBLE;
    const to = states.setOf([...reached]);
    // A read can still rule out some of several possible states.
    if (this.#isRead[operationClass] && ![...reached].every((id) => states.members(from).includes(id)))
      throw new ModelError(`${this.#model.name}: isRead accepts ${named(operation)}, but it changes the state`);
    return to;
  }

  #asked<Answer>(what: string, operation: Operation, ask: () => Answer): Answer {
    try {
      return ask();
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new ModelError(`${this.#model.name}: ${what} failed at ${named(operation)}: ${why}`);
    }
  }
}

/** Numbers for states, and for sets of states. */
class States {
  readonly #model: SequentialModel;
  readonly #states: unknown[] = [];
  readonly #hashes: (string | number)[] = [];
  readonly #byHash = new Map<string | number, number[]>();
  readonly #sets: number[][] = [];
  readonly #bySet = new Map<string, number>();

  constructor(model: SequentialModel) {
    this.#model = model;
  }

  state(id: number): unknown {
    return this.#states[id];
  }

  members(set: number): readonly number[] {
    return this.#sets[set];
  }

  isUnchanged(id: number): boolean {
    return this.#hashOf(this.#states[id]) === this.#hashes[id];
  }

  idOf(state: unknown): number {
    const hash = this.#hashOf(state);
    let alike = this.#byHash.get(hash);
    if (alike === undefined) this.#byHash.set(hash, (alike = []));
    // The default hash is the contents, so equal hashes mean equal states.
    const { hash: given, equal } = this.#model;
    const isSame = (id: number): boolean =>
      equal ? equal(this.#states[id], state) : given === undefined || textOf(this.#states[id]) === textOf(state);
    const known = alike.find(isSame);
    if (known !== undefined) return known;
    const id = this.#states.push(state) - 1;
    this.#hashes.push(hash);
    alike.push(id);
    return id;
  }

  setOf(ids: readonly number[]): number {
    const sorted = ids.toSorted((a, b) => a - b);
    const text = sorted.join();
    let set = this.#bySet.get(text);
    if (set === undefined) this.#bySet.set(text, (set = this.#sets.push(sorted) - 1));
    return set;
  }

  #hashOf(state: unknown): string | number {
    try {
      return this.#model.hash ? this.#model.hash(state) : this.#model.equal ? 0 : textOf(state);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new ModelError(`${this.#model.name}: a state cannot be compared: ${why}; add hash and equal to the model`);
    }
  }
}

const named = ({ f, argument, result, place }: Operation): string =>
  `${f} ${showValue(argument)} → ${result === undefined ? '?' : showValue(result)}${place === undefined ? '' : ` (${place})`}`;
