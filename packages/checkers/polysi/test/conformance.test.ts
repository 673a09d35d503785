import { describeChecker } from '@isolab/testkit';
import { polysi } from '../src/index.ts';

describeChecker(polysi, {
  // It accepts stale reads of initial states, as the artifact does.
  variants: { 'as-published': { sound: true, complete: false } },
});
