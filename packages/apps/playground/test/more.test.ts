import { LEVELS, type LevelName } from '@isolab/contract';
import { builtInText } from '@isolab/levels';
import { verifyCertificateFile } from '@isolab/verifier';
import { inputOfBytes, readDocumentFrom } from '@isolab/formats';
import { parseHistory } from '@isolab/testkit';
import { type Comparison, open } from 'isolab';
import { describe, expect, test } from 'vitest';
import { check } from '../src/worker/check.ts';
import { compareAll, compareTwoLevels, convertTo, countIn, verifyText } from '../src/worker/more.ts';
import { tell } from '../src/worker/tell.ts';
import { LOST_UPDATE, NO_LIMITS, checkOf, givenOf } from './support.ts';

const silent = (): void => {};
const givenText = (text: string) => givenOf([new File([text], 'the text')]);

test('every checker is asked about one level', async () => {
  const asked = { kind: 'compare', given: givenText(LOST_UPDATE), level: 'snapshot-isolation' } as const;
  const { comparisons } = await compareAll({ ...asked, limits: NO_LIMITS }, silent);
  const [comparison] = comparisons as [Comparison];
  expect(comparison).toMatchObject({ agree: true, verdict: 'violated' });
  const said = Object.fromEntries(comparison.reports.map(({ checker, verdict }) => [checker, verdict]));
  expect(said).toMatchObject({ weave: 'violated', polysi: 'violated', viper: 'violated', porcupine: 'unknown' });
});

test('every checker is asked about each level', async () => {
  const asked = { kind: 'compare', given: givenText(LOST_UPDATE), level: 'all', limits: NO_LIMITS } as const;
  const { comparisons } = await compareAll(asked, silent);
  expect(comparisons.map(({ level }) => level)).toEqual(LEVELS.map(({ name }) => name));
  expect(comparisons.every(({ agree }) => agree)).toBe(true);
  expect(comparisons.find(({ level }) => level === 'causal')!.verdict).not.toBe('unknown');
});

describe('certificates', () => {
  const certificateOf = async (text: string): Promise<string> => {
    const checked = await check(checkOf(givenText(text), { level: 'serializable' }), silent);
    return (await tell(checked, 'serializable', silent)).certificate!.text;
  };
  const verified = (text: string, certificate: string) =>
    verifyText({ kind: 'verify', given: givenText(text), certificate, own: null }, silent);

  test.each([
    ['a history', LOST_UPDATE, 'violated'],
    ['a polygraph', 'n:3\ne:0,1\ne:1,2\n', 'satisfied'],
  ])('certificates of %s is made and verified', async (_, text, verdict) => {
    const certificate = await certificateOf(text);
    expect(await verified(text, certificate)).toEqual({
      kind: 'verified',
      isProof: true,
      text: `serializable is ${verdict}`,
      checked: expect.arrayContaining([expect.stringMatching(/^(the evidence, of kind cycle|2 known edges)$/)]),
    });
  });

  test('certificates of another history proves nothing, and says why', async () => {
    const certificate = await certificateOf(LOST_UPDATE);
    const other = 'w(1,1)\nr(1,1) w(1,2)\nr(1,2) w(1,3)';
    const found = await verified(other, certificate);
    const expected = verifyCertificateFile(parseHistory(other), JSON.parse(certificate));
    expect(found).toEqual({ kind: 'verified', isProof: false, text: expected.ok ? '' : expected.problem, checked: [] });
    await expect(verified(other, '{')).rejects.toThrow('the certificate, line 1, column 2: found the end of the input');
  });
});

describe('a level that the user wrote', () => {
  const OWN = { text: 'level mine\ntitle "Mine"\nsummary "No lost updates."\nacyclic ww | wr\nirreflexive ww ; rw' };

  test('a level that the user wrote is checked, explained and verified', async () => {
    const checked = await check(checkOf(givenText(LOST_UPDATE), { level: OWN }), silent);
    expect(checked.result.verdict).toBe('violated');
    const { certificate, page } = await tell(checked, 'mine' as LevelName, silent);
    expect(page).toContain('<svg');
    const asked = { kind: 'verify', given: givenText(LOST_UPDATE), certificate: certificate!.text } as const;
    expect(await verifyText({ ...asked, own: OWN }, silent)).toMatchObject({ isProof: true, text: 'mine is violated' });
  });

  test('a level that the user wrote is the last one of its name', async () => {
    const weaker = { text: OWN.text.replace('ww ; rw', 'wr') };
    const { result } = await check(checkOf(givenText(LOST_UPDATE), { level: weaker }), silent);
    expect(result.verdict).toBe('satisfied');
  });

  test('a level that the user wrote is compared, with another level and by all checkers', async () => {
    const { ways } = compareTwoLevels(OWN, 'read-committed');
    expect(ways.map(({ strong, weak, text }) => [strong, weak, text !== null])).toEqual([
      ['mine', 'read-committed', true],
      ['read-committed', 'mine', true],
    ]);
    const asked = { kind: 'compare', given: givenText(LOST_UPDATE), level: OWN, limits: NO_LIMITS } as const;
    expect((await compareAll(asked, silent)).comparisons).toMatchObject([{ verdict: 'violated' }]);
  });

  test('a level that the user wrote with the axioms of a level of isolab is decided as that one', async () => {
    const same = {
      text: builtInText('causal')
        .replace('level causal', 'level mine')
        .replace(/^also .*\n/m, ''),
    };
    const { result } = await check(checkOf(givenText(LOST_UPDATE), { level: same }), silent);
    expect(result).toMatchObject({ levels: { mine: { verdict: 'satisfied', impliedBy: 'causal' } } });
  });

  test('a level that the user wrote is refused with the place of the mistake', async () => {
    const wrong = { text: OWN.text.replace('ww ; rw', 'so ; po') };
    await expect(check(checkOf(givenText(LOST_UPDATE), { level: wrong }), silent)).rejects.toThrow('your level:5:');
  });
});

test('a history is written in another format, or its losses are named', async () => {
  const input = await open({ text: LOST_UPDATE });
  const { files } = await convertTo(input, 'notation');
  expect(files.map(({ fileName }) => fileName)).toEqual(['history.notation']);
  const again = await readDocumentFrom(inputOfBytes('again', files[0]!.bytes));
  expect(again.kind === 'history' && again.history.opKind.length).toBe(5);
  const lists = await open({ text: 'a(x,1)\nr(x,[1])' });
  expect(await convertTo(lists, 'text')).toMatchObject({
    files: [],
    losses: ['appends (1 are left out)', expect.anything(), expect.anything()],
  });
});

test('the contents of a history are counted', async () => {
  const { rows } = countIn(await open({ text: LOST_UPDATE }));
  const counts = Object.fromEntries(rows.map(([name, n]) => [name, n]));
  expect(counts).toMatchObject({ sessions: '3', transactions: '3', operations: '5', keys: '1' });
});

test('two levels are distinguished by a history, as far as there is one', () => {
  const { ways, searched } = compareTwoLevels('snapshot-isolation', 'serializable');
  expect(ways[0]).toMatchObject({
    strong: 'snapshot-isolation',
    weak: 'serializable',
    text: expect.stringMatching(/w\(/),
  });
  expect(ways[1]).toMatchObject({ strong: 'serializable', text: null });
  expect(searched).toContain('not a proof');
});
