import type { RunContext, Verdict } from '@isolab/contract';
import type { History } from '@isolab/history';
import { TestContext, defaultsOf, prepare } from '@isolab/testkit';
import { type DbcopOptions, dbcop } from '../../src/index.ts';
import type { DbcopLevel } from '../../src/levels.ts';

export const check = (
  history: History,
  level: DbcopLevel,
  options: Partial<DbcopOptions> = {},
  context: RunContext = new TestContext(),
): Verdict => dbcop.check(prepare(history), level, { ...defaultsOf(dbcop), ...options }, context) as Verdict;

export const statusOf = (history: History, level: DbcopLevel, options: Partial<DbcopOptions> = {}): string =>
  check(history, level, options).status;
