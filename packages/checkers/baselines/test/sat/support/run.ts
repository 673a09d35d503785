import { defaultsOf } from '@isolab/testkit';
import { baselinesSat } from '../../../src/sat/index.ts';
import type { SatOptions } from '../../../src/sat/baselines-sat.ts';

export const DEFAULTS = defaultsOf(baselinesSat) as SatOptions & { readonly encoding: 'auto' };
