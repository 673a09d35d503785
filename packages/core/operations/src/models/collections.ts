import type { Operation } from '../history/history.ts';
import { type SequentialModel, defineModel } from '../machine/model.ts';
import { type Value, equalValues, textOf } from '../history/value.ts';
import { elementsOf } from './arguments.ts';

/** First in, first out: `dequeue` returns the oldest element, or nil if the queue is empty. */
export const fifoQueue = (): SequentialModel<readonly Value[]> =>
  defineModel<readonly Value[]>({
    name: 'fifo-queue',
    initial: [],
    functions: ['enqueue', 'dequeue'],
    step: (state, operation) =>
      operation.f === 'enqueue' ? [...state, operation.argument] : taken(state, 0, operation),
  });

/** Last in, first out. */
export const stack = (): SequentialModel<readonly Value[]> =>
  defineModel<readonly Value[]>({
    name: 'stack',
    initial: [],
    functions: ['push', 'pop'],
    step: (state, operation) =>
      operation.f === 'push' ? [...state, operation.argument] : taken(state, state.length - 1, operation),
  });

/** Removes the element at a place, if it is the returned element. */
function taken(state: readonly Value[], at: number, { result }: Operation): readonly Value[] | undefined {
  if (state.length === 0) return (result ?? null) === null ? state : undefined;
  return result === undefined || equalValues(state[at], result) ? state.toSpliced(at, 1) : undefined;
}

/** An unordered queue: `dequeue` returns any of its elements, or nil if it is empty. */
export const unorderedQueue = (): SequentialModel<readonly Value[]> =>
  defineModel<readonly Value[]>({
    name: 'unordered-queue',
    initial: [],
    functions: ['enqueue', 'dequeue'],
    hash: sortedText,
    equal: (a, b) => sortedText(a) === sortedText(b),
    steps(state, operation) {
      if (operation.f === 'enqueue') return [[...state, operation.argument]];
      const { result } = operation;
      if (state.length === 0) return (result ?? null) === null ? [state] : [];
      const places = [...state.keys()].filter((at) => result === undefined || equalValues(state[at], result));
      return (result === undefined ? places : places.slice(0, 1)).map((at) => state.toSpliced(at, 1));
    },
  });

const sortedText = (state: readonly Value[]): string => state.map(textOf).toSorted().join();

/** A set: `add` inserts an element, `remove` deletes an element, and `read` returns all elements. */
export const set = (): SequentialModel<readonly string[]> =>
  defineModel<readonly string[]>({
    name: 'set',
    initial: [],
    functions: ['add', 'remove', 'read'],
    isRead: ({ f }) => f === 'read',
    step(state, operation) {
      const { f, argument, result } = operation;
      if (f === 'read') return result === undefined || isSameSet(state, elementsOf(operation)) ? state : undefined;
      const element = textOf(argument);
      const isIn = state.includes(element);
      if (f === 'add') return isIn ? state : [...state, element].toSorted();
      return isIn ? state.filter((one) => one !== element) : state;
    },
    show: (state) => `{${state.join(', ')}}`,
  });

const isSameSet = (state: readonly string[], elements: readonly Value[]): boolean => {
  const found = new Set(elements.map(textOf));
  return found.size === state.length && state.every((element) => found.has(element));
};
