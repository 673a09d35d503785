import { readdirSync } from 'node:fs';
import { findLevel } from '@isolab/contract';
import { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { COMMANDS } from '../src/command-list.ts';
import type { CommandModule } from '../src/options.ts';
import { describeCommand } from '../src/run.ts';

const folder = new URL('../src/commands/', import.meta.url);
const names = readdirSync(folder).map((file) => file.replace('.ts', ''));
const commands = await Promise.all(
  names.map(async (name) => {
    const { command } = (await import(new URL(`${name}.ts`, folder).href)) as { command: CommandModule };
    return [name, command] as const;
  }),
);

/** The words of a line for a shell, without what comes before and after the command. */
const wordsOf = (line: string): string[] =>
  [
    ...line
      .replace(/^.*\| isolab /, 'isolab ')
      .replace(/ > .*/, '')
      .matchAll(/'([^']*)'|(\S+)/g),
  ].map(([, quoted, plain]) => quoted ?? plain!);

describe.each(commands)('the examples of %s', (name, command) => {
  test.each(command.examples)('%s', (line) => {
    const [isolab, ...words] = wordsOf(line);
    expect([isolab, words[0]]).toEqual(['isolab', name]);
    const flags: { level?: string }[] = [];
    const program = new Command().exitOverride().configureOutput({ writeErr: () => {} });
    describeCommand(program, COMMANDS[name]!, command).action(
      (...given) => void flags.push(given.at(-2) as { level?: string }),
    );
    program.parse(words, { from: 'user' });
    expect(flags).toHaveLength(1);
    const { level } = flags[0]!;
    if (typeof level === 'string' && level !== 'all')
      for (const word of level.split(',')) expect(findLevel(word)).not.toBeNull();
  });
});

test('help ends with the examples', () => {
  const [, command] = commands.find(([name]) => name === 'check')!;
  const said: string[] = [];
  const program = new Command().exitOverride().configureOutput({ writeOut: (text) => void said.push(text) });
  describeCommand(program, COMMANDS['check']!, command);
  expect(() => program.parse(['check', '--help'], { from: 'user' })).toThrow('(outputHelp)');
  expect(said.join('')).toContain(`Examples:\n  ${command.examples[0]}\n  ${command.examples[1]}\n`);
});

test('the list of commands names every command as its usage does', () => {
  expect(Object.keys(COMMANDS).toSorted()).toEqual(names.toSorted());
  const listed = Object.entries(COMMANDS).map(([name, { usage }]) => [name, usage.split(' ', 1)[0]]);
  expect(listed.filter(([name, called]) => name !== called)).toEqual([]);
});
