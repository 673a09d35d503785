import { describe, expect, test } from 'vitest';
import { headlineOf } from '../src/page/words.ts';
import type { LevelVerdict, RunRow, Verdicts } from '../src/page/verdicts.ts';

const one = (verdict: Partial<LevelVerdict>, runs: readonly RunRow[] = []): Verdicts => ({
  levels: [{ level: 'serializable', status: 'satisfied', by: 'serializable', checker: 'weave', why: null, ...verdict }],
  answer: null,
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
  test('the headline of one level names the checker, and the level that settles it', () => {
    expect(headlineOf(one({}, [ran('serializable', 'satisfied')]))).toEqual({
      status: 'satisfied',
      text: 'serializable is satisfied',
      detail: 'Decided by weave in 5.0 ms.',
    });
    const implied = one({ status: 'violated', by: 'causal', why: 'a: b' }, [ran('causal', 'violated')]);
    expect(headlineOf(implied).detail).toBe('a: b.\nDecided by weave in 5.0 ms, through causal.');
  });

  test('the headline of an unknown level says why, and names no deciding checker', () => {
    const unknown = one({ status: 'unknown', why: 'mtc needs more.' }, [ran('serializable', 'unknown', 'mtc')]);
    expect(headlineOf(unknown)).toEqual({
      status: 'unknown',
      text: 'serializable is unknown',
      detail: 'mtc needs more.',
    });
  });

  test('the headline of many levels says which hold, which do not and which are undecided, and warns of clocks', () => {
    const kept = 'serializability and everything weaker (serializable)';
    const notKept = 'strong snapshot isolation and everything stronger';
    const notDecided = ['linearizability needs times that can be compared'];
    const verdicts: Verdicts = {
      ...one({}),
      answer: { kept, notKept, notDecided },
      runs: [ran('serializable', 'satisfied'), ran('linearizable', 'unknown', 'internal')],
      restsOn: 'rests on 3 reads',
      telling: 'strong-snapshot-isolation',
    };
    const { status, text, detail } = headlineOf(verdicts);
    expect([status, text]).toEqual(['violated', `Not kept: ${notKept}`]);
    expect(detail).toContain(
      `Kept: ${kept}.\nThe satisfied verdict rests on 3 reads.\nNot decided: ${notDecided[0]}.\nDecided by weave`,
    );
    expect(detail).not.toContain('internal');
    expect(detail).toContain('real time');
    const nothing = { kept: null, notKept: null, notDecided };
    expect(headlineOf({ ...verdicts, answer: nothing }).status).toBe('unknown');
    expect(headlineOf({ ...verdicts, answer: { ...nothing, kept } })).toMatchObject({
      status: 'satisfied',
      text: `Kept: ${kept}`,
    });
  });
});
