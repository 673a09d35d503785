import { Random } from '@isolab/workloads';
import { buildReadFrom } from '@isolab/history';
import { parseHistory } from '@isolab/testkit';
import { describe, expect, test } from 'vitest';
import { DRAWINGS, drawingNamed } from '../src/draws/drawing.ts';
import { missesAt, nearnessOf } from '../src/draws/nearness.ts';
import { type Draw, chosen, drawOf, spaceOf } from '../src/draws/space.ts';

const space = spaceOf(['registers', 'lists', 'rows']);

describe('draws', () => {
  test.each(DRAWINGS)('%s: stay in the space, and are the same for the same seed', (name) => {
    const drawn = (): Draw[] => {
      const drawing = drawingNamed(name, space, new Random('1'));
      return Array.from({ length: 60 }, (_, i) => {
        const draw = drawing.next();
        drawing.learn(draw, i % 7);
        return draw;
      });
    };
    const all = drawn();
    for (const draw of all) {
      const region = space.find(({ workload }) => workload === draw.workload)!;
      for (const { name: dimension, values } of region.dimensions) expect(values).toContain(chosen(draw, dimension));
    }
    expect(drawn()).toEqual(all);
  });

  test('shift to what came near, and leave a share to chance', () => {
    const isNear = ({ workload, sessions }: Draw): boolean => workload === 'blindw' && sessions === 16;
    const shareOf = (name: 'guided' | 'random'): number => {
      const drawing = drawingNamed(name, space, new Random('2'));
      const late: Draw[] = [];
      for (let i = 0; i < 400; i++) {
        const draw = drawing.next();
        drawing.learn(draw, isNear(draw) ? 1000 : 10);
        if (i >= 200) late.push(draw);
      }
      expect(new Set(late.map(({ workload }) => workload)).size).toBe(space.length);
      return late.filter(isNear).length / late.length;
    };
    expect(shareOf('random')).toBeLessThan(0.1);
    expect(shareOf('guided')).toBeGreaterThan(0.3);
  });

  test('ask only for what a database can hold', () => {
    expect(spaceOf(['lists']).map(({ workload }) => workload)).toEqual(['list-append']);
    expect(spaceOf(['registers'], 'blindw').map(({ workload }) => workload)).toEqual(['blindw']);
    const draw = drawOf(space[0]!, ({ values }) => values[0]!);
    expect(draw).toMatchObject({ workload: 'list-append', sessions: 2, set: { keys: '2' } });
  });
});

describe('nearness', () => {
  const near = (text: string) => {
    const history = parseHistory(text);
    return nearnessOf(history, buildReadFrom(history));
  };

  test('is nothing for transactions that never met', () => {
    expect(near('w(x,1) @1-2 | r(x,1) w(x,2) @3-4\nr(x,2) w(y,1) @5-6')).toEqual({
      missed: 0,
      splits: 0,
      overlaps: 0,
      pivots: 0,
    });
  });

  test('sees anti-dependencies, two of them in a row, and reads that could have been fractured', () => {
    // The first misses what the second writes, which misses what the third writes.
    const chain = near('r(x,0) w(a,1) @1-9\nr(y,0) w(x,1) @2-8\nw(y,1) @3-7');
    expect(chain).toEqual({ missed: 2, splits: 0, overlaps: 0, pivots: 1 });
    expect(near('r(x,0) r(y,0) @1-9\nw(x,1) w(y,1) @2-8')).toEqual({ missed: 2, splits: 1, overlaps: 0, pivots: 0 });
  });

  test('sees writers of a key that met, of which one aborted', () => {
    expect(near('w(x,1) @1-9\n!w(x,2) @2-8').overlaps).toBe(1);
    expect(near('w(x,1) @1-3\n!w(x,2) @4-8').overlaps).toBe(0);
  });

  test('counts what a level forbids', () => {
    const each = { missed: 1, splits: 1, overlaps: 1, pivots: 1 };
    expect(missesAt('read-committed', each)).toBe(3);
    expect(missesAt('snapshot-isolation', each)).toBe(5);
    expect(missesAt('serializable', each)).toBe(9);
  });
});
