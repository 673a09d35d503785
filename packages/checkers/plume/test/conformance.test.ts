import { describeChecker } from '@isolab/testkit';
import { plume } from '../src/index.ts';

describeChecker(plume, {
  // It promises the behaviour of the published tool, not the meaning of the levels.
  variants: { 'as-published': { sound: false, complete: false } },
});
