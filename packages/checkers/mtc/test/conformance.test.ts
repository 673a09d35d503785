import { describeChecker } from '@isolab/testkit';
import { mtc } from '../src/index.ts';
import { isOfSingleKeys } from './support/run.ts';

describeChecker(mtc, {
  except: (history, level) => level === 'linearizable' && !isOfSingleKeys(history),
});
