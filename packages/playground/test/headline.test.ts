import { describe, expect, test } from 'vitest';
import { headlineOf } from '../src/page/words.ts';
import type { LevelVerdict, RunRow, Verdicts } from '../src/verdicts.ts';

const one = (verdict: Partial<LevelVerdict>, runs: readonly RunRow[] = []): Verdicts => ({
  levels: [{ level: 'serializable', status: 'satisfied', by: 'serializable', checker: 'weave', why: null, ...verdict }],
  strongest: [],
  weakestViolated: [],
  runs,
  restsOn: null,
  kinds: null,
  telling: null,
});

const ran = (level: RunRow['level'], status: RunRow['status'], checker = 'weave'): RunRow => ({
  level,
  checker,
  status,
  ms: 5,
  details: '',
});

describe('the headline', () => {
  test('of one level names the checker, and the level that settles it', () => {
    expect(headlineOf(one({}, [ran('serializable', 'satisfied')]))).toEqual({
      status: 'satisfied',
      text: 'serializable is satisfied',
      detail: 'Decided by weave in 5.0 ms.',
    });
    const implied = one({ status: 'violated', by: 'causal', why: 'a: b' }, [ran('causal', 'violated')]);
    expect(headlineOf(implied).detail).toBe('a: b.\nDecided by weave in 5.0 ms, through causal.');
  });

  test('of an unknown level says why, and names nobody as having decided it', () => {
    const unknown = one({ status: 'unknown', why: 'mtc needs more.' }, [ran('serializable', 'unknown', 'mtc')]);
    expect(headlineOf(unknown)).toEqual({
      status: 'unknown',
      text: 'serializable is unknown',
      detail: 'mtc needs more.',
    });
  });

  test('of many levels tells the frontier, what is unknown, and warns of clocks', () => {
    const { levels } = one({});
    const verdicts: Verdicts = {
      ...one({}),
      levels: [...levels, { ...levels[0]!, level: 'linearizable', status: 'unknown', why: 'needs times: none' }],
      strongest: ['serializable'],
      weakestViolated: ['strong-snapshot-isolation'],
      runs: [ran('serializable', 'satisfied'), ran('linearizable', 'unknown', 'internal')],
      restsOn: 'rests on 3 reads',
    };
    const { status, text, detail } = headlineOf(verdicts);
    expect([status, text]).toEqual(['violated', 'Violated: strong-snapshot-isolation, and every level above']);
    expect(detail).toMatch(
      /^Satisfied: serializable, and every level below\.\nWhat is satisfied rests on 3 reads\.\nUnknown: linearizable: needs times: none\.\nDecided by weave/,
    );
    expect(detail).not.toContain('internal');
    expect(detail).toContain('real time');
    expect(headlineOf({ ...verdicts, strongest: [], weakestViolated: [] }).status).toBe('unknown');
    expect(headlineOf({ ...verdicts, weakestViolated: [] }).status).toBe('satisfied');
  });
});
