import { bank } from './bank.ts';
import { counter } from './counter.ts';
import type { JepsenChecker } from './events.ts';
import { longFork } from './long-fork.ts';
import { set } from './set.ts';
import { setFull } from './set-full.ts';
import { comments, sequential } from './visibility.ts';

export { IllegalHistory, type JepsenChecker, type JepsenOptions, type JepsenResults } from './events.ts';

/** Jepsen's checkers of workloads, under the names that elle-cli gives them. */
export const JEPSEN_CHECKERS: Readonly<Record<string, JepsenChecker>> = {
  bank,
  counter,
  set,
  'set-full': setFull,
  'long-fork': longFork,
  comments,
  sequential,
};
