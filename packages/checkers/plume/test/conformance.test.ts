import { describeChecker } from '@isolab/testkit';
import { plume } from '../src/index.ts';

describeChecker(plume, {
  // It promises what the published tool does, not what the levels mean.
  variants: { 'as-published': { sound: false, complete: false } },
});
