import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { folderOf } from './support/histories.ts';
import { isolab, shown } from './support/isolab.ts';

const { folder, file } = folderOf('objects');
const lines = (...each: readonly string[]): string => `${each.join('\n')}\n`;
const stale = file(
  'stale.edn',
  lines(
    '{:process 0, :type :invoke, :f :write, :value 1}',
    '{:process 0, :type :ok, :f :write, :value 1}',
    '{:process 0, :type :invoke, :f :write, :value 2}',
    '{:process 0, :type :ok, :f :write, :value 2}',
    '{:process 1, :type :invoke, :f :read, :value nil}',
    '{:process 1, :type :ok, :f :read, :value 1}',
  ),
);
const queue = file(
  'queue.jsonl',
  lines(
    '{"isolab":"operations","version":1}',
    '{"process":0,"f":"enqueue","argument":"a","call":0,"return":2}',
    '{"process":1,"f":"dequeue","result":"a","call":1,"return":3}',
    '{"process":0,"f":"dequeue","call":4}',
  ),
);

describe('isolab check --model', () => {
  test('isolab check --model judges both levels, and names the anomaly at one', async () => {
    expect(shown(await isolab('check', stale, '--model', 'register', '--level', 'all'), folder)).toMatchInlineSnapshot(`
      "violated   linearizable register  FOLDER/stale.edn  in N ms
        After write 1 of process 0, write 2 of process 0 the register is 2, and read → 1 of process 1 (line 5) would have to come next, which a register does not allow.
        3 operations; 3 of them have no order, as was verified
      satisfied  sequential register  FOLDER/stale.edn  in N ms
        3 operations; an order of the operations was verified
      exit code 1"
    `);
    expect((await isolab('check', stale, '--model', 'register', '--level', 'sequential')).code).toBe(0);
  });

  test('isolab check --model reads its own format, with pending operations', async () => {
    const { code, out } = await isolab('check', queue, '--model', 'queue', '--output', 'json');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ model: 'fifo-queue', verdict: 'satisfied', operations: 3, pending: 1 });
  });

  test('isolab check --model takes a model of fifteen lines', async () => {
    const mine = file(
      'mine.mjs',
      lines(
        "export default { name: 'last-two', initial: [],",
        '  step(state, { f, argument, result }) {',
        "    if (f === 'write') return [...state.slice(-1), argument];",
        '    return result === undefined || state.includes(result) ? state : undefined;',
        "  }, isRead: ({ f }) => f === 'read' };",
      ),
    );
    const { code, out } = await isolab('check', stale, '--model', mine);
    expect(out).toMatch(/^satisfied {2}linearizable last-two/);
    expect(code).toBe(0);
  });

  test('isolab check --model draws, and writes evidence that verify accepts', async () => {
    const certificate = join(folder, 'certificate.json');
    expect((await isolab('check', stale, '--model', 'register', '--output', 'svg')).out).toContain('<svg');
    await isolab('check', stale, '--model', 'register', '--certificate', certificate);
    expect((await isolab('verify', stale, certificate)).out).toMatch(/^accepted/);
    const forged = file('forged.json', readFileSync(certificate, 'utf8').replace('"kept":[0,1,2]', '"kept":[0,1]'));
    const refused = await isolab('verify', stale, forged);
    expect(refused.out).toContain('rejected');
    expect(refused.code).toBe(2);
    expect((await isolab('verify', queue, certificate, '--model', 'queue')).out).toContain('rejected');
  });

  test('isolab check --model writes to JUnit a suite per history and a test case per level; an unknown verdict is an error', async () => {
    const report = join(folder, 'report.xml');
    const open = file('open.jsonl', lines('{"isolab":"operations","version":1}', '{"process":0,"f":"read","call":0}'));
    const words = ['check', stale, open, join(folder, 'missing.edn'), '--model', 'register', '--level', 'all'];
    const { code, out } = await isolab(...words, '--output', 'junit');
    expect(code).toBe(1);
    expect(out).toContain('<testsuites name="isolab" tests="6" failures="1" errors="4"');
    expect(out).toMatch(
      /<testcase name="linearizable" classname="[^"]*stale\.edn\.register" time="[\d.]+">\n\s*<failure message="After write 1 of process 0, write 2 of process 0 the register is 2, [^"]*" type="violated">After /,
    );
    expect(out).toMatch(/<testcase name="sequential" classname="[^"]*stale\.edn\.register" time="[\d.]+"\/>/);
    expect(out).toContain('<error message="no operation returned" type="unknown">');
    expect(out.match(/missing\.edn: no such file or directory[^"]*" type="error"/g)).toHaveLength(2);
    const text = await isolab(...words, '--output', 'text', '--output', `junit=${report}`);
    expect(text.out).toMatch(/^violated {3}linearizable register/);
    const unlike = (xml: string): string => xml.trim().replaceAll(/(time|timestamp)="[^"]*"/g, '');
    expect(unlike(readFileSync(report, 'utf8'))).toBe(unlike(out));
  });

  test('isolab check --model says in JSON, too, which history could not be read', async () => {
    const { code, out } = await isolab('check', join(folder, 'missing.edn'), '--model', 'register', '--output', 'json');
    expect(JSON.parse(out)).toMatchObject({ verdict: 'unknown', error: expect.stringContaining('no such file') });
    expect(code).toBe(3);
  });

  test.each<[string, string[], string]>([
    [
      'another operation',
      [stale, '--model', 'mutex'],
      'line 1: found the operation write, expected one of mutex: acquire, release',
    ],
    ['an unknown model', [stale, '--model', 'regster'], 'There is no model regster; did you mean register'],
    [
      'a level of transactions',
      [stale, '--model', 'register', '--level', 'serializable'],
      '--level of a --model must be linearizable, sequential or all',
    ],
    [
      '--initial alone',
      [stale, '--level', 'serializable', '--initial', '3'],
      '--initial and --independent need --model',
    ],
    ['two values', [stale, '--model', 'register', '--initial', '3 4'], 'found'],
    ['a folder without a history', [folder, '--model', 'register'], 'a folder without history.edn and history.txt'],
  ])('isolab check --model refuses %s', async (_, args, message) => {
    const { code, err } = await isolab('check', ...args);
    expect(err).toContain(message);
    expect(code).toBe(3);
  });

  test('many registers by key', async () => {
    const keyed = file('keyed.edn', readFileSync(stale, 'utf8').replaceAll(/:value (\w+)/g, ':value [:k $1]'));
    expect((await isolab('check', keyed, '--model', 'register', '--independent')).code).toBe(1);
    expect((await isolab('check', keyed, '--model', 'register')).code).toBe(1);
  });
});

describe('the folder of a Jepsen test', () => {
  const store = join(folder, 'store');
  const put = (results: string): void => {
    mkdirSync(store, { recursive: true });
    writeFileSync(join(store, 'history.edn'), readFileSync(stale));
    writeFileSync(join(store, 'results.edn'), results);
  };

  test.each([
    [
      '{:valid? false, :linear {:valid? false}, :perf {:valid? true}}',
      'results.edn has :valid? false (linear); the verdict of isolab is violated, which agrees',
    ],
    ['{:valid? true}', 'results.edn has :valid? true; the verdict of isolab is violated, which differs'],
    ['{:valid? :unknown}', 'results.edn has :valid? unknown; the verdict of isolab is violated'],
    ['[]', 'results.edn is not a map with :valid?, so its result was not compared'],
  ])('the folder of a Jepsen test is read, and the two verdicts are compared: %s', async (results, said) => {
    put(results);
    const { code, err } = await isolab('check', store, '--model', 'register');
    expect(err).toContain(said);
    expect(code).toBe(1);
  });

  test('the folder of a Jepsen test is read at levels of transactions, too, and by elle', async () => {
    put('{:valid? true}');
    const { code, err } = await isolab('check', store, '--level', 'linearizable');
    expect(code).toBe(1);
    expect(err).toContain('results.edn has :valid? true; the verdict of isolab is violated, which differs');
    expect((await isolab('stats', store)).code).toBe(0);
    expect((await isolab('elle', '-m', 'register', store)).code).toBe(1);
  });
});
