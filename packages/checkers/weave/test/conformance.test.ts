import { describeChecker } from '@isolab/testkit';
import { weave } from '../src/index.ts';

describeChecker(weave, { runs: 15 });
