import { EMPTY_LIST, type History, atomOf } from '@isolab/history';
import { Action, Model } from './operations.ts';

/** States of one key, as numbers. Equal numbers mean equal states. Two numbers of a text may also mean equal states. */
export interface States {
  readonly initial: number;
  /** Returns the state that an operation leads to, or ILLEGAL. */
  step(state: number, action: number, a: number, b: number): number;
}

export const ILLEGAL = -1;

export function statesOf(history: History, key: number, model: number): States {
  if (model === Model.Text) return new Texts(history, key);
  if (model === Model.List) return new Lists(history);
  return { initial: history.keyInitial[key], step: stepRegister };
}

/** States are value ids. */
function stepRegister(state: number, action: number, a: number, b: number): number {
  switch (action) {
    case Action.Read:
      return state === a ? state : ILLEGAL;
    case Action.Write:
      return b;
    case Action.Exchange:
      return state === a ? b : ILLEGAL;
    case Action.FindOther:
      return state === a ? ILLEGAL : state;
    case Action.TryExchange:
      return state === a ? b : state;
    default:
      return state;
  }
}

/** A state for every sequence of appends. The texts are kept for comparison with reads. */
class Texts implements States {
  readonly initial: number;
  readonly #history: History;
  readonly #text: string[] = [];
  readonly #written = new Map<number, number>(); // by value id
  readonly #appended = new Map<number, number>(); // by state and value id
  readonly #textOfValue = new Map<number, string>();

  constructor(history: History, key: number) {
    this.#history = history;
    this.initial = this.#whole(history.keyInitial[key]);
  }

  step(state: number, action: number, a: number, b: number): number {
    switch (action) {
      case Action.ReadText:
        return this.#text[state] === this.#valueText(a) ? state : ILLEGAL;
      case Action.WriteText:
        return this.#whole(b);
      case Action.Append: {
        const pair = state * this.#history.values.type.length + b;
        let next = this.#appended.get(pair);
        if (next === undefined)
          this.#appended.set(pair, (next = this.#text.push(this.#text[state] + this.#valueText(b)) - 1));
        return next;
      }
      default:
        return state;
    }
  }

  #whole(value: number): number {
    let state = this.#written.get(value);
    if (state === undefined) this.#written.set(value, (state = this.#text.push(this.#valueText(value)) - 1));
    return state;
  }

  #valueText(value: number): string {
    let text = this.#textOfValue.get(value);
    if (text === undefined) {
      const atom = atomOf(this.#history.values, value);
      this.#textOfValue.set(value, (text = typeof atom === 'string' ? atom : atom === null ? '' : String(atom)));
    }
    return text;
  }
}

/** Lists as states. Equal lists have one number, so a read only compares numbers. */
class Lists implements States {
  readonly initial = 0;
  readonly #history: History;
  readonly #appended = new Map<number, number>(); // by state and value id
  readonly #ofNode = new Map<number, number>([[EMPTY_LIST, 0]]);
  #count = 1;

  constructor(history: History) {
    this.#history = history;
  }

  step(state: number, action: number, a: number, b: number): number {
    if (action === Action.Append) return this.#append(state, b);
    return action === Action.ReadAny || this.#stateOfNode(a) === state ? state : ILLEGAL;
  }

  #append(state: number, value: number): number {
    const pair = state * this.#history.values.type.length + value;
    let next = this.#appended.get(pair);
    if (next === undefined) this.#appended.set(pair, (next = this.#count++));
    return next;
  }

  #stateOfNode(node: number): number {
    const { parent, element } = this.#history.lists;
    const path: number[] = [];
    while (!this.#ofNode.has(node)) {
      path.push(node);
      node = parent[node];
    }
    let state = this.#ofNode.get(node)!;
    for (let next = path.pop(); next !== undefined; next = path.pop()) {
      state = this.#append(state, element[next]);
      this.#ofNode.set(next, state);
    }
    return state;
  }
}
