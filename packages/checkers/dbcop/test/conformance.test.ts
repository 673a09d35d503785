import { describeChecker } from '@isolab/testkit';
import { dbcop } from '../src/index.ts';

describeChecker(dbcop, {
  // It promises what the published tool does, blind spots included.
  variants: { 'as-published': { sound: false, complete: false } },
});
