import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asChecker, loadChecker } from '../src/index.ts';
import { fixture } from './support/moody.ts';

const here = new URL('./', import.meta.url);

/** A folder with installed plug-ins, one that exports to `import` alone and one that a compiler made for `require`. */
const folder = mkdtempSync(path.join(tmpdir(), 'isolab-plugins-'));

beforeAll(() => {
  const install = (name: string, file: string, manifest: object): void => {
    const target = path.join(folder, 'node_modules', name);
    mkdirSync(target, { recursive: true });
    cpSync(fixture(`plugins/${file}`), path.join(target, file));
    writeFileSync(path.join(target, 'package.json'), JSON.stringify({ name, ...manifest }));
  };
  const exports = {
    '.': { types: './esm.d.ts', import: './esm.mjs' },
    './second': { import: { default: './esm.mjs' } },
  };
  install('esm-plugin', 'esm.mjs', { type: 'module', exports });
  install('cjs-plugin', 'cjs.cjs', { main: 'cjs.cjs' });
});

afterAll(() => rmSync(folder, { recursive: true }));

/** The message of the error, or a failing assertion where there is none. */
async function messageOf(loading: Promise<unknown>): Promise<string> {
  const error = await loading.then(
    () => null,
    (thrown: unknown) => thrown as Error,
  );
  expect(error).toBeInstanceOf(Error);
  return error!.message;
}

describe('loading a checker', () => {
  test.each([
    ['a relative path', './fixtures/hello-checker.mjs'],
    ['a bare file name', 'fixtures/hello-checker.mjs'],
    ['an absolute path', fileURLToPath(fixture('hello-checker.mjs'))],
    ['a file URL', fixture('hello-checker.mjs').href],
  ])('loading a checker takes %s', async (_, specifier) => {
    const { checker, url } = await loadChecker(specifier, here);
    expect(checker.info.name).toBe('hello');
    expect(url).toBe(fixture('hello-checker.mjs').href);
  });

  test.each([
    ['esm-plugin', 'esm'],
    ['esm-plugin/second', 'esm'],
    ['cjs-plugin', 'cjs'],
  ])('loading a checker takes the name of a package: %s', async (specifier, name) => {
    const { checker } = await loadChecker(specifier, pathToFileURL(`${folder}/`));
    expect(checker.info.name).toBe(name);
  });

  test.each([
    ['./missing.mjs', 'no file '],
    ['isolab-missing-plugin', "Package 'isolab-missing-plugin' was not found from"],
    ['@isolab/missing/part', 'npm install @isolab/missing)'],
    ['./fixtures/plugins/no-default.mjs', 'has no default export (it exports check, info)'],
    ['./fixtures/plugins/broken.mjs', 'does not load: the plug-in is broken'],
    [
      './fixtures/plugins/version-2.mjs',
      'was written for version 2 of the checker contract; this isolab supports version 1: update isolab',
    ],
    ['./fixtures/plugins/no-version.mjs', 'set apiVersion: 1'],
  ])('loading a checker names the mistake: %s', async (specifier, message) => {
    expect(await messageOf(loadChecker(specifier, here))).toContain(message);
  });
});

describe('validating a checker', () => {
  const info = {
    name: 'mine',
    title: 'Mine',
    version: '1.0.0',
    apiVersion: 1,
    paper: null,
    levels: ['causal'],
    sound: true,
    complete: false,
    requires: ['registers', ['unique-values', 'list-append']],
    options: { speed: { default: 1, help: 'how fast', choices: [1, 2] }, mode: { default: 'a', help: 'how' } },
    variants: { fast: { help: 'fast', options: { speed: 2 } } },
  };
  const check = (): never => {
    throw new Error('not called');
  };
  const message = (value: unknown): string => {
    try {
      asChecker(value, 'mine.mjs');
    } catch (error) {
      return (error as Error).message;
    }
    return 'valid';
  };

  test('validating a checker returns a valid checker as it is', () => {
    const checker = { info, check };
    expect(asChecker(checker, 'mine.mjs')).toBe(checker);
  });

  test.each<[string, object, string]>([
    ['a name with capitals', { name: 'MyChecker' }, "info.name is 'MyChecker', expected a name in kebab-case"],
    ['no title', { title: undefined }, 'info.title is missing, expected a string'],
    ['a paper without a year', { paper: { title: 't', authors: 'a', venue: 'v' } }, 'title, authors, venue and year'],
    ['no paper field at all', { paper: undefined }, 'or be null if there is no paper'],
    ['no levels', { levels: [] }, 'at least one level'],
    [
      'an unknown level',
      { levels: ['quantum'] },
      "info.levels names 'quantum', which is not a level: known levels are",
    ],
    ['an alias of a level', { levels: ['si'] }, "write 'snapshot-isolation'"],
    ['sound as a text', { sound: 'yes' }, "info.sound is 'yes', expected true or false"],
    ['an unknown shape', { requires: ['round'] }, "info.requires names 'round'; known shapes are unique-values"],
    ['a shape inherited by every object', { requires: ['toString'] }, "info.requires names 'toString'"],
    ['no shape to choose from', { requires: [[]] }, 'an empty list'],
    ['requirements as a text', { requires: 'registers' }, 'info.requires is a string, expected a list'],
    ['an option without default', { options: { a: { help: 'h' } } }, 'the option a must have a default'],
    ['an option without help', { options: { a: { default: 1 } } }, 'the option a must have a help text'],
    [
      'a default outside the choices',
      { options: { a: { default: 3, help: 'h', choices: [1, 2] } } },
      'is not among its choices 1, 2',
    ],
    [
      'choices of another type',
      { options: { a: { default: 3, help: 'h', choices: ['3'] } } },
      'must have the type of its default',
    ],
    ['options missing', { options: undefined }, 'info.options is missing, expected an object'],
    [
      'a variant of an unknown option',
      { variants: { v: { help: 'h', options: { haste: 1 } } } },
      'sets haste, which is not an option (options: speed, mode)',
    ],
    [
      'a variant with a wrong value',
      { variants: { v: { help: 'h', options: { mode: 1 } } } },
      'the variant v sets mode to 1, expected a text',
    ],
    [
      'a variant outside the choices',
      { variants: { v: { help: 'h', options: { speed: 9 } } } },
      'expected one of 1, 2',
    ],
    ['a variant in camelCase', { variants: { noPruning: { help: 'h', options: {} } } }, "the variant 'noPruning'"],
  ])('validating a checker refuses %s', (_, change, expected) => {
    expect(message({ info: { ...info, ...change }, check })).toContain(expected);
  });

  test('validating a checker refuses a checker that cannot check', () => {
    expect(message({ info })).toContain('check is missing, expected a function');
  });

  test.each([
    [undefined, 'is missing'],
    [null, 'is null'],
    [check, 'is a function'],
    [[], 'is a list'],
    [{ check }, 'is an object'],
  ])('validating a checker refuses %o as a default export', (value, found) => {
    expect(message(value)).toContain(`The default export of mine.mjs ${found}, expected a checker`);
  });

  test('validating a checker lists all problems at once', () => {
    const problems = message({ info: { ...info, name: '', title: '', sound: 1 } }).split('\n  - ');
    expect(problems).toHaveLength(5);
  });
});
