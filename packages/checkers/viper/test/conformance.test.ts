import { type Checker, defineChecker } from '@isolab/contract';
import { describeChecker, drawn, draws } from '@isolab/testkit';
import { type ViperOptions, viper } from '../src/index.ts';

describeChecker(viper, { variants: { 'as-published': { complete: false } }, runs: draws(30), exhaustive: drawn() });

/** Settings of options that no variant names, at two levels. */
const others: Checker<ViperOptions> = defineChecker<ViperOptions>({
  ...viper,
  info: {
    ...viper.info,
    name: 'viper-otherwise',
    levels: ['adya-snapshot-isolation', 'strong-session-snapshot-isolation'],
    variants: {
      steps: { help: 'k grows by steps', options: { growth: 'steps', k: 20 } },
      'coalesced-late': { help: 'only heuristic pruning', options: { optimise: false } },
      seeds: { help: 'solvers take turns', options: { prune: false, seeds: 3 } },
    },
  },
});
const SMALL = [{ bounds: { sessions: 3, transactions: 4, keys: 2, operations: 1 }, every: 12 }];
describeChecker(others, { runs: draws(15), exhaustive: drawn(SMALL) });
