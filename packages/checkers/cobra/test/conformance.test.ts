import { describeChecker } from '@isolab/testkit';
import { cobra } from '../src/index.ts';

describeChecker(cobra, {
  runs: 15,
  exhaustive: [
    { bounds: { sessions: 2, transactions: 2, keys: 2, operations: 2 }, every: 7 },
    { bounds: { sessions: 3, transactions: 3, keys: 2, operations: 2 }, every: 797 },
  ],
  // It promises the behaviour of the published tool, not the meaning of the levels.
  variants: { 'as-published': { sound: false, complete: false } },
});
