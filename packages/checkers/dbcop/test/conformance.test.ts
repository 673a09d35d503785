import { describeChecker, drawn, draws } from '@isolab/testkit';
import { dbcop } from '../src/index.ts';

describeChecker(dbcop, {
  runs: draws(25),
  exhaustive: drawn([
    { bounds: { sessions: 2, transactions: 2, keys: 2, operations: 2 }, every: 3 },
    { bounds: { sessions: 3, transactions: 4, keys: 2, operations: 1 }, every: 7 },
    { bounds: { sessions: 3, transactions: 3, keys: 2, operations: 2 }, every: 397 },
  ]),
  // A failed search has no short proof; the findings of saturation are verified in agreement.test.ts.
  certificates: 'satisfied',
  // It promises the behaviour of the published tool, faults included.
  variants: { 'as-published': { sound: false, complete: false } },
});
