// @ts-check
/**
 * A distribution of keys, for every workload that has a parameter `distribution`: `--set distribution=./my-distribution.mjs`.
 * Here the keys in the middle are the likeliest. Change it, and test it: `isolab test ./my-distribution.mjs`.
 */
import { defineDistribution } from 'isolab/plugin';

export default defineDistribution({
  name: 'my-distribution',
  title: 'the keys in the middle are the likeliest: the mean of two throws',

  /** Draws one of `size` numbers, from 0, with `random` alone. `exponent` is the workload's parameter of that name. */
  draw: (size, _exponent) => (random) => Math.floor((random.below(size) + random.below(size)) / 2),
});
