import { LEVELS } from '@isolab/contract';
import { describeChecker, drawn, draws } from '@isolab/testkit';
import { axioms } from '../src/index.ts';

// At the levels that the hand-written oracle decides; agreement.test.ts has all others.
const levels = LEVELS.map(({ name }) => name).filter((name) => axioms.info.levels.includes(name));

describeChecker({ ...axioms, info: { ...axioms.info, levels } }, { runs: draws(12), exhaustive: drawn() });
