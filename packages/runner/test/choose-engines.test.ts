import { type CheckerInfo, defineChecker } from '@isolab/contract';
import { describe, expect, test } from 'vitest';
import { type CheckerRef, chooseEngines, internalOnly, prepare, run } from '../src/index.ts';
import { historyOf, r, smallHistory, w } from './support/moody.ts';

const checkerOf = (name: string, given: Partial<CheckerInfo<object>>): CheckerRef => ({
  url: null,
  checker: defineChecker<object>({
    info: {
      name,
      title: name,
      version: '1.0.0',
      apiVersion: 1,
      paper: null,
      levels: ['causal'],
      sound: true,
      complete: true,
      requires: [],
      options: {},
      variants: {},
      ...given,
    },
    check: () => ({ status: 'satisfied' }),
  }),
});

const prepared = prepare(smallHistory());

describe('where no checker is named', () => {
  test('for each level the first one decides that takes the history, and none is loaded for nothing', async () => {
    const loaded: string[] = [];
    const load = async (name: string): Promise<CheckerRef> => {
      loaded.push(name);
      if (name === 'weave') return checkerOf(name, { levels: ['causal', 'prefix'], requires: ['list-append'] });
      return checkerOf(name, { levels: name === 'plume' ? ['causal'] : ['causal', 'prefix'] });
    };
    const engineFor = await chooseEngines(null, load, prepared, ['causal', 'prefix']);
    expect(engineFor('causal').checker.checker.info.name).toBe('plume');
    expect(engineFor('prefix').checker.checker.info.name).toBe('viper');
    expect(loaded).toEqual(['weave', 'plume', 'viper']);
  });

  test('Porcupine is asked before weave where values repeat', async () => {
    const load = async (name: string): Promise<CheckerRef> =>
      checkerOf(name, { levels: name === 'porcupine' ? ['linearizable'] : ['causal', 'linearizable'] });
    const chosenFor = async (repeats: boolean): Promise<string> => {
      const twice = historyOf([[[w('x', 1)]], [[w('x', repeats ? 1 : 2)]], [[r('x', 1)]]]);
      const engineFor = await chooseEngines(null, load, prepare(twice), ['causal', 'linearizable']);
      expect(engineFor('causal').checker.checker.info.name).toBe('weave');
      return engineFor('linearizable').checker.checker.info.name;
    };
    expect(await chosenFor(false)).toBe('weave');
    expect(await chosenFor(true)).toBe('porcupine');
  });

  test('what nobody takes may still show a read that no level allows', async () => {
    const load = async (name: string): Promise<CheckerRef> => checkerOf(name, {});
    const engineFor = await chooseEngines(null, load, prepared, ['serializable']);
    expect(engineFor('serializable').checker).toBe(internalOnly);
    const level = 'serializable';
    const { verdict } = await run({ ...engineFor(level), prepared, level });
    expect(verdict.status).toBe('violated');
    const harmless = prepare(historyOf([[[r('x', 0), w('x', 1)]]]));
    expect((await run({ checker: internalOnly, prepared: harmless, level })).verdict.status).toBe('unknown');
  });
});

test('a named checker is asked whatever it takes', async () => {
  const named = { checker: checkerOf('mine', { levels: [] }) };
  const load = () => Promise.reject(new Error('nothing is to be loaded'));
  expect((await chooseEngines(named, load, prepared, ['causal']))('causal')).toBe(named);
});
