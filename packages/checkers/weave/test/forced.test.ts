import { fromPlain } from '@isolab/history';
import { levelsSatisfied } from '@isolab/oracle';
import { parseHistory, prepare, printHistory, randomNumbers, randomRun } from '@isolab/testkit';
import { describe, expect, test } from 'vitest';
import { modelOf } from '../src/problem/model.ts';
import { forcedOrder, forcedOrderInTime, isForced } from '../src/hints/forced.ts';
import { gatherVersions } from '../src/problem/versions.ts';

const inOrder = (length: number): Int32Array => Int32Array.from({ length }, (_, t) => t);

type Level = 'serializable' | 'strict-serializable' | 'snapshot-isolation' | 'prefix';

function forced(history: ReturnType<typeof parseHistory>, level: Level) {
  const { index } = prepare(history);
  const model = modelOf(level)!;
  const guess = inOrder(history.txnStatus.length);
  const versions = gatherVersions(history, index, guess);
  if (!isForced(versions, model)) return 'not forced';
  const find = model.time === 'none' ? forcedOrder : forcedOrderInTime;
  return find(history, versions, model, guess, () => {});
}

describe('histories in which each write follows a read of its key', () => {
  test.each(['serializable', 'strict-serializable', 'snapshot-isolation'] as const)(
    'there is an order exactly if %s holds',
    (level) => {
      const seen = { order: 0, none: 0 };
      for (let seed = 0; seed < 3000; seed++) {
        const history = fromPlain(randomRun(randomNumbers(seed), { mini: true }));
        if (prepare(history).internal.count > 0) continue;
        const order = forced(history, level);
        if (order === 'not forced') throw new Error(`seed ${seed}\n${printHistory(history)}`);
        const holds = levelsSatisfied(history, [level]).includes(level);
        if ((order !== null) !== holds) throw new Error(`seed ${seed}, expected ${holds}\n${printHistory(history)}`);
        seen[order === null ? 'none' : 'order']++;
      }
      expect(seen.order).toBeGreaterThan(500);
      expect(seen.none).toBeGreaterThan(500);
    },
  );

  test('readers come before the transaction that overwrites their version', () => {
    const history = parseHistory('r(x,0) w(x,1)\nr(x,0) | r(x,1)');
    expect(forced(history, 'serializable')).toEqual([1, 0, 2]);
    expect(forced(history, 'snapshot-isolation')).toEqual([2, 0, 1, 3, 4, 5]);
  });
});

test('a write that follows no read is a choice, and so is the order of writers where they do not exclude each other', () => {
  expect(forced(parseHistory('w(x,1)\nr(x,0)'), 'serializable')).toBe('not forced');
  expect(forced(parseHistory('r(x,0) w(x,1)\nr(x,0)'), 'prefix')).toBe('not forced');
});
