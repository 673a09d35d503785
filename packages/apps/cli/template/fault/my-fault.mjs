// @ts-check
/**
 * A fault of the simulated database: `isolab generate contention history.jsonl --level serializable --faults
 * ./my-fault.mjs=0.1`. Here a read misses the last commit of its key. Change it, and test it:
 * `isolab test ./my-fault.mjs`.
 */
import { defineFault } from 'isolab/plugin';

export default defineFault({
  name: 'my-fault',
  title: 'a read misses the last commit of its key',
  /** The weakest levels that the fault breaks if the database runs at the level `at`. */
  breaks: ['read-committed', 'cut-isolation'],
  at: 'serializable',

  /** Called once for a history: the returned methods replace methods of the database. */
  inject({ engine, strikes }) {
    /** Values of the keys before their last commits. @type {Map<number, number>} */
    const before = new Map();
    return {
      read(attempt, key) {
        const value = engine.read(attempt, key); // a number that represents a value; 0: no value
        const old = before.get(key);
        return old !== undefined && strikes() ? old : value;
      },
      commit(attempt) {
        const held = attempt.writtenKeys.map((key) => engine.newest?.(key) ?? 0);
        const isCommitted = engine.commit(attempt);
        if (isCommitted) for (const [i, key] of attempt.writtenKeys.entries()) before.set(key, held[i] ?? 0);
        return isCommitted;
      },
    };
  },
});
