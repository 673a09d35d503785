import type { RunContext, Verdict } from '@isolab/contract';
import type { History } from '@isolab/history';
import { TestContext, prepare } from '@isolab/testkit';
import { porcupine } from '../../src/index.ts';

export const check = (history: History, context: RunContext = new TestContext()): Verdict =>
  porcupine.check(prepare(history), 'linearizable', {}, context) as Verdict;
