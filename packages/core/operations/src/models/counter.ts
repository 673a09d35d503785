import { type SequentialModel, defineModel } from '../machine/model.ts';
import type { Value } from '../history/value.ts';
import { numberOf } from './arguments.ts';

/**
 * A number, initially 0: `add` adds its argument and may return the sum, `inc` adds 1, and `read` returns the number.
 */
export const counter = (): SequentialModel<bigint> =>
  defineModel({
    name: 'counter',
    initial: 0n,
    functions: ['add', 'inc', 'dec', 'read'],
    isRead: ({ f }) => f === 'read',
    step(state, { f, argument, result }) {
      if (f === 'read') return result === undefined || numberOf(result, 'result of read') === state ? state : undefined;
      return state + (f === 'add' ? numberOf(argument, 'argument of add') : f === 'inc' ? 1n : -1n);
    },
  });

/** A lock that any process may release: `acquire` requires it to be free, `release` requires it to be held. */
export const mutex = (): SequentialModel<Value> =>
  defineModel<Value>({
    name: 'mutex',
    initial: 'free',
    show: String,
    functions: ['acquire', 'release'],
    step: (state, { f }) => {
      if (f === 'acquire') return state === 'free' ? 'held' : undefined;
      return state === 'held' ? 'free' : undefined;
    },
  });
