import { findLevel } from '@isolab/contract';
import { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { COMMANDS, commandIn } from '../src/command-list.ts';
import { describeCommand } from '../src/run.ts';

const commands = await Promise.all(
  Object.entries(COMMANDS).map(async ([name, { load }]) => [name, (await load()).command] as const),
);

/** The words of a line for a shell, without text before and after the command. */
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
    expect(isolab).toBe('isolab');
    expect(commandIn(words)).toBe(name);
    const flags: { level?: string }[] = [];
    const program = new Command().exitOverride().configureOutput({ writeErr: () => {} });
    describeCommand(program, name, command).action((...given) => void flags.push(given.at(-2) as { level?: string }));
    program.parse(name.includes(' ') ? words.slice(1) : words, { from: 'user' });
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
  describeCommand(program, 'check', command);
  expect(() => program.parse(['check', '--help'], { from: 'user' })).toThrow('(outputHelp)');
  expect(said.join('')).toContain(`Examples:\n  ${command.examples[0]}\n  ${command.examples[1]}\n`);
});
