import { copyFileSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { skipUnless } from '@isolab/needs';
import { describe, expect, test } from 'vitest';
import { type Ended, type Installed, root } from './installed.ts';

/** Message of npm without a network. */
const UNREACHABLE =
  /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ENOTCACHED|ERR_SOCKET_TIMEOUT|E50\d/;

const INSTALL = ['install', '--prefer-offline', '--no-audit', '--no-fund'];
/** Without a network, say so within seconds. */
const SOON = [
  '--fetch-retries=1',
  '--fetch-retry-mintimeout=1000',
  '--fetch-retry-maxtimeout=2000',
  '--fetch-timeout=60000',
];

/** Makes a package of a checker, and follows the printed steps with it. */
export function describePlugin(installed: () => Installed): void {
  test('isolab new checker --package: the printed commands work, and the checker can be used', (context) => {
    const { folder, run, isolab } = installed();
    const made = isolab('new', 'checker', 'plugged', '--package');
    expect(made.code).toBe(0);
    const plugin = path.join(folder, 'plugged');
    const failed = follow(made, folder, installed());
    skipUnless(context, 'registry', failed === null, failed ?? '');

    symlinkSync(plugin, path.join(folder, 'node_modules/plugged')); // as npm install ./plugged does
    for (const checker of ['./plugged/checker.js', 'plugged']) {
      for (const flags of [[], ['--time', '60s'], ['--memory', '1GB']]) {
        const { code, out } = isolab('check', 'h.jsonl', '-l', 'read-committed', '--checker', checker, ...flags);
        expect(out).toContain('by plugged');
        expect(code).toBe(0);
      }
    }
    const names = 'weave,plume,./plugged/checker.js';
    expect(isolab('check', 'h.jsonl', '-l', 'read-committed', '--checker', names)).toMatchObject({ code: 0 });

    const options = { strict: true, module: 'nodenext', target: 'es2023', noEmit: true, types: [], checkJs: true };
    writeFileSync(
      path.join(plugin, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: options, include: ['checker.js', 'test'] }),
    );
    const tsc = path.join(root, 'node_modules/typescript/bin/tsc');
    expect(run(process.execPath, [tsc, '-p', '.'], { cwd: plugin })).toEqual({ code: 0, out: '', err: '' });
  });

  test('isolab new checker --package, from a clone: the printed commands work', () => {
    const { folder, run } = installed();
    const command = path.join(root, 'packages/apps/cli/isolab.cjs');
    const elsewhere = path.join(folder, '..', 'elsewhere');
    mkdirSync(elsewhere);
    const made = run(process.execPath, [command, 'new', 'checker', 'cloned', '--package'], { cwd: elsewhere });
    expect(made).toMatchObject({ code: 0 });
    // The test above runs the tests of the package; here, isolab and the testkit of the clone are installed.
    const cloned = path.join(elsewhere, 'cloned');
    expect(existsSync(path.join(cloned, 'packed/isolab-testkit.tgz'))).toBe(true);
    expect(run('npm', [...INSTALL, '--omit=dev'], { cwd: cloned })).toMatchObject({ code: 0 });
    expect(checkedAsPrinted(made, cloned, installed())).toMatchObject({ code: 0 });
    // An optional package beside it takes nothing away.
    const contract = installed().tarballs['@isolab/contract'];
    expect(run('npm', [...INSTALL, '--omit=dev', contract], { cwd: cloned })).toMatchObject({ code: 0 });
    expect(run('npx', ['--no-install', 'isolab', '--version'], { cwd: cloned }).code).toBe(0);
  });
}

const KINDS = ['checker', 'workload', 'distribution', 'fault', 'format', 'driver', 'experiment', 'level', 'model'];
/** Kinds whose files run in a thread or a process of their own, which a clone bundles otherwise. */
const LOADED_OTHERWISE = ['checker', 'driver', 'model'];
const ENDINGS: Readonly<Record<string, string>> = { experiment: 'json', level: 'lvl' };
/** `isolab new` makes these too: commands.ts tries them, or a test of the command. */
const OTHERS = ['lab', 'recorder', 'playground', 'in-process'];
/** Where the printed commands need a history that is there already. */
const HISTORY = /history\.jsonl --level read-committed/;

/** Operations for the model that `isolab new model` begins. */
const OPERATIONS = `{"isolab":"operations","version":1}
{"process":0,"f":"put","call":0,"return":2}
{"process":1,"f":"take","result":true,"call":1,"return":3}
{"process":1,"f":"read","result":0,"call":4,"return":5}
`;

/** Begins a plug-in of each kind in an empty folder, and types the printed commands, without an installation. */
export function describeFiles(installed: () => Installed): void {
  describe.each([
    ['installed', () => path.join(installed().folder, 'node_modules/.bin/isolab')],
    ['in a clone', () => path.join(root, 'packages/apps/cli/isolab.cjs')],
  ])('isolab %s', (where, command) => {
    test.each(where === 'installed' ? KINDS : LOADED_OTHERWISE)('new %s: the printed commands work', (kind) => {
      const { folder, run } = installed();
      const place = path.join(folder, '..', `files-${where.replaceAll(' ', '-')}-${kind}`);
      mkdirSync(place);
      const typed = (words: readonly string[]): Ended => run(process.execPath, [command(), ...words], { cwd: place });
      const made = typed(['new', kind, `my-own-${kind}`]);
      expect(made).toMatchObject({ code: 0, err: '' });
      const steps = made.out.split('\n').filter((line) => line.startsWith('  npx isolab '));
      expect(steps[0]).toBe(`  npx isolab test ./my-own-${kind}.${ENDINGS[kind] ?? 'mjs'}`);
      const example = path.join(root, 'datasets/examples/isolab/two-sessions.jsonl');
      if (steps.some((step) => HISTORY.test(step))) copyFileSync(example, path.join(place, 'history.jsonl'));
      if (kind === 'model') writeFileSync(path.join(place, 'history.jsonl'), OPERATIONS);
      for (const step of steps) {
        if (step.includes('isolab run') && !step.includes('module:')) continue; // asks for a database
        if (step.includes('levels place')) continue; // takes ten seconds, which packages/apps/cli/test/levels.test.ts spends
        const words = step.trim().split(' ').slice(2);
        const isViolation = kind === 'fault' && words[0] === 'check';
        const ended = typed(words);
        expect([step, ended.code, ended.code === 3 ? ended.err : '']).toEqual([step, isViolation ? 1 : 0, '']);
      }
    });
  });

  test('every kind that isolab new makes is tried', () => {
    const { err } = installed().isolab('new', 'nothing', 'x');
    const [, kinds] = /expected one of (.+)\./.exec(err)!;
    expect(kinds!.split(', ')).toEqual([...KINDS, ...OTHERS]);
  });

  test('a strict project in TypeScript takes their types', () => {
    const { folder, run } = installed();
    const place = path.join(folder, 'typed');
    mkdirSync(place);
    for (const kind of KINDS.filter((each) => !(each in ENDINGS)))
      run(path.join(folder, 'node_modules/.bin/isolab'), ['new', kind, `typed-${kind}`], { cwd: place });
    const compilerOptions = {
      strict: true,
      module: 'nodenext',
      target: 'es2023',
      noEmit: true,
      types: [],
      checkJs: true,
      allowJs: true,
    };
    writeFileSync(path.join(place, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.mjs'] }));
    const tsc = path.join(root, 'node_modules/typescript/bin/tsc');
    expect(run(process.execPath, [tsc, '-p', '.'], { cwd: place })).toEqual({ code: 0, out: '', err: '' });
  });
}

/** Types the printed commands into a shell; the obstacle, such as no network, or null. */
function follow(made: Ended, folder: string, installed: Installed): string | null {
  const { run } = installed;
  const [install = ''] = made.out.split('\n').filter((line) => line.startsWith('  '));
  expect(install).toMatch(/^ {2}cd \S+ && npm install && npm test$/);
  const flags = INSTALL.slice(1).concat(SOON).join(' ');
  const plugin = path.join(folder, /cd (\S+)/.exec(install)![1]!);
  const installs = run(
    'sh',
    ['-c', install.replace('npm install', `npm install ${flags}`).replace(/ && npm test$/, '')],
    { cwd: folder },
  );
  if (installs.code !== 0) {
    // npm blames the dependencies if it cannot look them up, so it is asked for nothing else.
    const asked = run('npm', ['view', 'vitest', 'version', ...SOON]);
    if (asked.code !== 0 && UNREACHABLE.test(asked.err)) return `no registry to install vitest from: ${asked.err}`;
  }
  expect(installs).toMatchObject({ code: 0 });
  const conformance = run('npm', ['test'], { cwd: plugin });
  expect(conformance).toMatchObject({ code: 0, out: expect.stringMatching(/Tests\s.*passed/) as string });
  const checked = checkedAsPrinted(made, plugin, installed);
  expect(checked).toMatchObject({ code: 0, out: expect.stringContaining('satisfied') as string });
  return null;
}

/** Types the last printed command, which checks a history, in the folder of the package. */
function checkedAsPrinted(made: Ended, plugin: string, { run }: Installed): Ended {
  const [, check = ''] = made.out.split('\n').filter((line) => line.startsWith('  '));
  copyFileSync(path.join(root, 'datasets/examples/isolab/two-sessions.jsonl'), path.join(plugin, 'history.jsonl'));
  return run('sh', ['-c', check.replace('npx', 'npx --no-install')], { cwd: plugin });
}
