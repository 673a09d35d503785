import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { prepare, run } from '../src/index.ts';
import { PLACES, fixture, historyOf, loadFixture, r, w } from './support/moody.ts';

const code = readFileSync(fixture('hello-checker.mjs'), 'utf8');
/** Resolves packages as for a reader, who has all of isolab. */
const told = code.replace('@isolab/contract', 'isolab/plugin');

describe('the plug-in in docs/plugin-checker.md', () => {
  test('the plug-in in docs/plugin-checker.md is the entry that is tested here', () => {
    const page = readFileSync(new URL('../../../../docs/plugin-checker.md', import.meta.url), 'utf8');
    expect(/```js\n([^]*?)```/.exec(page)?.[1]).toBe(told);
  });

  test('the plug-in in docs/plugin-checker.md has fewer than 60 lines and depends on the contract alone', () => {
    expect(code.trimEnd().split('\n').length).toBeLessThan(60);
    expect([...code.matchAll(/from '([^']+)'/g)].map(([, name]) => name)).toEqual(['@isolab/contract']);
  });

  test.each(PLACES)('the plug-in in docs/plugin-checker.md decides cut isolation in a %s', async (place) => {
    const checker = await loadFixture('hello-checker.mjs');
    const verdict = async (...operations: Parameters<typeof historyOf>[0][number]) => {
      const prepared = prepare(historyOf([operations, [[w('x', 1)]]]));
      return (await run({ checker, prepared, level: 'cut-isolation' }, { place, allowVacuous: true })).verdict;
    };
    expect(await verdict([r('x', 0), r('x', 0)], [r('x', 1)])).toEqual({
      status: 'satisfied',
      certificate: { kind: 'inspection' },
    });
    expect(await verdict([r('x', 0), w('x', 2), r('x', 2)])).toMatchObject({ status: 'satisfied' });
    expect(await verdict([r('x', 0), r('x', 1)])).toEqual({
      status: 'violated',
      anomalies: [
        {
          name: 'non-repeatable-read',
          transactions: [0],
          certificate: { kind: 'internal', anomaly: 'non-repeatable-read', read: 1, other: 0 },
        },
      ],
    });
  });
});
