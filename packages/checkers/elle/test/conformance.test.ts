import { describeChecker, drawn, draws } from '@isolab/testkit';
import { elle } from '../src/index.ts';

// Eleven levels with four variants each: the sum is large. The oracle is asked more in oracle.test.ts.
describeChecker(elle, {
  runs: draws(12),
  exhaustive: drawn([
    { bounds: { sessions: 2, transactions: 2, keys: 2, operations: 2 }, every: 7 },
    { bounds: { sessions: 3, transactions: 4, keys: 2, operations: 1 }, every: 29 },
  ]),
  variants: {
    // Such variants assume properties of keys that some of the levels do not promise.
    'sequential-keys': { sound: false },
    'linearizable-keys': { sound: false },
  },
});
