/**
 * Compares the output that documents show with the output of isolab: blocks of a console are typed as they stand, in
 * order, beside the files that a page says to save. Commands in blocks of a shell are parsed.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { afterAll, describe, expect, test } from 'vitest';
import { COMMANDS, commandIn } from '../src/command-list.ts';
import { describeCommand } from '../src/run.ts';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const PROGRAM = join(root, 'packages/apps/cli/isolab.cjs');
const pages = ['README.md', ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`)].filter((path) =>
  path.endsWith('.md'),
);

interface Block {
  readonly language: string;
  readonly code: string;
  /** The line before it that is not empty. */
  readonly before: string;
}

function blocksOf(page: string): Block[] {
  const text = readFileSync(join(root, page), 'utf8');
  return [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(({ 1: language, 2: code, index }) => ({
    language: language!,
    code: code!,
    before: text.slice(0, index).trimEnd().split('\n').at(-1) ?? '',
  }));
}

/** A command line with the output below it. */
interface Typed {
  readonly words: readonly string[];
  readonly printed: string;
}

const typedIn = (code: string): Typed[] =>
  code
    .split(/^\$ /m)
    .slice(1)
    .map((part) => {
      const [line, ...rest] = part.split('\n');
      return { words: wordsOf(line!), printed: rest.join('\n').trimEnd() };
    });

const wordsOf = (line: string): string[] =>
  [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, double, single, plain]) => double ?? single ?? plain!);

/** Times differ from run to run. */
const timeless = (text: string): string => text.replaceAll(/\b[\d.]+ (ms|s)\b/g, '… $1');

describe.each(pages.filter((page) => blocksOf(page).some(({ language }) => language === 'console')))('%s', (page) => {
  const folder = mkdtempSync(join(tmpdir(), 'isolab-documents-'));
  for (const shared of ['reports', 'datasets']) symlinkSync(join(root, shared), join(folder, shared));
  afterAll(() => rmSync(folder, { recursive: true }));

  test('a document shows the real output of its commands', () => {
    let code = 0;
    for (const block of blocksOf(page)) {
      const saved = /Save this as `([\w.-]+)`/.exec(block.before)?.[1];
      if (saved !== undefined) writeFileSync(join(folder, saved), block.code);
      // Another database gives another history each time.
      if (block.language !== 'console' || block.code.includes('--db ')) continue;
      for (const { words, printed } of typedIn(block.code)) {
        if (words[0] === 'echo') {
          expect(printed).toBe(String(code));
          continue;
        }
        expect(words.slice(0, 2)).toEqual(['npx', 'isolab']);
        const run = spawnSync(process.execPath, [PROGRAM, ...words.slice(2)], { cwd: folder, encoding: 'utf8' });
        code = run.status!;
        expect(timeless(run.stdout)).toContain(timeless(printed));
      }
    }
  });
});

/** Commands of isolab in blocks for a shell, without pipes, and without remarks. */
const commandsIn = (page: string): string[] =>
  blocksOf(page)
    .filter(({ language }) => language === 'sh')
    .flatMap(({ code }) => code.replaceAll('\\\n', ' ').split('\n'))
    .map((line) =>
      line
        .replace(/ #.*/, '')
        .replace(/ (\||>|>>|&&|2>) ?.*/, '')
        .trim(),
    )
    .map((line) => line.replace(/^(\w+=\S+ )*/, '').replace(/^npx /, ''))
    .filter((line) => line.startsWith('isolab '));

describe.each(pages.filter((page) => commandsIn(page).length > 0))('commands in %s', (page) => {
  test.each([...new Set(commandsIn(page))])('%s', async (line) => {
    const [, ...words] = wordsOf(line);
    if (words[0]!.startsWith('--')) return;
    const name = commandIn(words);
    expect(Object.keys(COMMANDS)).toContain(name);
    expect(words.join(' ').startsWith(name!)).toBe(true);
    const { command } = await COMMANDS[name!]!.load();
    let parsed = 0;
    const program = new Command().exitOverride().configureOutput({ writeErr: () => {}, writeOut: () => {} });
    describeCommand(program, name!, command).action(() => void parsed++);
    program.parse(name!.includes(' ') ? words.slice(1) : words, { from: 'user' });
    expect(parsed).toBe(1);
  });
});
