import { RANDOM_MODELS, firstDisagreement } from '@isolab/testkit';
import { describe, expect, test } from 'vitest';
import { checkSequential } from '../../src/sequential/index.ts';

/** Number of random histories of each model; a soak takes more. */
const RUNS = Number(process.env['ISOLAB_COUNT'] ?? 1500);
const SEED = Number(process.env['ISOLAB_SEED'] ?? 1);

describe('sequential consistency agrees with a search of all orders', () => {
  test.each(RANDOM_MODELS)('%s', (name) => {
    expect(firstDisagreement(checkSequential, 'sequential', name, { runs: RUNS, seed: SEED })).toBeNull();
  });
});
