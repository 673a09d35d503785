/** Several outputs of one run: one on standard output, others in files. */
import { createRequire } from 'node:module';
import { existsSync, linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { unless } from '@isolab/needs';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import { describe, expect, test } from 'vitest';
import { CLEAN, FORK, folderOf, transfer } from './support/histories.ts';
import { isolab } from './support/isolab.ts';

const { folder, file } = folderOf('outputs');
const clean = file('clean.txt', CLEAN);
const fork = file('fork.txt', FORK);
const read = (path: string): string => readFileSync(path, 'utf8');
/** On standard output a page has a line break more. */
const trimmed = (out: string): string => `${out.trimEnd()}\n`;
/** Removes the parts that differ between two runs. */
const timeless = (text: string): string =>
  text.replaceAll(/in \d+ ms|time(?:stamp)?="[^"]*"|"(?:wallMs|ms|cpuMs|peakRssBytes|startMs)":[\d.]+/g, '');
let places = 0;
const place = (): string => {
  const made = join(folder, String(++places));
  mkdirSync(made);
  return made;
};

describe('isolab check with several outputs', () => {
  test.each([
    ['violated', transfer, 1],
    ['satisfied', clean, 0],
  ])(
    'isolab check with several outputs writes into files the text that each would print alone, of a history that is %s',
    async (_, history, code) => {
      const at = place();
      const forms = ['json', 'junit', 'sarif', 'markdown', 'html', 'svg', 'dot', 'text'];
      const asked = forms.flatMap((form) => ['--output', `${form}=${join(at, form)}`]);
      const all = await isolab('check', history, '-l', 'ser', ...asked);
      expect(all.code).toBe(code);
      // JSON alone does without certificates.
      for (const form of forms.slice(1)) {
        const alone = await isolab('check', history, '-l', 'ser', '--output', form);
        expect(alone.code).toBe(code);
        if (alone.out === '') expect(existsSync(join(at, form))).toBe(false);
        else expect(timeless(read(join(at, form)))).toBe(timeless(trimmed(alone.out)));
        if (form === 'text') expect(timeless(all.out)).toBe(timeless(alone.out)); // by default
      }
      expect(JSON.parse(read(join(at, 'json')))).toMatchObject({ path: history, level: 'serializable' });
    },
  );

  test('isolab check with several outputs writes the same longer story into files', async () => {
    const [page, text] = [join(place(), 'page.html'), join(place(), 'told.txt')];
    const words = ['check', fork, '-l', 'causal', '--shrink', '--output'];
    await isolab(...words, 'junit', '--output', `html=${page}`, '--output', `text=${text}`);
    expect(timeless(read(text))).toBe(timeless(`${(await isolab(...words, 'text')).out}\n`));
    expect(read(page)).toBe(trimmed((await isolab(...words, 'html')).out));
  });

  test('isolab check with several outputs has every history in every file, also those that could not be checked', async () => {
    const at = place();
    const forms = ['json', 'junit', 'markdown', 'text'];
    const asked = forms.flatMap((form) => ['--output', `${form}=${join(at, form)}`]);
    const { code, out } = await isolab('check', clean, 'missing.txt', transfer, '-l', 'ser,rc', ...asked);
    expect(code).toBe(1);
    expect(out.match(/^(?:satisfied|violated) /gm)).toHaveLength(2);
    const lines = read(join(at, 'json')).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
      expect.objectContaining({ path: clean, verdict: 'satisfied' }),
      { path: 'missing.txt', verdict: 'unknown', error: 'missing.txt: no such file or directory' },
      expect.objectContaining({ path: transfer, verdict: 'violated' }),
    ]);
    expect(read(join(at, 'junit'))).toContain('<testsuites name="isolab" tests="6" failures="2" errors="2"');
    expect(read(join(at, 'junit')).match(/<testsuite /g)).toHaveLength(3);
    expect(read(join(at, 'markdown')).match(/^## /gm)).toHaveLength(3);
    expect(read(join(at, 'text'))).toContain('unknown    missing.txt\n  missing.txt: no such file or directory\n');
  });

  test('isolab check with several outputs draws one history only', async () => {
    const page = join(place(), 'page.html');
    const { code, err } = await isolab('check', clean, transfer, '-l', 'ser', '--output', `html=${page}`);
    expect({ code, err }).toEqual({ code: 3, err: expect.stringContaining('--output html accepts only one history') });
  });

  test('isolab check with several outputs replaces its earlier files, and leaves none of them where there is nothing to draw', async () => {
    const at = place();
    const [page, json] = [join(at, 'page.html'), join(at, 'result.json')];
    const words = ['-l', 'causal', '--output', `html=${page}`, '--output', `json=${json}`];
    expect((await isolab('check', fork, ...words)).code).toBe(1);
    expect(existsSync(page)).toBe(true);
    const { code, err } = await isolab('check', file('vacuous.txt', 'w(1,1,0,0)\n'), ...words);
    expect(code).toBe(2);
    expect(err).toContain('there is nothing to draw');
    expect(existsSync(page)).toBe(false);
    expect(JSON.parse(read(json))).toMatchObject({ verdict: 'unknown' });
  });

  test('isolab check with several outputs writes the page of a satisfied history, whether an order of it can be drawn or not', async () => {
    const at = place();
    const many = file(
      'many.txt',
      Array.from({ length: 1200 }, (_, i) => `r(1,${i},0,${i})\nw(1,${i + 1},0,${i})\n`).join(''),
    );
    for (const [history, level, why] of [
      [clean, 'ser', 'Witness order'],
      [file('twice.txt', 'r(x,0) r(x,0)\nw(x,1)\n'), 'cut-isolation', 'Each transaction was inspected by itself'],
      [many, 'ser', 'has 1,200 transactions. A page draws at most 1,000'],
    ] as const) {
      const [page, svg] = [join(at, 'page.html'), join(at, 'picture.svg')];
      const words = ['-l', level, '--output', `html=${page}`, '--output', `svg=${svg}`];
      const { code, err } = await isolab('check', history, ...words);
      expect(code).toBe(0);
      for (const text of [why, 'What was checked', 'reads with a known writer', 'everything weaker', 'class="kept"'])
        expect(read(page)).toContain(text);
      expect(existsSync(svg)).toBe(!err.includes('there is nothing to draw'));
      const viewed = await isolab('explain', history, page, '-l', level, '--force');
      expect(viewed).toMatchObject({ code: 0, out: expect.stringContaining('page.html: ') as string });
      expect(read(page)).toContain(why);
    }
  });

  test('isolab check with several outputs leaves no result of an earlier run when it fails', async () => {
    const json = join(place(), 'result.json');
    expect((await isolab('check', clean, '-l', 'ser', '--output', `json=${json}`)).code).toBe(0);
    const failed = await isolab('check', clean, '-l', 'ser', '--output', `json=${json}`, '--checker', './none.mjs');
    expect(failed.code).toBe(3);
    expect(existsSync(json)).toBe(false);
  });

  test('a file that cannot be written fails the run, but not the other files', async () => {
    const at = place();
    const [page, json] = [join(at, 'link.html'), join(at, 'result.json')];
    symlinkSync(join(at, 'no', 'folder'), page);
    const words = ['--output', `html=${page}`, '--output', `json=${json}`];
    const { code, out, err } = await isolab('check', clean, '-l', 'ser', ...words);
    expect({ code, out }).toEqual({ code: 3, out: expect.stringContaining('satisfied') });
    expect(err).toContain(`${page} cannot be written`);
    expect(JSON.parse(read(json))).toMatchObject({ verdict: 'satisfied' });
  });

  test('a model of operations writes its forms, too', async () => {
    const at = place();
    const history = file(
      'register.edn',
      '{:process 0, :type :invoke, :f :write, :value 1}\n{:process 0, :type :ok, :f :write, :value 1}\n{:process 1, :type :invoke, :f :read, :value nil}\n{:process 1, :type :ok, :f :read, :value 2}\n',
    );
    const forms = ['json', 'markdown', 'html'];
    const asked = forms.flatMap((form) => ['--output', `${form}=${join(at, form)}`]);
    for (let round = 0; round < 2; round++) {
      const { code, out } = await isolab('check', history, '--model', 'register', ...asked);
      expect({ code, out }).toEqual({ code: 1, out: expect.stringMatching(/^violated/) });
    }
    for (const form of forms) {
      const { out } = await isolab('check', history, '--model', 'register', '--output', form);
      expect(timeless(read(join(at, form)))).toBe(timeless(trimmed(out)));
    }
  });

  test('isolab check writes its table and its JSON', async () => {
    const at = place();
    const words = ['check', transfer, '-l', 'ser', '--checker', 'weave,elle'];
    const asked = ['--output', `json=${join(at, 'json')}`, '--output', `text=${join(at, 'text')}`];
    for (let round = 0; round < 2; round++) expect((await isolab(...words, ...asked)).code).toBe(1);
    expect(JSON.parse(read(join(at, 'json')))).toMatchObject({ path: transfer, verdict: 'violated', agree: true });
    expect(read(join(at, 'text'))).toContain('checker  verdict');
  });
});

describe('before anything is judged', () => {
  const at = place();
  const other = join(at, 'other.txt');
  writeFileSync(other, 'something else\n');
  const wrong: Readonly<Record<string, readonly [words: readonly string[], message: string]>> = {
    'a form that there is not': [['--output', 'jnuit=x'], 'Allowed choices are text, json, junit'],
    'two forms on standard output': [['--output', 'json', '--output', 'junit'], 'both go to standard output'],
    'one form twice on standard output': [['--output', 'json', '--output', 'json=-'], 'both go to standard output'],
    'a form without its file': [['--output', 'json='], '--output json= lacks a file name; expected json=FILE'],
    'a folder that is not there': [['--output', `json=${join(at, 'none', 'x')}`], 'there is no folder'],
    'a directory': [['--output', `json=${at}`], 'is a directory; name a file in it'],
    'another file': [['--output', `json=${other}`], 'exists already; --force replaces it'],
    'one file for two forms': [
      ['--output', `json=${at}/x`, '--output', `junit=${at}/../${at.split('/').at(-1)}/x`],
      'name the same file; name two',
    ],
    'the file of the certificate': [
      ['--output', `json=${join(at, 'x')}`, '--certificate', join(at, 'x')],
      'name the same file',
    ],
  };

  test.each(Object.keys(wrong))('%s is refused', async (name) => {
    const [words, message] = wrong[name]!;
    const { code, out, err } = await isolab('check', transfer, '-l', 'ser', ...words);
    expect({ code, out }).toEqual({ code: 3, out: '' });
    expect(err).toContain(message);
    expect(read(other)).toBe('something else\n');
  });

  test('an input is refused as output under any name, also with --force', async () => {
    const history = file('input.txt', CLEAN);
    const [link, hard] = [`${history}.link`, `${history}.hard`];
    symlinkSync(history, link);
    linkSync(history, hard);
    for (const target of [history, link, hard]) {
      const { code, err } = await isolab('check', history, '-l', 'ser', '--force', '--output', `text=${target}`);
      expect({ code, err }).toEqual({ code: 3, err: expect.stringContaining('is an input and would be overwritten') });
    }
    expect(read(history)).toBe(CLEAN);
  });

  test('the history of isolab run is', async () => {
    const history = join(place(), 'new.jsonl');
    const { code, err } = await isolab('run', history, '--db', 'exec:none', '--output', `json=${history}`);
    expect({ code, err }).toEqual({ code: 3, err: expect.stringContaining('is an input and would be overwritten') });
  });

  test('--force replaces another file', async () => {
    const taken = file('taken.txt', 'mine\n');
    expect((await isolab('check', clean, '-l', 'ser', '--output', `text=${taken}`)).code).toBe(3);
    expect(read(taken)).toBe('mine\n');
    expect((await isolab('check', clean, '-l', 'ser', '--output', `text=${taken}`, '--force')).code).toBe(0);
    expect(read(taken)).toMatch(/^satisfied {2}serializable/);
  });
});

interface Run {
  readonly tool: { readonly driver: { readonly name: string; readonly rules: readonly { readonly id: string }[] } };
  readonly automationDetails: { readonly id: string };
  readonly results: readonly {
    readonly ruleId: string;
    readonly level: string;
    readonly kind: string;
    readonly message: { readonly text: string };
    readonly locations: readonly Place[];
    readonly relatedLocations: readonly Place[];
  }[];
}

interface Place {
  readonly physicalLocation: {
    readonly artifactLocation: { readonly uri: string };
    readonly region: { readonly startLine: number };
  };
}

test('SARIF escapes a path, and refers to explanations that exist', async () => {
  const strange = join(place(), 'a b#?%é.txt');
  writeFileSync(strange, 'r(x,0) w(x,1)\nr(x,0) w(x,2)\n');
  const { out } = await isolab('check', strange, clean, '--level', 'ser', '--output', 'sarif');
  expect(out).toMatch(/"uri":"[^"#?]*a%20b%23%3F%25%C3%A9\.txt"/);
  const named = out.match(/(?<=isolab explain )[^"]*/g)!;
  expect(named).toEqual(['lost-update', 'satisfied']);
  for (const name of named) expect(await isolab('explain', name)).toMatchObject({ code: 0 });
});

test('SARIF names the file and the line of each transaction of a folder', async () => {
  const recordings = join(place(), 'recordings');
  mkdirSync(recordings);
  const header = '{"isolab":"history","version":2,"initial":0,"recorded":{"by":"an application"}}';
  for (const [name, value] of [
    ['a.jsonl', 1],
    ['b.jsonl', 2],
  ] as const)
    writeFileSync(join(recordings, name), `${header}\n{"session":"${name}","ops":[["r","x",0],["w","x",${value}]]}\n`);
  const { out, code } = await isolab('check', recordings, '--level', 'ser', '--output', 'sarif');
  expect(code).toBe(1);
  const { locations, relatedLocations } = (JSON.parse(out) as { readonly runs: readonly Run[] }).runs[1]!.results[0]!;
  const physical = [...locations, ...relatedLocations].map(({ physicalLocation }) => physicalLocation);
  expect(physical.map(({ artifactLocation, region }) => [artifactLocation.uri, region.startLine])).toEqual([
    [join(recordings, 'a.jsonl'), 2],
    [join(recordings, 'b.jsonl'), 2],
  ]);
});

test('isolab explain refuses a name that is a file, and options that a name does not need', async () => {
  const at = join(place(), 'G 0');
  writeFileSync(at, CLEAN);
  expect((await isolab('explain', at)).err).toContain(`isolab explain '${at}' needs a file to write`);
  for (const words of [
    ['--level', 'ser'],
    ['--to', 'html'],
  ])
    expect(await isolab('explain', 'G0', ...words)).toMatchObject({ code: 3, out: '' });
});

test('isolab check writes SARIF with a run for each history, also for one that cannot be read', async () => {
  const paths = [transfer, clean, join(folder, 'absent')];
  const { out, code } = await isolab('check', ...paths, '--level', 'ser,rc', '--output', 'sarif');
  expect(code).toBe(1);
  const { version, runs } = JSON.parse(out) as { readonly version: string; readonly runs: readonly Run[] };
  expect(version).toBe('2.1.0');
  expect(runs.map(({ automationDetails }) => automationDetails.id)).toEqual(
    ['', ...paths].map((path) => `isolab/${path}`),
  );
  for (const run of runs)
    for (const result of run.results) {
      expect(run.tool.driver.rules.map(({ id }) => id)).toContain(result.ruleId);
      expect(result.level).toBe(result.kind === 'fail' ? 'error' : 'none');
    }
  const found = runs.map(({ results }) => results.map(({ kind }) => kind));
  expect(found).toEqual([[], ['fail'], ['pass', 'pass'], ['open']]);
  const [failure] = runs[1]!.results;
  expect(failure!.message.text).toMatch(/^Aborted read: .* Violated: serializable, read-committed\.$/);
  expect(failure!.locations[0]!.physicalLocation.region.startLine).toBe(3);
});

describe('the schema of SARIF 2.1.0', unless('sarif-schema'), () => {
  /** Returns the first mistakes of a log, or null. */
  function mistakesIn(log: unknown): string | null {
    const main = createRequire(import.meta.url).resolve('@microsoft/jest-sarif');
    // A pattern with an error, which the errata of the standard correct.
    const text = read(join(main, '../schemas/sarif-2.1.0-rtm.5.json')).replaceAll(
      '{2}|^[a-zA-Z]{2}-[a-zA-Z]{2}]?$',
      '{2}(-[a-zA-Z]{2})?$',
    );
    // The validator knows newer drafts, which read every word of this schema except its name as draft 4 does.
    const { $schema: _draft, id: _id, ...schema } = JSON.parse(text) as Record<string, unknown>;
    return new AjvJsonSchemaValidator().getValidator(schema)(log).errorMessage ?? null;
  }

  const strange = file('a b#?%é.txt', 'r(x,0) w(x,1)\nr(x,0) w(x,2)\n');
  const alone = file('alone.txt', 'w(x,1)\n');

  test.each([
    ['all verdicts', [transfer, clean, alone, join(folder, 'absent')], ['--level', 'ser,rc'], 4],
    ['all levels', [transfer], [], 1],
    ['a strange path', [strange], ['--level', 'ser'], 1],
    ['a shrunk violation', [fork], ['--level', 'causal', '--shrink'], 1],
    ['every kind of anomaly', [transfer], ['--level', 'ser', '--find-all'], 1],
  ])('the schema accepts the SARIF of %s', async (_, paths, words, count) => {
    const { out } = await isolab('check', ...paths, ...words, '--output', 'sarif');
    const log = JSON.parse(out) as { readonly runs: Run[] };
    expect(mistakesIn(log)).toBeNull();
    expect(log.runs).toHaveLength(count + 1);
    // The schema is applied: a result needs a message, and a line is positive.
    const [result] = log.runs[1]!.results as unknown as Record<string, unknown>[];
    const { message: _message, ...wrong } = result!;
    expect(mistakesIn({ ...log, runs: [{ ...log.runs[1]!, results: [wrong] }] })).toContain("'message'");
    const nowhere = { physicalLocation: { region: { startLine: 0 } } };
    expect(
      mistakesIn({ ...log, runs: [{ ...log.runs[1]!, results: [{ ...result!, locations: [nowhere] }] }] }),
    ).toContain('must be >= 1');
  });
});
