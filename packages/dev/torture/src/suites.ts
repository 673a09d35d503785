import { agreement } from './agreement/agreement.ts';
import { both } from './both/both.ts';
import { certificates } from './certificates/certificates.ts';
import { clocks } from './clocks/clocks.ts';
import { inputs } from './inputs/inputs.ts';
import { kills } from './kills/kills.ts';
import { levels } from './levels/levels.ts';
import { library } from './library/library.ts';
import { names } from './names/names.ts';
import { plugins } from './plugins/plugins.ts';
import { rows } from './agreement/rows.ts';
import { streams } from './streams/streams.ts';
import { stories } from './stories/stories.ts';
import type { Suite } from './suite/suite.ts';

/** All suites. To add one, write its file and list it here; its short form then runs with the tests. */
export const SUITES: readonly Suite[] = [
  agreement,
  rows,
  levels,
  library,
  stories,
  clocks,
  inputs,
  names,
  certificates,
  both,
  plugins,
  kills,
  streams,
];
