import { gzipSync } from 'node:zlib';
import { LEVELS } from '@isolab/contract';
import { verifyCertificateFile } from '@isolab/verifier';
import { readDocumentFrom, inputOfBytes } from '@isolab/formats';
import { builtInLevel } from '@isolab/levels';
import { decideDefinition } from '@isolab/oracle';
import { parseHistory } from '@isolab/testkit';
import { describe, expect, test } from 'vitest';
import { EXAMPLES } from '../src/examples/examples.ts';
import type { Answer, Told } from '../src/worker/protocol.ts';
import { verdictsOf } from '../src/page/verdicts.ts';
import { type Checked, check } from '../src/worker/check.ts';
import { tell } from '../src/worker/tell.ts';
import { LOST_UPDATE, checkOf, filesIn, givenOf } from './support.ts';

interface Asked extends Partial<Parameters<typeof checkOf>[1]> {
  readonly format?: string;
}

/** Does the worker's work in this thread. */
async function checkFiles(files: readonly File[], { format = 'auto', level = 'all', ...asked }: Asked = {}) {
  const said: Answer[] = [];
  const request = checkOf(givenOf(files, format), { level, ...asked });
  const checked = await check(request, (answer) => said.push(answer));
  const verdicts = verdictsOf(checked.result);
  return { checked, verdicts, said };
}

const checkText = (text: string, asked: Asked = {}) => checkFiles([new File([text], 'the text')], asked);
const tellLevel = (checked: Checked, level: Told['level']): Promise<Told> => tell(checked, level, () => {});

describe('the examples', () => {
  test.each(EXAMPLES.map((example) => [example.title, example] as const))('%s', async (_, { text }) => {
    const history = parseHistory(text);
    const { checked, verdicts } = await checkText(text);
    for (const { level, status } of verdicts.levels) {
      const { satisfied } = decideDefinition(history, builtInLevel(level)!);
      expect([satisfied ? 'satisfied' : 'violated', 'unknown']).toContain(status);
    }
    expect(verdicts.levels.map(({ level }) => level)).toEqual(LEVELS.map(({ name }) => name));
    const told = await tellLevel(checked, verdicts.telling!);
    expect(told.page).toContain('<svg');
    expect(told.markdown).not.toBe('');
    expect(verifyCertificateFile(history, JSON.parse(told.certificate!.text))).toMatchObject({ ok: true });
    const saved = await readDocumentFrom(inputOfBytes('saved', told.history!.text));
    expect(saved.format.name).toBe('isolab');
  });
});

test('a single level, a named checker, and its refusal', async () => {
  const asked = { level: 'snapshot-isolation', checker: 'polysi' } as const;
  const { verdicts } = await checkText(LOST_UPDATE, asked);
  expect(verdicts.levels).toEqual([
    {
      level: 'snapshot-isolation',
      status: 'violated',
      by: 'snapshot-isolation',
      checker: 'polysi',
      why: expect.stringContaining('lost-update'),
    },
  ]);
  const refused = await checkText(LOST_UPDATE, { level: 'serializable', checker: 'polysi' });
  expect(refused.verdicts.levels[0]).toMatchObject({
    status: 'unknown',
    why: expect.stringContaining('does not check'),
  });
  expect(refused.verdicts.telling).toBeNull();
});

test('a level that no checker takes may be violated all the same, by a read that none allows', async () => {
  const { verdicts } = await checkText('range(a,c,a=1)\n', { level: 'serializable', checker: 'auto' });
  expect(verdicts.levels[0]!.status).toBe('violated');
});

test('a satisfied verdict names its evidence, and is unknown without any', async () => {
  const { verdicts } = await checkText('w(x,1)\nr(x,1)\n', { level: 'all' });
  expect(verdicts.restsOn).toBe(
    'rests on 1 read with a known writer, 1 pair of transactions that met, 2 sessions, no times',
  );
  expect(verdicts.answer!.kept).toBe('serializability and everything weaker (serializable)');
  const vacuous = await checkText(' | ', { format: 'notation', level: 'serializable' });
  expect(vacuous.verdicts).toMatchObject({
    restsOn: null,
    levels: [
      {
        status: 'unknown',
        why: 'nothing to judge: no transaction that happened has a read with a known result of a key that the history writes, so nothing could have shown a violation',
      },
    ],
  });
});

describe('inputs', () => {
  test('gzip', async () => {
    const [[name, bytes]] = [...(await filesIn('isolab', LOST_UPDATE))] as [[string, Uint8Array]];
    const { verdicts, said } = await checkFiles([new File([gzipSync(bytes)], name)]);
    expect(verdicts.answer!.notKept).toContain('adya-snapshot-isolation');
    expect(said).toContainEqual(expect.objectContaining({ kind: 'progress', doing: 'Reading' }));
  });

  test('a polygraph, which has a verdict and no story', async () => {
    const { checked, verdicts } = await checkText('n:3\ne:0,1\ne:1,2\ne:2,0\n', { level: 'serializable' });
    expect(verdicts.levels[0]!.status).toBe('violated');
    expect(await tellLevel(checked, 'serializable')).toMatchObject({
      page: null,
      note: expect.stringContaining('polygraph'),
    });
  });

  test.each([
    ['nothing known', 'hello world', {}, 'no known format'],
    ['a mistake in the notation', 'w(x,1) r(x', {}, 'line 1, column 8'],
    ['a mistake in a format', '{"isolab":"history","version":1}\n{oops', {}, 'line'],
    ['not what is said', LOST_UPDATE, { format: 'jepsen-edn' }, 'line 1'],
    ['a directory format for one file', LOST_UPDATE, { format: 'cobra-log' }, 'expected a directory of logs'],
  ])('%s is refused', async (_, text, asked, message) => {
    await expect(checkText(text, asked)).rejects.toThrow(message);
  });

  test('damaged gzip is refused', async () => {
    const cut = gzipSync('w(x,1)\nr(x,1)').subarray(0, 20);
    await expect(checkFiles([new File([cut], 'cut.gz')])).rejects.toThrow('gzip data is damaged');
  });

  test('files that are no logs together are refused', async () => {
    const files = ['a.jsonl', 'b.jsonl'].map((name) => new File(['{}'], name));
    await expect(checkFiles(files)).rejects.toThrow(
      'no known format, expected one of recordings, cobra-log, viper-json',
    );
  });
});

test('the page of a history too long to be shown lists the checks, and the certificate stays', async () => {
  const text = Array.from({ length: 1001 }, (_, i) => `w(x,${i + 1}) r(x,${i + 1})`).join(' | ');
  const { checked } = await checkText(text, { level: 'serializable' });
  const told = await tellLevel(checked, 'serializable');
  expect(told).toMatchObject({
    page: expect.stringContaining('What was checked'),
    note: expect.stringContaining('1,001 transactions'),
  });
  expect(verifyCertificateFile(checked.input.prepared.history, JSON.parse(told.certificate!.text))).toMatchObject({
    ok: true,
  });
});

describe('settings', () => {
  test('a variant and options of a checker are those that run', async () => {
    const asked = { level: 'snapshot-isolation', checker: 'polysi' } as const;
    const plain = await checkText(LOST_UPDATE, asked);
    expect(plain.checked.result.deciding?.variant).toBeNull();
    const { result } = (await checkText(LOST_UPDATE, { ...asked, variant: 'no-pruning' })).checked;
    expect(result).toMatchObject({ deciding: { variant: 'no-pruning' }, verdict: 'violated' });
    const wrong = checkText(LOST_UPDATE, { ...asked, options: { colour: 'red' } });
    await expect(wrong).rejects.toThrow("polysi has no option 'colour'");
  });

  test('steps are limited', async () => {
    const { verdicts } = await checkText(LOST_UPDATE, { level: 'serializable', limits: { steps: 1 } });
    expect(verdicts.levels[0]).toMatchObject({ status: 'unknown', why: expect.stringContaining('step') });
  });

  test('a history without evidence is satisfied where that is allowed', async () => {
    const asked = { format: 'notation', level: 'serializable', limits: { allowVacuous: true } } as const;
    const { verdicts } = await checkText(' | ', asked);
    expect(verdicts.levels[0]!.status).toBe('satisfied');
  });

  test('every kind of anomaly is reported once, with its count', async () => {
    const two = 'w(x,1) w(y,1)\nr(x,1) w(x,2)\nr(x,1) w(x,3)\nr(y,1) w(y,2)\nr(y,1) w(y,3)';
    const first = await checkText(two, { level: 'snapshot-isolation' });
    expect(first.verdicts.kinds).toBeNull();
    const { verdicts } = await checkText(two, { level: 'snapshot-isolation', findAll: true });
    expect(verdicts.kinds!.rows).toMatchObject([{ name: 'lost-update', count: 2, level: 'snapshot-isolation' }]);
    expect(verdicts.kinds!.notes[0]).toMatch(/the history satisfies snapshot-isolation/);
  });

  test('a violation is explained by its smallest part, or by all', async () => {
    const text = `${LOST_UPDATE}\nw(9,1)\nr(9,1)`;
    const { checked } = await checkText(text, { level: 'snapshot-isolation' });
    const sizeOf = ({ history }: Told): number => history!.text.trim().split('\n').length;
    const [part, whole] = [
      await tellLevel(checked, 'snapshot-isolation'),
      await tell(checked, 'snapshot-isolation', () => {}, true),
    ];
    expect(sizeOf(part)).toBeLessThan(sizeOf(whole));
    expect([part.isViolation, whole.note]).toEqual([true, 'From the whole history.']);
  });

  test('a level that its axioms decide', async () => {
    const { verdicts } = await checkText('r(x,0) w(x,1)\nr(x,1) w(y,1) | r(y,0)', { level: 'read-your-writes' });
    expect(verdicts.levels[0]).toMatchObject({ level: 'read-your-writes', status: 'violated', checker: 'axioms' });
  });
});
