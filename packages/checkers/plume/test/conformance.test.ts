import { describeChecker } from '@isolab/testkit';
import { plume } from '../src/index.ts';

describeChecker(plume);
