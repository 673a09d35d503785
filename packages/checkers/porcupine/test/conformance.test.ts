import { describeChecker } from '@isolab/testkit';
import { porcupine } from '../src/index.ts';

describeChecker(porcupine);
