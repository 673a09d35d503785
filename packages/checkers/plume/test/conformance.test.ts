import { buildReadFrom, findInternalAnomalies } from '@isolab/history';
import { describeChecker } from '@isolab/testkit';
import { plume } from '../src/index.ts';

describeChecker(plume, {
  // It promises what the published tool does, not what the levels mean.
  variants: { 'as-published': { sound: false, complete: false } },
  // See README.md: internal patterns of lists.
  except: (history) => {
    if (history.lists.parent.length === 1) return false;
    const { counts } = findInternalAnomalies(history, buildReadFrom(history));
    return counts['non-repeatable-read'] + counts['future-read'] > 0;
  },
});
