import { describeChecker, drawn, draws } from '@isolab/testkit';
import { weave } from '../src/index.ts';

describeChecker(weave, { runs: draws(15), exhaustive: drawn() });
