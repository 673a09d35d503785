import { isDeepStrictEqual } from 'node:util';
import { Random, findWorkload, resolveParameters } from '@isolab/workloads';
import { type LevelName, STATED } from '@isolab/contract';
import { buildReadFrom } from '@isolab/history';
import { parseHistory } from '@isolab/testkit';
import { describe, expect, test } from 'vitest';
import { DRAWINGS, drawingNamed } from '../src/draws/drawing.ts';
import { nearnessOf } from '../src/draws/nearness.ts';
import { OPENINGS } from '../src/draws/openings.ts';
import { type Draw, LAYOUTS, SQL, chosen, dataOf, drawOf, fittedTo, isIn, spaceOf } from '../src/draws/space.ts';
import { Turns } from '../src/trials/turns.ts';

const space = spaceOf(['registers', 'lists', 'rows']);

describe('drawn workloads', () => {
  test.each(DRAWINGS)('%s: stay in the space, and are the same for the same seed', (name) => {
    const drawn = (): Draw[] => {
      const drawing = drawingNamed(name, space, new Random('1'));
      return Array.from({ length: 60 }, (_, i) => {
        const draw = drawing.next();
        drawing.learn(draw, { 'missed next first': i % 7 }, 1);
        return draw;
      });
    };
    const all = drawn();
    for (const draw of all) {
      const region = space.find(({ workload }) => workload === draw.workload)!;
      if (OPENINGS.some((one) => isIn(space, one) && isDeepStrictEqual(fittedTo(space, one), draw))) continue;
      for (const { name: dimension, values } of region.dimensions) expect(values).toContain(chosen(draw, dimension));
    }
    expect(drawn()).toEqual(all);
  });

  test('chances shift to near misses of each shape, and leave a share to chance', () => {
    const isRare = ({ workload, sessions }: Draw): boolean => workload === 'blindw' && sessions === 16;
    const shareOf = (name: 'near' | 'random'): number => {
      const drawing = drawingNamed(name, space, new Random('2'));
      const late: Draw[] = [];
      for (let i = 0; i < 400; i++) {
        const draw = drawing.next();
        // A frequent draw does not outweigh a rare one.
        const often = draw.workload === 'general' ? 5000 : 1000;
        drawing.learn(draw, { often, ...(isRare(draw) && { rare: 1 }) }, 1);
        if (i >= 200) late.push(draw);
      }
      expect(new Set(late.map(({ workload }) => workload)).size).toBe(space.length);
      return late.filter(isRare).length / late.length;
    };
    expect(shareOf('random')).toBeLessThan(0.1);
    expect(shareOf('near')).toBeGreaterThan(0.2);
  });

  test('drawn workloads begin with workloads that found violations elsewhere, where the database supports them', () => {
    for (const name of ['known', 'guided'] as const) {
      const first = drawingNamed(name, spaceOf(['registers']), new Random('1')).next();
      expect(first).toEqual(OPENINGS.find(({ workload }) => workload === 'rw-register'));
    }
    for (const { workload, set } of OPENINGS)
      if (workload !== SQL) expect(() => resolveParameters(findWorkload(workload)!, set)).not.toThrow();
    for (const region of space) {
      const draw = drawOf(region, ({ values }) => values.at(-1)!);
      expect(() => resolveParameters(findWorkload(draw.workload)!, draw.set)).not.toThrow();
    }
  });

  test('first draws keep their layouts and statements where the database supports them', () => {
    const features = { layouts: LAYOUTS, takesStatements: true, takesLocks: true, takesKills: true };
    const whole = spaceOf(['registers', 'counters', 'lists', 'rows', 'tables'], undefined, features);
    const openings = OPENINGS.filter(({ workload }) => workload !== SQL);
    expect(openings.map((opening) => fittedTo(whole, opening))).toEqual(openings);
  });

  test('drawn workloads ask only for features of the database', () => {
    expect(spaceOf(['lists']).map(({ workload }) => workload)).toEqual(['list-append']);
    const lists = spaceOf(['registers'])[0]!.dimensions.find(({ name }) => name === 'set:lists');
    expect(lists?.values).toEqual(['false']);
    expect(spaceOf(['registers'], 'blindw').map(({ workload }) => workload)).toEqual(['blindw']);
    const draw = drawOf(space[1]!, ({ values }) => values[0]!);
    expect(draw).toMatchObject({ workload: 'list-append', sessions: 2, set: { keys: '2' } });
  });
});

test('turns leave out the statement of a failed draw, then its layout, then its data', () => {
  const isolation = { name: 'serializable', claims: 'serializable' } as const;
  const all = spaceOf(['lists', 'registers'], undefined, { layouts: ['', 'key=integer'], takesStatements: true });
  const turns = new Turns([isolation], all, { seed: '1', drawing: 'known', level: null }, 1);
  turns.collected('serializable', turns.next().draw);
  const failing = OPENINGS.find(({ workload, set }) => workload === 'list-append' && set['savepoints'] !== undefined)!;
  const what = (): unknown => turns.leaveOut('serializable', { ...failing, layout: 'tables=3' }, 'refused')?.what;
  expect([what(), what()]).toEqual(['the statement empty-changes', 'the statement savepoints']);
  expect(turns.leaveOut('serializable', { ...failing, layout: 'key=integer' }, 'refused')).toBeNull();
  for (let i = 0; i < 100; i++) expect(turns.next().draw.set['savepoints'] ?? '0').toBe('0');
});

describe('nearness', () => {
  const near = (text: string, level: LevelName = 'serializable') => {
    const history = parseHistory(text);
    return nearnessOf(history, buildReadFrom(history), level);
  };

  test('nearness is nothing for transactions that never met', () => {
    expect(near('w(x,1) @1-2 | r(x,1) w(x,2) @3-4\nr(x,2) w(y,1) @5-6')).toEqual({});
  });

  test('nearness sees anti-dependencies, two of them in a row, and reads that could have been fractured', () => {
    // The first misses the write of the second, which misses that of the third.
    const chain = 'r(x,0) w(a,1) @1-9\nr(y,0) w(x,1) @2-8\nw(y,1) @3-7';
    expect(near(chain)).toEqual({
      'missed next first': 2,
      'pivot next first, next first, writer ends first': 1,
    });
    expect(near(chain, 'snapshot-isolation')).toEqual({ 'missed next first': 2 });
    expect(near('r(x,0) r(y,0) @1-9\nw(x,1) w(y,1) @2-8')).toEqual({ 'missed next first': 1, 'split next first': 1 });
  });

  test('a draw distinguishes the missed version: the next version or one behind it, the first of its key or a later one', () => {
    expect(near('w(x,1) @0-1 | r(x,1) @2-9\nw(x,2) @3-5\nw(x,3) @6-8')).toMatchObject({
      'missed next later': 1,
      'missed far later': 1,
    });
    expect(near('r(x,0) @2-9\nw(x,2) @3-5\nr(x,2) w(x,3) @6-8')).toMatchObject({
      'missed next first': 1,
      'missed far first': 1,
    });
  });

  test('nearness sees writers of a key that met, one of them aborted, where the level forbids lost updates', () => {
    expect(near('w(x,1) @1-9\n!w(x,2) @2-8')).toEqual({ 'overlap first': 1 });
    expect(near('w(x,1) @1-3\n!w(x,2) @4-8')).toEqual({});
    expect(near('w(x,1) @1-9\n!w(x,2) @2-8', 'read-committed')).toEqual({});
  });

  test('nearness sees attempts that were refused, and would have made a cycle', () => {
    const skew = '!r(x,0) w(y,1) @1-9\nr(y,0) w(x,1) @2-8';
    expect(near(skew)).toEqual({ 'refused skew next first': 1 });
    expect(near(skew, 'snapshot-isolation')).toEqual({});
    expect(near('!r(x,0) w(x,2) @1-9\nr(x,0) w(x,1) @2-8', 'snapshot-isolation')).toEqual({
      'overlap first': 1,
      'refused update next first': 1,
    });
  });
});

test('a hunt at mixed levels draws neither counters nor tables, which are not decided there', () => {
  const regions = spaceOf(['registers', 'counters', 'tables']);
  const isolation = { name: 'mixed', claims: STATED };
  const turns = new Turns([isolation], regions, { seed: '1', drawing: 'random', level: null }, 1);
  const drawn = Array.from({ length: 200 }, () => dataOf(turns.next().draw));
  expect(new Set(drawn)).toEqual(new Set(['registers']));
});
