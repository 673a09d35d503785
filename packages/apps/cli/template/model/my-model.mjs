// @ts-check
/**
 * An object of your own, for `isolab check history.jsonl --model ./my-model.mjs`: here a counter that never goes below
 * zero. docs/models.md has all that a model may have. Change it, and try it: `isolab test ./my-model.mjs`.
 */
import { defineModel } from 'isolab/plugin';

export default defineModel({
  name: 'my-model',

  /** The first state, any plain data. States are never changed: `step` returns a new one. */
  initial: 0,

  /** The names of operations; any other one is an error of the input. */
  functions: ['take', 'put', 'read'],

  /** Operations that never change a state are cheaper to judge, and left out of explanations. */
  isRead: ({ f }) => f === 'read',

  /**
   * The state that an operation leaves behind, or undefined if it cannot have had this result in this state. Of an
   * operation that never returned, the result is undefined: it may be anything.
   */
  step(state, { f, result }) {
    if (f === 'put') return state + 1;
    if (f === 'read') return result === undefined || result === state ? state : undefined;
    const isTaken = state > 0; // take answers whether there was something to take
    return result === undefined || result === isTaken ? Math.max(0, state - 1) : undefined;
  },

  /** A state in words. */
  show: (state) => `${state} left`,

  /** What the test plays with: calls, and what they may return in some state. */
  examples: [
    { f: 'put' },
    { f: 'take', result: true },
    { f: 'take', result: false },
    { f: 'read', result: 0 },
    { f: 'read', result: 1 },
    { f: 'read', result: 2 },
  ],
});
