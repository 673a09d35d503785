import type { LevelName } from '@isolab/contract';
import { countTransactions } from '@isolab/history';
import { decide } from '@isolab/oracle';
import { describe, expect, test } from 'vitest';
import {
  PLANTED,
  ParameterError,
  type PlantedName,
  type SimulationOptions,
  findWorkload,
  resolveParameters,
  simulate,
} from '../src/index.ts';

const generated = (options: Partial<SimulationOptions>, settings = {}) => {
  const general = findWorkload('general')!;
  const level = 'strict-serializable';
  return simulate(general, resolveParameters(general, { keys: '3', operations: '2', ...settings }), {
    level,
    sessions: 1,
    transactions: 2,
    seed: 1,
    ...options,
  }).history;
};

/** The weakest level that each breaks, and one that it keeps. */
const EFFECTS: Readonly<Record<PlantedName, readonly [breaks: LevelName, keeps: LevelName | null]>> = {
  'lost-update': ['adya-snapshot-isolation', 'causal'],
  'aborted-read': ['read-committed-pl2', null],
  'future-read': ['read-committed', null],
  g1c: ['read-committed-pl2', null],
  'long-fork': ['adya-snapshot-isolation', 'causal'],
  'g-sib': ['read-atomic', 'read-committed'],
};

describe.each(Object.keys(PLANTED) as PlantedName[])('a planted %s', (planted) => {
  const [breaks, keeps] = EFFECTS[planted];

  test(`a planted anomaly breaks ${breaks} and snapshot isolation, on all keys`, () => {
    for (let seed = 0; seed < 20; seed++) {
      const history = generated({ planted, seed });
      expect(decide(history, breaks).satisfied).toBe(false);
      expect(decide(history, 'adya-snapshot-isolation').satisfied).toBe(false);
      if (keeps !== null) expect(decide(history, keeps).satisfied).toBe(true);
    }
  });

  test('a planted anomaly is the only difference', () => {
    const without = generated({});
    const added = countTransactions(generated({ planted })) - countTransactions(without);
    expect(added).toBe(PLANTED[planted].length);
    expect(decide(without, 'strict-serializable').satisfied).toBe(true);
  });
});

test('an anomaly needs three numbered keys', () => {
  expect(() => generated({ planted: 'g1c' }, { keys: '2' })).toThrow(ParameterError);
});
