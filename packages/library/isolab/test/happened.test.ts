// Whether an operation is evidence: for each kind of operation, each outcome and each level, in checkers, oracle and verifier.
import { type LevelName, definitionOf } from '@isolab/contract';
import { parseNotation } from '@isolab/formats';
import { ALL_LEVELS, decide, decideDefinition, levelsSatisfied } from '@isolab/oracle';
import { BESIDE, CONTRADICTIONS, EVIDENT_FATES, FATES, type Fate, contradictionAs } from '@isolab/testkit';
import { describe, expect, test } from 'vitest';
import { certificate, check, verify } from '../src/index.ts';
import { openedHistory } from '../src/open.ts';

/** Levels that `axioms` decides, some with reads of values that no transaction left. */
const BY_AXIOMS: readonly LevelName[] = [
  'read-uncommitted',
  'monotonic-view',
  'cursor-stability',
  'parallel-snapshot-isolation',
  'update-serializable',
];

const FEW_LEVELS: readonly LevelName[] = ['cut-isolation', 'read-committed', 'serializable', 'update-serializable'];

const WEAK_LEVELS: readonly LevelName[] = [
  'cut-isolation',
  'read-committed-pl2',
  'read-committed',
  'read-committed-dbcop',
  'read-atomic',
  'causal',
  'prefix',
];

const isEvidence = (fate: Fate): boolean => EVIDENT_FATES.includes(fate);

/** Faults of verdicts and certificates, by themselves and as `all` has them. */
async function problemsOf(text: string, levels: readonly LevelName[], isChoice = false): Promise<string[]> {
  const history = parseNotation(text);
  const opened = openedHistory(history, { name: 'a history', format: 'notation', ms: 0 });
  const all = await check(opened, { level: 'all', allowVacuous: true });
  const problems: string[] = [];
  for (const level of levels) {
    const isCore = ALL_LEVELS.includes(level);
    const truth = (isCore ? decide(history, level) : decideDefinition(history, definitionOf(level)!)).satisfied;
    const result = await check(opened, { level, allowVacuous: true });
    // Levels that contradict one another would be unknown.
    for (const verdict of isCore ? [result.verdict, all.levels[level]!.verdict] : [result.verdict]) {
      const mayBeUnknown = level === 'linearizable' || !isCore || isChoice;
      if (verdict === 'unknown' ? !mayBeUnknown : (verdict === 'satisfied') !== truth)
        problems.push(`${level} is ${verdict}, by the oracle ${truth}`);
    }
    const file = certificate(opened, result);
    const verified = file === null ? null : verify(opened, file);
    if (verified?.ok === false) problems.push(`the certificate of ${level} is refused: ${verified.problem}`);
  }
  return problems;
}

describe.each(Object.entries(CONTRADICTIONS))('%s', (_, contradiction) => {
  test.each(FATES)('%s', async (fate) => {
    const text = contradictionAs(contradiction, fate);
    const isUnknown = fate !== 'committed' && fate !== 'aborted';
    const levels = isUnknown ? [...ALL_LEVELS, ...BY_AXIOMS] : FEW_LEVELS;
    expect(await problemsOf(text, levels, fate === 'inferred')).toEqual([]);
    const satisfied = levelsSatisfied(parseNotation(text));
    if (isEvidence(fate)) expect(satisfied).not.toContain('serializable');
    else expect(satisfied).toEqual(ALL_LEVELS);
  });
});

describe.each(Object.entries(BESIDE))('beside %s', (_, beside) => {
  const ofRows = Object.entries(CONTRADICTIONS).filter(([, { initial }]) => initial !== undefined);
  test.each(ofRows)('%s', async (__, contradiction) => {
    const alone = levelsSatisfied(parseNotation(`initial nil\n${beside}`), WEAK_LEVELS);
    for (const fate of ['unknown', 'read'] as const) {
      const text = contradictionAs(contradiction, fate, beside);
      expect(await problemsOf(text, WEAK_LEVELS)).toEqual([]);
      if (!isEvidence(fate)) expect(levelsSatisfied(parseNotation(text), WEAK_LEVELS)).toEqual(alone);
    }
  });
});

test.each([
  'r(x,9)',
  'cas(x,9,5)',
  'cas!(x,nil,5)',
  'r(l,[9])',
  'ins(x,9,1)',
  'ins!(x,9,1)',
  'del(x,9,8)',
  'range(a,c,b=9)',
])('%s by itself is evidence against linearizability if it happened', async (operation) => {
  for (const [mark, verdict] of Object.entries({ '': 'violated', '?': 'satisfied', '!': 'satisfied' })) {
    const history = parseNotation(`initial nil\n${mark}${operation} @1-2\nw(z,1) @1-2 | r(z,1) @3-4`);
    const opened = openedHistory(history, { name: 'a history', format: 'notation', ms: 0 });
    const result = await check(opened, { level: 'linearizable' });
    expect([mark, result.verdict]).toEqual([mark, verdict]);
    const file = certificate(opened, result);
    if (file !== null) expect(verify(opened, file)).toMatchObject({ ok: true });
  }
});
