// @ts-check
/**
 * An object of your own, for `isolab check history.jsonl --model ./my-model.mjs`: here a counter that never goes below
 * zero. docs/models.md has all fields of a model. Change it, and test it: `isolab test ./my-model.mjs`.
 */
import { defineModel } from 'isolab/plugin';

export default defineModel({
  name: 'my-model',

  /** The first state, any plain data. States are never changed: `step` returns a new one. */
  initial: 0,

  /** The names of operations; any other name is an error of the input. */
  functions: ['take', 'put', 'read'],

  /** Operations that never change a state are cheaper to check, and are omitted from explanations. */
  isRead: ({ f }) => f === 'read',

  /**
   * The state after an operation, or undefined if the operation cannot have had this result in this state. The result of
   * an operation that never returned is undefined: any result is possible.
   */
  step(state, { f, result }) {
    if (f === 'put') return state + 1;
    if (f === 'read') return result === undefined || result === state ? state : undefined;
    const isTaken = state > 0; // take returns whether the counter was above zero
    return result === undefined || result === isTaken ? Math.max(0, state - 1) : undefined;
  },

  /** A state in words. */
  show: (state) => `${state} left`,

  /** Calls for the test, and the results that they may have in some state. */
  examples: [
    { f: 'put' },
    { f: 'take', result: true },
    { f: 'take', result: false },
    { f: 'read', result: 0 },
    { f: 'read', result: 1 },
    { f: 'read', result: 2 },
  ],
});
