import type { OperationHistory } from '../history/history.ts';
import { IMPOSSIBLE, Machine } from './machine.ts';
import type { SequentialModel } from './model.ts';

/** The whole object: the states of all parts as one number. The model determines the parts. */
export class WholeMachine {
  readonly initial: number;
  readonly machine: Machine;
  readonly #part: Int32Array; // by operation
  readonly #states: Int32Array[] = []; // by state of the whole object: the states of its parts
  readonly #byText = new Map<string, number>();
  readonly #steps = new Map<number, number>();
  readonly #numOperations: number;
  readonly #names: readonly string[];
  /** For each operation, the first operation with the same effect on the same part. */
  readonly #alike: Int32Array;

  constructor(model: SequentialModel, history: OperationHistory) {
    const machine = (this.machine = new Machine(model, history));
    const parts = new Map<string, number>();
    const alike = new Map<string, number>();
    this.#numOperations = history.operations.length;
    this.#part = Int32Array.from(history.operations, (operation) => {
      const name = machine.partOf(operation);
      if (!parts.has(name)) parts.set(name, parts.size);
      return parts.get(name)!;
    });
    this.#alike = this.#part.map((part, i) => {
      const text = `${part} ${machine.classOf[i]}`;
      if (!alike.has(text)) alike.set(text, i);
      return alike.get(text)!;
    });
    this.#names = [...parts.keys()];
    this.initial = this.#idOf(new Int32Array(parts.size).fill(machine.initial));
  }

  isRead(i: number): boolean {
    return this.machine.isRead(this.machine.classOf[i]);
  }

  /** Returns the state after an operation of the history, or IMPOSSIBLE. */
  step(state: number, i: number): number {
    const pair = state * this.#numOperations + this.#alike[i];
    let reached = this.#steps.get(pair);
    if (reached === undefined) this.#steps.set(pair, (reached = this.#compute(state, i)));
    return reached;
  }

  /** Describes the state after each operation of an order. */
  statesAlong(order: readonly number[]): readonly string[] {
    let state = this.initial;
    return order.map((i) => this.#show((state = this.step(state, i))));
  }

  showAt(order: readonly number[]): string {
    return this.statesAlong(order).at(-1) ?? this.#show(this.initial);
  }

  #show(state: number): string {
    const shown = Array.from(this.#states[state], (each) => this.machine.show(each));
    return shown.length === 1 ? shown[0] : this.#names.map((name, part) => `${name}: ${shown[part]}`).join(', ');
  }

  #compute(state: number, i: number): number {
    const states = this.#states[state];
    const next = this.machine.step(states[this.#part[i]], this.machine.classOf[i]);
    if (next === IMPOSSIBLE) return IMPOSSIBLE;
    return next === states[this.#part[i]] ? state : this.#idOf(states.with(this.#part[i], next));
  }

  #idOf(states: Int32Array): number {
    const text = states.join();
    let id = this.#byText.get(text);
    if (id === undefined) this.#byText.set(text, (id = this.#states.push(states) - 1));
    return id;
  }
}
