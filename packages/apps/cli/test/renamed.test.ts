import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { COMMANDS, commandIn } from '../src/command-list.ts';
import { LAST_VERSION, OLD_COMMANDS, OLD_FLAGS, translated } from '../src/renamed.ts';
import { describeCommand } from '../src/run.ts';
import { isolab } from './support/isolab.ts';

/** Flags of a line as the command gets them; a wrong line throws. */
async function parsed(words: readonly string[]): Promise<readonly unknown[]> {
  const name = commandIn(words)!;
  const { command } = await COMMANDS[name]!.load();
  let given: readonly unknown[] = [];
  const program = new Command().exitOverride().configureOutput({ writeErr: () => {} });
  describeCommand(program, name, command).action((...all) => void (given = all.slice(0, -1)));
  program.parse(name.includes(' ') ? words.slice(1) : words, { from: 'user' });
  return given;
}

/** Enough words for any command. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  'bench diff': ['a.jsonl', 'b.jsonl'],
  'bench datasets': ['get', 'polysi'],
  'new playground': ['page.html'],
  'bench worker': [],
  'hunt get': ['postgres@12.3'],
  new: ['workload', 'mine'],
  levels: ['place', 'causal'],
  generate: ['general', 'h.jsonl'],
  explain: ['h.jsonl', 'page.html'],
};

describe('every old command is the new one', () => {
  test.each(Object.entries(OLD_COMMANDS))('%s is now %s', async (old, now) => {
    const name = now.replace(/ --.*/, '');
    const { args, notes } = translated([
      ...old.split(' '),
      ...(WORDS[name] ?? (name.startsWith('list ') ? [] : ['h.jsonl'])),
    ]);
    expect(args.slice(0, name.split(' ').length).join(' ')).toBe(name);
    expect(notes).toEqual([`${old} is now ${now}`]);
    await parsed(args);
  });
});

describe.each(Object.entries(OLD_FLAGS))('every old flag of %s is the new one', (name, flags) => {
  test.each(Object.entries(flags))('%s is now %s', async (old, now) => {
    const value = /[A-Z]+$/.test(now) ? ['x'] : [];
    const words = [...name.split(' '), ...(WORDS[name] ?? ['h.jsonl'])];
    const { args, notes } = translated(
      [...words, '--checker', 'weave', old, ...value].filter(
        (word, i, all) => old === '--variant' || (word !== '--checker' && all[i - 1] !== '--checker'),
      ),
    );
    expect(notes).toEqual([`${old} is now ${now}`]);
    expect(args.join(' ')).not.toMatch(new RegExp(`${old}( |$)`));
    if (value.length > 0) expect(translated([...words, `${old}=x`]).args.join(' ')).toMatch(/x$/);
    await parsed(args);
  });
});

test('a line in the new spelling stays as it is', () => {
  for (const line of [
    'check h.jsonl --level si',
    'levels --help',
    'record h.jsonl -- app --report x',
    'bench diff a b',
  ])
    expect(translated(line.split(' '))).toEqual({ args: line.split(' '), notes: [] });
});

test('commands that were merged into others keep their defaults', () => {
  const line = (words: string): string => translated(words.split(' ')).args.join(' ');
  expect(line('compare h.jsonl')).toBe('check h.jsonl --checker all --level all');
  expect(line('compare h.jsonl -l si --checkers weave')).toBe('check h.jsonl -l si --checker weave,');
  expect(line('compare h.jsonl -l si --checkers all')).toBe('check h.jsonl -l si --checker all,baselines');
  expect(line('view h.jsonl page -l si --whole')).toBe('explain h.jsonl page -l si --skip shrinking --to html');
  expect(line('shrink h.jsonl small -l si')).toBe('explain h.jsonl small -l si --to isolab');
  expect(line('shrink h.jsonl small -l si --to text')).toBe('explain h.jsonl small -l si --to text');
  expect(line('check h.jsonl -c plume --variant no-vectors')).toBe('check h.jsonl -c plume:no-vectors');
});

test('one line on standard error names the new spelling', async () => {
  const { code, err } = await isolab('bench', '--list', '--root', 'nowhere');
  expect(code).toBe(3);
  expect(err.split('\n')[0]).toBe(
    `isolab: bench --list is now list experiments; old spellings are removed in ${LAST_VERSION}.`,
  );
});

test('the release that drops the old spellings is the next one', () => {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  const [major, minor] = version.split('.').map(Number);
  expect(LAST_VERSION).toBe(`${major}.${minor! + 1}`);
});
