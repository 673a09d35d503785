import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { skipUnless, unless } from '@isolab/needs';
import { describe, expect, test } from 'vitest';
import { folderOf } from './support/histories.ts';
import { isolab } from './support/isolab.ts';

const { folder, file } = folderOf('elle-cli');
const bank = (...balances: readonly string[]): string =>
  balances
    .map((each) => `{:type :invoke, :f :read, :process 0}\n{:type :ok, :f :read, :process 0, :value ${each}}\n`)
    .join('');
const wrong = file('wrong.edn', bank('{0 10, 1 5}', '{0 10, 1 6}'));
const owing = file(
  'owing.json',
  '[{"type":"invoke","f":"read","process":0},{"type":"ok","f":"read","process":0,"value":{"0":20,"1":-5}}]',
);
const stale = file(
  'stale.edn',
  `{:process 0, :type :invoke, :f :write, :value 1}
{:process 0, :type :ok, :f :write, :value 1}
{:process 1, :type :invoke, :f :read, :value nil}
{:process 1, :type :ok, :f :read, :value 2}
`,
);

describe('isolab elle behaves like elle-cli', () => {
  test('a line on standard output, the rest on standard error', async () => {
    const { code, out, err } = await isolab('elle', '-m', 'bank', wrong);
    expect({ code, out }).toEqual({ code: 1, out: `${wrong} \t false` });
    expect(err).toContain('error-count: 1');
  });

  test.each<[string[], number]>([
    [['-m', 'bank', '-f', 'json', owing], 1],
    [['-m', 'bank', '-n', owing], 0],
    [['-m', 'bank', '-n', '-o', '15', '--max-transfer', '5', owing], 0],
    [['-m', 'bank', '-n', '-o', '16', owing], 1],
    [['-m', 'register', stale], 1],
    [['-m', 'cas-register', '-s', '1000', '-t', '100', '-b', '10', '-p', 'svg', stale], 1],
  ])('%j', async (words, code) => expect((await isolab('elle', ...words)).code).toBe(code));

  test('the analysis as JSON, with the names of Jepsen', async () => {
    const verbose = await isolab('elle', '-m', 'bank', '-v', wrong);
    const json = await isolab('elle', '-m', 'bank', '--output', 'json', wrong);
    const { path, valid, ...analysis } = JSON.parse(json.out) as Record<string, unknown>;
    expect(JSON.parse(verbose.out)).toEqual(analysis);
    expect({ path, valid }).toEqual({ path: wrong, valid: 'false' });
    expect(analysis).toMatchObject({
      'valid?': false,
      'read-count': 2,
      'first-error': { type: 'wrong-total', total: 16 },
    });
  });

  test('malformed files are refused', async () => {
    const target = join(folder, 'out');
    await isolab('elle', '-m', 'register', '-d', target, stale);
    expect(readFileSync(join(target, 'stale.edn.svg'), 'utf8')).toContain('<svg');
    expect(readFileSync(join(target, 'stale.edn.txt'), 'utf8')).toContain('read → 2');
  });

  test.each<[string[], string]>([
    [['-m', 'bonk', wrong], 'There is no model bonk'],
    [['-m', 'bank', '-p', 'png', wrong], '--plot-format must be svg'],
    [['-m', 'bank', '-s', 'x', wrong], '--cycle-search-timeout needs a whole number'],
    [['-m', 'bank', stale], 'line 4: found a read of another form, expected a map of accounts'],
    [['-m', 'mutex', stale], 'found the operation write, expected one of mutex'],
  ])('%j is refused', async (words, message) => {
    const { code, err } = await isolab('elle', ...words);
    expect(err).toContain(message);
    expect(code).toBe(3);
  });
});

test('the command of the Clojure checker in docs/jepsen.md works', async () => {
  const page = readFileSync(fileURLToPath(new URL('../../../../docs/jepsen.md', import.meta.url)), 'utf8');
  const [, words] = /shell\/sh "isolab" (.*) flags\)/.exec(page)!;
  const args = words!.split(' ').map((word) => (word === 'file' ? stale : (JSON.parse(word) as string)));
  // Writes a history of Jepsen as Clojure prints it.
  writeFileSync(stale, readFileSync(stale, 'utf8').replaceAll(/^\{/gm, '#jepsen.history.Op{:index 1, :time 2, '));
  const { code, out } = await isolab(...args, '--model', 'cas-register');
  expect(code).toBe(1);
  expect(JSON.parse(out)).toMatchObject({ verdict: 'violated', model: 'cas-register' });
});

/** A folder of bare clones, `OWNER+NAME/repo` or `OWNER/NAME.git`. */
const mirrors = process.env['ISOLAB_MIRRORS'] ?? '';
const clone = [join(mirrors, 'ligurio+elle-cli/repo'), join(mirrors, 'ligurio/elle-cli.git')].find(
  (each) => mirrors !== '' && existsSync(each),
);
const show = (path: string): Buffer =>
  execFileSync('git', ['-C', clone!, 'show', `HEAD:${path}`], {
    maxBuffer: 2 ** 28,
    stdio: ['ignore', 'pipe', 'ignore'],
  });

describe('the suite of elle-cli', unless('mirrors', clone !== undefined), () => {
  const lines = clone === undefined ? [] : [...String(show('test.sh')).matchAll(/^run_test (\d) "(.*)"$/gm)];

  test('the suite of elle-cli has thirty histories', () => expect(lines.length).toBeGreaterThanOrEqual(29));

  test.for(lines.map(([, code, words]) => [words!, Number(code)] as const))('%s', async ([words, code], context) => {
    const args = words.split(/\s+/);
    const at = args.findIndex((word) => word.startsWith('histories/'));
    const local = join(folder, args[at]!);
    try {
      mkdirSync(dirname(local), { recursive: true });
      writeFileSync(local, show(args[at]!));
    } catch {
      skipUnless(context, 'mirrors', false, 'the clone does not hold its largest files');
    }
    const found = await isolab('elle', ...args.with(at, local));
    // It reads the unwritten 3; elle-cli does not look for that.
    const isUnwritten = args[at]!.includes('rw-register');
    expect(found.code).toBe(isUnwritten ? 1 : code);
    expect(found.out).toBe(`${local} \t ${found.code === 0}`);
  });
});
