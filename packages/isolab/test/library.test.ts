import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import {
  type CheckResult,
  FormatError,
  type History,
  LEVELS,
  Recorder,
  check,
  checkLevels,
  defineChecker,
  drawSvg,
  explain,
  readHistory,
  restsOn,
  shrink,
  storyMarkdown,
  verify,
  viewHtml,
} from '../src/index.ts';

const EXAMPLE = fileURLToPath(new URL('../../../datasets/examples/isolab/two-sessions.jsonl', import.meta.url));
const FORK = 'w(1,1,0,0)\nr(1,1,1,1)\nw(2,1,1,1)\nr(2,1,2,2)\nr(1,0,2,2)\n'; // T2 sees T1, which has seen T0, but not T0
const CLEAN = 'w(1,1,0,0)\nr(1,1,1,1)\n';

const folder = mkdtempSync(path.join(tmpdir(), 'isolab-library-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('readHistory', () => {
  const transactions = ({ txnStatus }: History): number => txnStatus.length;

  test('takes a path, a URL, a text and bytes, compressed or not', async () => {
    const bytes = new TextEncoder().encode(FORK);
    const file = path.join(folder, 'fork.txt.gz');
    writeFileSync(file, gzipSync(bytes));
    const sources = [
      file,
      pathToFileURL(file),
      pathToFileURL(file).href,
      { text: FORK },
      { bytes },
      { bytes: gzipSync(bytes) },
    ];
    for (const source of sources) expect(transactions(await readHistory(source))).toBe(3);
    expect(transactions(await readHistory(EXAMPLE, { format: 'isolab' }))).toBe(4);
  });

  test('takes what a server answers, and says what it does not', async () => {
    const server = createServer((request, response) => {
      response.statusCode = request.url === '/fork.txt' ? 200 : 404;
      response.end(FORK);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    expect(transactions(await readHistory(new URL(`http://127.0.0.1:${port}/fork.txt`)))).toBe(3);
    await expect(readHistory(`http://127.0.0.1:${port}/x`)).rejects.toThrow(
      'the server answered 404, expected the file',
    );
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await expect(readHistory(`http://127.0.0.1:${port}/x`)).rejects.toThrow('it cannot be fetched: ');
    await expect(readHistory(new URL('ftp://127.0.0.1/x'))).rejects.toThrow('got a URL of ftp:, expected file:');
  });

  test('says what is wrong, and where', async () => {
    await expect(readHistory('absent.txt')).rejects.toThrow(FormatError);
    await expect(readHistory({ text: 'w(1,1,0,0)\nr(1,\n', name: 'mine' })).rejects.toThrow(/mine, line 2/);
    await expect(readHistory({ text: FORK }, { format: 'none' })).rejects.toThrow('there is no format none');
    await expect(readHistory({ text: 'n:2\ne:0,1\n', name: 'p' }, { format: 'polyg' })).rejects.toThrow(
      'it is a polygraph',
    );
    const options = { initialTransaction: 'last' } as unknown as { initialTransaction: 'first' };
    await expect(readHistory({ text: FORK }, options)).rejects.toThrow('initialTransaction is last, expected');
  });

  test('puts an explicit initial transaction before all others where asked', async () => {
    const text = 'w(1,0,0,0)\nw(2,0,0,0)\nr(1,0,1,1)\nw(1,1,1,1)\nr(2,0,2,2)\n';
    expect(transactions(await readHistory({ text }))).toBe(2); // by the format's convention
    expect(transactions(await readHistory({ text }, { initialTransaction: 'ordinary' }))).toBe(3);
    expect(transactions(await readHistory({ text }, { initialTransaction: 'first' }))).toBe(2);
  });
});

describe('check', () => {
  test('says who decided, why, and proves it', async () => {
    const history = await readHistory({ text: FORK });
    const violated = await check(history, 'cc');
    expect(violated).toMatchObject({ status: 'violated', level: 'causal', checker: 'weave', reason: null });
    expect(violated.anomalies[0]!.name).toBe('causality-violation');
    expect(verify(history, violated.certificate)).toEqual({ ok: true });
    const satisfied = await check(history, 'read-atomic');
    expect(satisfied).toMatchObject({ status: 'satisfied', anomalies: [] });
    expect(verify(history, JSON.parse(JSON.stringify(satisfied.certificate)))).toEqual({ ok: true });
    expect(verify(await readHistory({ text: CLEAN }), violated.certificate)).toMatchObject({ ok: false });
    const bare = await check(history, 'read-atomic', { certify: false });
    expect(bare).toMatchObject({ status: 'satisfied', certificate: null });
  });

  test.each(['thread', 'worker', 'process'] as const)('runs in a %s', async (place) => {
    const result = await check(await readHistory({ text: FORK }), 'causal', { checker: 'plume', place });
    expect(result).toMatchObject({ status: 'violated', checker: 'plume', report: { place } });
  });

  test('chooses the place by the limits', async () => {
    const history = await readHistory({ text: FORK });
    const placeOf = async (options: object): Promise<string> => (await check(history, 'causal', options)).report.place;
    expect(await placeOf({})).toBe('thread');
    expect(await placeOf({ steps: 1e6 })).toBe('thread');
    expect(await placeOf({ timeMs: 60_000 })).toBe('worker');
    expect(await placeOf({ signal: new AbortController().signal })).toBe('worker');
    expect(await placeOf({ memoryBytes: 2e9 })).toBe('process');
  });

  test('ends with unknown where a limit is reached or a signal fires', async () => {
    const history = await readHistory({ text: FORK });
    expect(await check(history, 'causal', { steps: 0 })).toMatchObject({ status: 'unknown', certificate: null });
    const aborted = await check(history, 'causal', { signal: AbortSignal.abort() });
    expect(aborted).toMatchObject({ status: 'unknown', reason: 'the run was aborted' });
    await expect(explain(aborted)).resolves.toBeNull();
  });

  test('takes a checker itself, with its options', async () => {
    const mine = defineChecker<{ readonly verdict: string }>({
      info: {
        name: 'mine',
        title: 'Says what it is told',
        version: '1.0.0',
        apiVersion: 1,
        paper: null,
        levels: ['causal'],
        sound: true,
        complete: true,
        requires: [],
        options: { verdict: { default: 'satisfied', help: 'what to say' } },
        variants: { moody: { help: 'no', options: { verdict: 'unknown' } } },
      },
      check: (_, __, { verdict }) =>
        verdict === 'satisfied' ? { status: 'satisfied' } : { status: 'unknown', reason: 'incomplete' },
    });
    const history = await readHistory({ text: FORK });
    expect(await check(history, 'causal', { checker: mine })).toMatchObject({ status: 'satisfied', checker: 'mine' });
    const moody = await check(history, 'causal', { checker: mine, variant: 'moody', timeMs: 10_000 });
    expect(moody).toMatchObject({ status: 'unknown', reason: 'incomplete', report: { place: 'thread' } });
    expect(await check(history, 'serializable', { checker: mine })).toMatchObject({ status: 'unknown' });
  });

  test('a level that no checker takes is violated where a weaker one is, and otherwise unknown', async () => {
    const aborted = 'linearizable';
    const thinAir = await check(await readHistory({ text: 'r(1,7,0,0)\nw(2,1,0,0)\n' }), aborted);
    expect(thinAir).toMatchObject({
      status: 'violated',
      level: 'linearizable',
      anomalies: [{ name: 'thin-air-read' }],
    });
    const unknown = await check(await readHistory({ text: FORK }), aborted, { timeMs: 60_000 });
    expect(unknown).toMatchObject({ status: 'unknown', checker: 'internal' });
  });

  test('refuses wrong calls', async () => {
    const history = await readHistory({ text: FORK });
    await expect(check(history, 'casual')).rejects.toThrow('There is no level casual; the levels are cut-isolation');
    await expect(check(history, 'causal', { checker: 'none' })).rejects.toThrow("There is no package 'none'");
    await expect(check(history, 'causal', { variant: 'x' })).rejects.toThrow('name it as checker');
    await expect(check(history, 'causal', { checker: {} as never })).rejects.toThrow('expected a checker');
    await expect(check(history, 'causal', { timeMs: -1 })).rejects.toThrow('expected a number that is not negative');
    await expect(shrink(await check(history, 'read-atomic'))).rejects.toThrow('The verdict is satisfied');
    await expect(async () => explain({ ...(await check(history, 'causal')) })).rejects.toThrow('no result of check');
  });
});

test('a satisfied verdict says what it rests on, and is unknown if that is nothing', async () => {
  const { status, evidence } = await check(await readHistory({ text: FORK }), 'read-atomic');
  expect({ status, line: restsOn(evidence!) }).toEqual({
    status: 'satisfied',
    line: 'rests on 3 reads with a known writer, 3 pairs of transactions that met, 3 sessions, no times',
  });
  const empty = new Recorder().finish();
  expect(await check(empty, 'causal')).toMatchObject({
    status: 'unknown',
    reason: 'nothing to judge: no transaction is known to have happened',
    certificate: null,
    evidence: { transactions: 0 },
    report: { verdict: { reason: 'nothing-to-judge' } },
  });
  expect(await check(empty, 'causal', { allowVacuous: true })).toMatchObject({ status: 'satisfied' });
  const { levels, whyUnknown } = await checkLevels(await readHistory({ text: 'w(1,1,0,0)\nr(1,1,1,1)\n' }));
  expect(levels).toMatchObject({ serializable: 'satisfied', 'strict-serializable': 'unknown' });
  expect(whyUnknown['strict-serializable']?.reason).toBe('needs-times');
});

test('checkLevels settles all levels with a few runs', async () => {
  const found = await checkLevels(await readHistory({ text: FORK }));
  expect(Object.keys(found.levels)).toHaveLength(LEVELS.length);
  expect(found).toMatchObject({ levels: { 'read-atomic': 'satisfied', causal: 'violated', serializable: 'violated' } });
  expect(found.results.length).toBeLessThan(LEVELS.length);
  const violated = found.results.find(({ level }) => level === 'causal') as CheckResult;
  expect((await explain(violated))!.level).toBe('causal');
  const two = await checkLevels(await readHistory({ text: FORK }), { levels: ['rc', 'causal'], checker: 'dbcop' });
  expect(two.levels).toEqual({ 'read-committed': 'satisfied', causal: 'violated' });
});

test('a violation is shrunk, told and drawn; nothing is printed', async () => {
  const unrelated = Array.from({ length: 20 }, (_, i) => `w(${100 + i},1,9,${9 + i})\n`).join('');
  const result = await check(await readHistory({ text: FORK + unrelated }), 'causal');
  const { history, txnOf, isMinimal, anomaly } = await shrink(result);
  expect([history.txnStatus.length, txnOf.length, isMinimal]).toEqual([3, 3, true]);
  expect(anomaly!.name).toBe('causality-violation');
  const story = (await explain(result))!;
  expect(story.verdict).toBe('violated');
  expect(drawSvg(story)).toContain('<svg');
  expect(viewHtml(story)).toContain('<!doctype html>');
  expect(storyMarkdown(story)).toContain('T1');
  const order = await explain(await check(await readHistory({ text: CLEAN }), 'causal'));
  expect(order!.verdict).toBe('satisfied');
  const stopped = await shrink(await check(await readHistory({ text: FORK + unrelated }), 'causal'), { maxChecks: 0 });
  expect(stopped.isMinimal).toBe(false);
});

describe('Recorder', () => {
  test('records sessions that are under way at once, with lists, outcomes and times', async () => {
    const recorder = new Recorder({ name: 'bank', initial: 0 });
    const alice = recorder.begin('alice', 10n);
    const bob = recorder.begin('bob', 11n);
    alice.read('x', 0).write('x', 1);
    bob.read('x', 0).write('x', 2);
    bob.commit(20n);
    alice.commit(15n);
    recorder.begin('carol').write('x', 3).abort();
    recorder.begin('dave').read('x', undefined).write('y', 'text');
    const history = recorder.finish();
    expect([...history.txnStatus].toSorted()).toEqual([0, 0, 1, 2]);
    expect(history.source.files).toEqual(['bank']);
    const result = await check(history, 'snapshot-isolation');
    expect(result.status).toBe('violated');
    expect((await check(history, 'read-committed')).status).toBe('satisfied');
  });

  test('records lists', async () => {
    const recorder = new Recorder();
    recorder.begin('alice').append('log', 'a').commit();
    recorder.begin('alice').append('log', 'b').commit();
    recorder.begin('bob').readList('log', ['b', 'a']).commit();
    recorder.begin('bob').readList('log', ['a', 'b']).commit();
    recorder.begin('carol').readList('log', undefined).commit();
    const result = await check(recorder.finish(), 'serializable');
    expect(result.anomalies[0]!.name).toBe('incompatible-order');
  });

  test('says what cannot be', () => {
    const recorder = new Recorder();
    const transaction = recorder.begin(1, 5n);
    expect(() => transaction.write('x', 0.5)).toThrow(
      'A key or value is 0.5, expected a text, a bigint or a whole number',
    );
    expect(() => transaction.commit(4n)).toThrow('cannot return at 4: it was called at 5');
    transaction.commit(6n);
    expect(() => transaction.read('x', 1)).toThrow('This transaction is over');
    expect(() => new Recorder({ initial: 'zero' as never })).toThrow(
      'initial is "zero", expected a whole number or null',
    );
  });
});
