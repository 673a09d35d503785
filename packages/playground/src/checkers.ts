/** The checkers that run in a page: all that come with isolab but the baselines, which need solvers of other people. */

import type { Checker } from '@isolab/contract';
import cobra from '@isolab/cobra';
import dbcop from '@isolab/dbcop';
import elle from '@isolab/elle';
import mtc from '@isolab/mtc';
import plume from '@isolab/plume';
import polysi from '@isolab/polysi';
import porcupine from '@isolab/porcupine';
import { type CheckerRef, asChecker } from '@isolab/runner';
import viper from '@isolab/viper';
import weave from '@isolab/weave';

export const CHECKERS: readonly Checker[] = Object.entries({
  weave,
  plume,
  dbcop,
  cobra,
  polysi,
  viper,
  mtc,
  elle,
  porcupine,
}).map(([name, checker]) => asChecker(checker, name));

export function checkerRef(name: string): CheckerRef {
  const checker = CHECKERS.find(({ info }) => info.name === name);
  if (!checker) throw new RangeError(`There is no checker ${name} in this page.`);
  return { checker, url: null };
}
