import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import {
  type Checker,
  FormatError,
  type Opened,
  LEVELS,
  Recorder,
  certificate,
  check,
  collect,
  compare,
  convert,
  defineChecker,
  drawSvg,
  findAll,
  generate,
  loadChecker,
  open,
  shrink,
  statistics,
  story as tell,
  storyMarkdown,
  verify,
  viewHtml,
  jsonOf,
} from '../src/index.ts';

const EXAMPLE = fileURLToPath(new URL('../../../../datasets/examples/isolab/two-sessions.jsonl', import.meta.url));
const FORK = 'w(1,1,0,0)\nr(1,1,1,1)\nw(2,1,1,1)\nr(2,1,2,2)\nr(1,0,2,2)\n'; // T2 sees T1, which has seen T0, but not T0
const COLLECTING = {
  database: 'embedded',
  workload: 'contention',
  sessions: 1,
  transactions: 1,
  seed: 1,
  path: 'h.jsonl',
  signal: new AbortController().signal,
};
const CLEAN = 'w(1,1,0,0)\nr(1,1,1,1)\n';

const folder = mkdtempSync(path.join(tmpdir(), 'isolab-library-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('open', () => {
  const transactions = ({ prepared }: Opened): number => prepared.history.txnStatus.length;

  test('open takes a path, a URL, a text and bytes, compressed or not', async () => {
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
    for (const source of sources) expect(transactions(await open(source))).toBe(3);
    expect(transactions(await open(EXAMPLE, { format: 'isolab' }))).toBe(4);
  });

  test('open takes the answers of a server, and names missing ones', async () => {
    const server = createServer((request, response) => {
      response.statusCode = request.url === '/fork.txt' ? 200 : 404;
      response.end(FORK);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    expect(transactions(await open(new URL(`http://127.0.0.1:${port}/fork.txt`)))).toBe(3);
    await expect(open(`http://127.0.0.1:${port}/x`)).rejects.toThrow('the server answered 404, expected the file');
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await expect(open(`http://127.0.0.1:${port}/x`)).rejects.toThrow('it cannot be fetched: ');
    await expect(open(new URL('ftp://127.0.0.1/x'))).rejects.toThrow('found a URL with ftp:, expected file:');
  });

  test('open names a mistake with its place', async () => {
    await expect(open('absent.txt')).rejects.toThrow(FormatError);
    await expect(open({ text: 'w(1,1,0,0)\nr(1,\n', name: 'mine' })).rejects.toThrow(/mine, line 2/);
    await expect(open({ text: FORK }, { format: 'none' })).rejects.toThrow('unknown format none');
    expect((await open({ text: 'n:2\ne:0,1\n', name: 'p' }, { format: 'polyg' })).kind).toBe('polygraph');
    const options = { initialTransaction: 'last' } as unknown as { initialTransaction: 'first' };
    await expect(open({ text: FORK }, options)).rejects.toThrow('initialTransaction is last, expected');
  });

  test('open puts an explicit initial transaction before all others where asked', async () => {
    const text = 'w(1,0,0,0)\nw(2,0,0,0)\nr(1,0,1,1)\nw(1,1,1,1)\nr(2,0,2,2)\n';
    expect(transactions(await open({ text }))).toBe(2); // by the format's convention
    expect(transactions(await open({ text }, { initialTransaction: 'ordinary' }))).toBe(3);
    expect(transactions(await open({ text }, { initialTransaction: 'first' }))).toBe(2);
  });
});

describe('generate, convert, statistics', () => {
  test('generate, convert, statistics give plain objects', async () => {
    const made = await generate({ workload: 'list-append', sessions: 2, transactions: 5 });
    expect(made).toMatchObject({ committed: 10 });
    expect(await generate({ workload: 'lightweight', sessions: 2, transactions: 5 })).toMatchObject({ aborted: 0 });
    const out = path.join(folder, 'made.txt');
    const { losses, refused } = await convert(made.history, out, { to: 'text' });
    expect(losses.length).toBeGreaterThan(0);
    expect(refused).toEqual(losses); // so nothing was written
    await convert(made.history, out, { to: 'isolab' });
    const counted = statistics(await open(out));
    expect(counted).toMatchObject({ format: 'isolab', history: { sessions: 2, committed: 10 } });
    expect(structuredClone(counted)).toEqual(JSON.parse(JSON.stringify(counted)));
  });

  test.each([
    [() => generate({ workload: 'list-apend' }), 'There is no workload list-apend; did you mean list-append?'],
    [
      () => generate({ workload: 'list-append', level: 'nonsense' }),
      'The simulated database does not support nonsense',
    ],
    [() => generate({ workload: 'list-append', faults: { luck: 1 } }), 'There is no fault luck'],
    [() => collect({ ...COLLECTING, workload: 'nothing' }), 'There is no workload nothing'],
    [() => collect({ ...COLLECTING, database: 'oracle://x' }), 'oracle'],
  ])('generate, convert, statistics refuse a wrong call (%#)', async (call, message) => {
    await expect(call()).rejects.toThrow(message);
  });
});

describe('check', () => {
  test('check says who decided, why, and proves it', async () => {
    const history = await open({ text: FORK });
    const violated = await check(history, { level: 'cc' });
    expect(violated).toMatchObject({
      verdict: 'violated',
      named: ['causal'],
      deciding: { checker: 'weave' },
      reason: null,
    });
    expect(violated.anomalies[0]!.name).toBe('causality-violation');
    expect(verify(history, certificate(history, violated))).toMatchObject({ ok: true });
    const satisfied = await check(history, { level: 'read-atomic' });
    expect(satisfied).toMatchObject({ verdict: 'satisfied', anomalies: [] });
    expect(verify(history, JSON.parse(JSON.stringify(certificate(history, satisfied))))).toMatchObject({ ok: true });
    expect(verify(await open({ text: CLEAN }), certificate(history, violated))).toMatchObject({ ok: false });
    const bare = await check(history, { level: 'read-atomic', certify: false });
    expect(bare.verdict).toBe('satisfied');
    expect(certificate(history, bare)).toBe(null);
  });

  test.each(['thread', 'worker', 'process'] as const)('runs in a %s', async (place) => {
    const result = await check(await open({ text: FORK }), { level: 'causal', checker: 'plume', place });
    expect(result).toMatchObject({ verdict: 'violated', runs: [{ checker: 'plume', place }] });
  });

  test('check chooses the place by the limits', async () => {
    const history = await open({ text: FORK });
    const placeOf = async (options: object): Promise<string> =>
      (await check(history, { level: 'causal', ...options })).runs[0]!.place;
    expect(await placeOf({})).toBe('thread');
    expect(await placeOf({ steps: 1e6 })).toBe('thread');
    expect(await placeOf({ timeMs: 60_000 })).toBe('worker');
    expect(await placeOf({ signal: new AbortController().signal })).toBe('worker');
    expect(await placeOf({ memoryBytes: 2e9 })).toBe('process');
  });

  test('check ends with unknown where a limit is reached or a signal fires', async () => {
    const history = await open({ text: FORK });
    expect(await check(history, { level: 'causal', steps: 0 })).toMatchObject({
      verdict: 'unknown',
    });
    const aborted = await check(history, { level: 'causal', signal: AbortSignal.abort() });
    expect(aborted).toMatchObject({ verdict: 'unknown', reason: 'the run was aborted' });
    await expect(tell(history, aborted)).resolves.toBeNull();
  });

  test('check takes a checker itself, with its options', async () => {
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
    const history = await open({ text: FORK });
    expect(await check(history, { level: 'causal', checker: mine })).toMatchObject({
      verdict: 'satisfied',
      runs: [{ checker: 'mine' }],
    });
    const moody = await check(history, { level: 'causal', checker: mine, variant: 'moody', timeMs: 10_000 });
    expect(moody).toMatchObject({
      verdict: 'unknown',
      levels: { causal: { unknown: { reason: 'incomplete' } } },
      runs: [{ place: 'thread' }],
    });
    expect(await check(history, { level: 'serializable', checker: mine })).toMatchObject({ verdict: 'unknown' });
  });

  test('the interpretation of a checker is asked for unless it comes from a file', async () => {
    const source = `export default {
      info: { name: 'mine', title: 'violated', version: '1.0.0', apiVersion: 1, paper: null, levels: ['causal'],
        sound: true, complete: true, requires: [], options: {}, variants: {} },
      check: () => ({ status: 'violated', anomalies: [{ name: 'lost-update', transactions: [0, 1] }] }),
      interpret() { globalThis.interpreted = (globalThis.interpreted ?? 0) + 1; return null; },
    };`;
    const file = path.join(folder, 'mine.mjs');
    writeFileSync(file, source);
    const asked = (): unknown => (globalThis as { interpreted?: number }).interpreted;
    const history = await open({ text: FORK });
    const fromFile = await check(history, { level: 'causal', checker: file });
    expect((await tell(history, fromFile))!.stages).toBeUndefined();
    expect(asked()).toBeUndefined();
    const { default: mine } = (await import(pathToFileURL(file).href)) as { default: Checker };
    await tell(history, await check(history, { level: 'causal', checker: mine }), { checker: mine });
    expect(asked()).toBe(1);
  });

  test('a level that no checker takes is violated where a weaker one is, and otherwise unknown', async () => {
    const aborted = 'linearizable';
    const thinAir = await check(await open({ text: 'r(1,7,0,0)\nw(2,1,0,0)\n' }), { level: aborted });
    expect(thinAir).toMatchObject({
      verdict: 'violated',
      named: ['linearizable'],
      anomalies: [{ name: 'thin-air-read' }],
    });
    const unknown = await check(await open({ text: FORK }), { level: aborted, timeMs: 60_000 });
    expect(unknown).toMatchObject({
      verdict: 'unknown',
      deciding: { checker: 'internal' },
      levels: { linearizable: { unknown: { reason: 'needs-single-keys' } } },
    });
    expect(unknown.reason).toMatch(/^linearizable needs single-keys \(.*first: .* in transaction/);
  });

  test('check refuses wrong calls', async () => {
    const history = await open({ text: FORK });
    // @ts-expect-error: a misspelt level does not compile either.
    await expect(check(history, { level: 'casual' })).rejects.toThrow(
      'There is no level casual; the levels are cut-isolation',
    );
    await expect(check(history, { level: 'causal', checker: 'none' })).rejects.toThrow("Package 'none'");
    await expect(check(history, { level: 'causal', variant: 'x' })).rejects.toThrow('name it in the option checker');
    await expect(check(history, { level: 'causal', checker: {} as never })).rejects.toThrow('expected a checker');
    await expect(check(history, { level: 'causal', timeMs: -1 })).rejects.toThrow(
      'expected a number that is not negative',
    );
    await expect(shrink(history, await check(history, { level: 'read-atomic' }))).rejects.toThrow(
      'The verdict is satisfied',
    );
  });
});

test('a satisfied verdict names its evidence, and is unknown without any', async () => {
  const { verdict, restsOn } = await check(await open({ text: FORK }), { level: 'read-atomic' });
  expect({ verdict, restsOn }).toEqual({
    verdict: 'satisfied',
    restsOn: 'rests on 3 reads with a known writer, 3 pairs of transactions that met, 3 sessions, no times',
  });
  const empty = new Recorder().finish();
  expect(await check(empty, { level: 'causal' })).toMatchObject({
    verdict: 'unknown',
    reason: 'nothing to judge: no transaction is known to have happened',
    evidence: { transactions: 0 },
    levels: { causal: { unknown: { reason: 'nothing-to-judge' } } },
  });
  expect(await check(empty, { level: 'causal', allowVacuous: true })).toMatchObject({ verdict: 'satisfied' });
  const { levels } = await check(await open({ text: 'w(1,1,0,0)\nr(1,1,1,1)\n' }), { level: 'all' });
  expect(levels).toMatchObject({
    serializable: { verdict: 'satisfied' },
    'strict-serializable': { verdict: 'unknown', unknown: { reason: 'needs-times' } },
  });
});

test('all levels are settled with a few runs', async () => {
  const history = await open({ text: FORK });
  const all = await check(history, { level: 'all' });
  expect(Object.keys(all.levels)).toHaveLength(LEVELS.length);
  expect(jsonOf(all)).toMatchObject({
    levels: { 'read-atomic': 'satisfied', causal: 'violated', serializable: 'violated' },
  });
  expect(all.runs.length).toBeLessThan(LEVELS.length);
  expect((await tell(history, all, { level: 'causal' }))!.level).toBe('causal');
  const two = await check(history, { level: ['rc', 'causal'], checker: 'dbcop' });
  expect(jsonOf(two).levels).toEqual({ 'read-committed': 'satisfied', causal: 'violated' });
});

test('a result survives JSON and a structured clone, and suffices for shrinking and explaining', async () => {
  const unrelated = Array.from({ length: 20 }, (_, i) => `w(${100 + i},1,9,${9 + i})\n`).join('');
  const input = await open({ text: FORK + unrelated });
  const result = await check(input, { level: 'causal' });
  expect(structuredClone(result)).toEqual(result);
  const copy = JSON.parse(JSON.stringify(result)) as typeof result;
  expect(copy).toEqual(result);
  const { history, txnOf, isMinimal, anomaly } = await shrink(input, copy);
  expect([history.txnStatus.length, txnOf.length, isMinimal]).toEqual([3, 3, true]);
  expect(anomaly!.name).toBe('causality-violation');
  const story = (await tell(input, copy))!;
  expect(story.verdict).toBe('violated');
  expect(drawSvg(story)).toContain('<svg');
  expect(viewHtml(story)).toContain('<!doctype html>');
  expect(storyMarkdown(story)).toContain('T1');
  const clean = await open({ text: CLEAN });
  expect((await tell(clean, await check(clean, { level: 'causal' })))!.verdict).toBe('satisfied');
  expect(await shrink(input, copy, { maxChecks: 0 })).toMatchObject({
    isMinimal: false,
    stopped: 'it reached the limit of 0 checks',
  });
});

describe('shrinking and finding more', () => {
  const levels = { level: 'serializable', checker: 'weave' } as const;
  const unrelated = Array.from({ length: 30 }, (_, i) => `w(${100 + i},1,9,${9 + i})\n`).join('');
  const several = async (): Promise<Opened> =>
    open({ text: `w(1,1,0,0)\nr(1,1,1,1)\nw(1,2,1,1)\nr(1,1,2,2)\nw(1,3,2,2)\n${unrelated}` });

  test('shrinking and finding more end with their results so far when aborted or out of time', async () => {
    const input = await several();
    const { checker } = await loadChecker('weave');
    const interrupt = new AbortController();
    let runs = 0;
    const aborting: Checker = {
      info: checker.info,
      check: (...args) => {
        if (++runs === 3) interrupt.abort();
        return checker.check(...args);
      },
    };
    const again = { checker: aborting, signal: interrupt.signal };
    const part = await shrink(input, await check(input, { ...levels, checker: aborting }), again);
    expect(part).toMatchObject({ isMinimal: false, stopped: 'it was interrupted' });
    expect(part.history.txnStatus.length).toBeLessThan(33);
    expect((await check(part.history, levels)).verdict).toBe('violated');
    const result = await check(input, levels);
    expect(await shrink(input, result, { timeMs: 0 })).toMatchObject({
      isMinimal: false,
      stopped: 'the time limit was reached',
    });
    expect(await shrink(input, result, { timeMs: 60_000 })).toMatchObject({ isMinimal: true, stopped: null });
    const found = await findAll(input, result, { timeMs: 0 });
    expect(found.complete).toBe(false);
    expect(found.notes!.serializable).toMatch(/^The list may be incomplete: the search was stopped early\./);
  });

  test('shrinking and finding more ask for a checker again that was given as an object', async () => {
    const { checker } = await loadChecker('weave');
    const input = await several();
    const result = await check(input, { ...levels, checker });
    await expect(shrink(input, result)).rejects.toThrow('pass it again as the option checker');
    expect(await shrink(input, result, { checker })).toMatchObject({ isMinimal: true });
  });

  test.each(['elle', 'polysi', 'viper'])(
    '%s does not take registers for lists because of an aborted append',
    async (checker) => {
      const lostUpdate = await open({ text: 'r(x,0) w(x,1) | !a(l,1)\nr(x,0) w(x,2)\nr(x,1)' });
      expect(await check(lostUpdate, { level: 'snapshot-isolation', checker })).toMatchObject({
        verdict: 'unknown',
        levels: { 'snapshot-isolation': { unknown: { reason: 'unsupported' } } },
      });
    },
  );

  test('registers beside lists are decided, certified and shrunk', async () => {
    const lostUpdate = await open({ text: 'r(x,0) w(x,1) a(l,1) | !a(l,2)\nr(x,0) w(x,2) r(l,[])\nr(x,1) r(l,[1])' });
    const result = await check(lostUpdate, { level: 'snapshot-isolation' });
    expect(result.verdict).toBe('violated');
    expect(verify(lostUpdate, certificate(lostUpdate, result)!)).toMatchObject({ ok: true });
    expect((await shrink(lostUpdate, result)).history.txnStatus).toHaveLength(2);
  });

  test('a checker that relies on claims contradicts no other', async () => {
    const claimed = [
      '{"isolab":"history","version":1,"initial":0}',
      '{"session":"s0","ops":[["w","k0",1]],"startTs":0,"commitTs":1}',
      '{"session":"s1","ops":[["r","k0",1]],"startTs":0,"commitTs":2}',
    ].join('\n');
    const history = await open({ text: claimed });
    const { agree, verdict, reports } = await compare(history, { level: 'snapshot-isolation' });
    expect({ agree, verdict }).toEqual({ agree: true, verdict: 'satisfied' });
    const believing = reports.find(({ checker }) => checker === 'chronos')!;
    expect(believing).toMatchObject({
      verdict: 'violated',
      supposing: 'if the timestamps that the database states are right',
    });
    const alone = await compare(history, { level: 'snapshot-isolation', checkers: ['chronos'] });
    expect(alone).toMatchObject({ agree: true, verdict: 'unknown' });
    // The two levels are about different orders, each by its own timestamps.
    const both = await check(history, { level: ['snapshot-isolation', 'serializable'], checker: 'chronos' });
    expect(jsonOf(both).levels).toEqual({ 'snapshot-isolation': 'violated', serializable: 'satisfied' });
  });

  test('options that relax a level leave its verdict out of a comparison', async () => {
    const early =
      '{"isolab":"history","version":1,"initial":0}\n{"session":1,"ops":[["r","x",1]],"begin":1,"begun":2,"committing":3,"end":4}\n{"session":2,"ops":[["w","x",1]],"begin":2,"begun":3,"committing":5,"end":6}\n';
    const level = 'generalized-snapshot-isolation';
    const drift = { checker: 'viper', options: { drift: '10' } };
    const { agree, verdict, reports } = await compare(await open({ text: early }), {
      level,
      checkers: ['weave', drift],
    });
    expect({ agree, verdict }).toEqual({ agree: true, verdict: 'violated' });
    expect(reports[1]).toMatchObject({
      verdict: 'satisfied',
      supposing: 'of the weaker level that its options select',
    });
  });

  test('compare says why each checker refuses', async () => {
    const compared = await compare(await several(), { level: 'causal', checkers: ['weave', 'polysi'] });
    expect(compared).toMatchObject({ agree: true, verdict: 'satisfied' });
    expect(compared.reports[1]!.unknown).toMatchObject({
      reason: 'unsupported',
      detail: expect.stringContaining('polysi does not check causal'),
    });
  });
});
