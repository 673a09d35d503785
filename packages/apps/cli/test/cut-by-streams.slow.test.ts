// Slow: starts every command with every stream closed, full or cut.
/**
 * Every command whose output is unread or fits on no disk: none of them may end as a success, and a violation is never
 * lost. Each command meets one of the two obstacles in turn, and both if ISOLAB_LONG is set.
 */
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { unless } from '@isolab/needs';
import { describe, expect, test } from 'vitest';
import { leftOf, start, workplace } from './support/program.ts';
import { lab, quickCommands } from './support/subjects.ts';

const { folder, place, ok, violated, certificate } = workplace('cut-by-streams');
const QUICK = quickCommands(lab(folder));

/** Commands that print something and write nothing, or whose files are in their place. */
const PRINTING: Readonly<Record<string, readonly string[]>> = {
  ...QUICK,
  stats: ['stats', ok],
  check: ['check', ok, '-l', 'ser'],
  'check --output json': ['check', ok, '-l', 'ser', '--output', 'json'],
  'check --output junit': ['check', ok, '-l', 'ser', '--output', 'junit'],
  'check --output markdown': ['check', ok, '-l', 'ser', '--output', 'markdown'],
  'check --level all': ['check', ok, '-l', 'all'],
  compare: ['check', ok, '-l', 'ser', '--checker', 'weave,dbcop'],
  playground: ['new', 'playground', 'page.html'],
  verify: ['verify', ok, certificate],
  'convert -': ['convert', ok, '-', '--to', 'isolab'],
  generate: ['generate', 'general', 'h.jsonl', '--transactions', '1'],
  'generate -': ['generate', 'general', '-', '--to', 'isolab'],
  'explain, of a satisfied history': ['explain', ok, 'page.html', '-l', 'ser'],
  elle: ['elle', ok],
  report: ['bench', 'report', '--root', join(folder, 'lab'), '--skip', 'png'],
};
const VIOLATED: Readonly<Record<string, readonly string[]>> = {
  check: ['check', violated, '-l', 'ser'],
  'check --output json': ['check', violated, '-l', 'ser', '--output', 'json'],
  'check --output junit': ['check', violated, '-l', 'ser', '--output', 'junit'],
  'check --find-all': ['check', violated, '-l', 'ser', '--find-all'],
  'check, another one before': ['check', ok, violated, '-l', 'ser'],
  compare: ['check', violated, '-l', 'ser', '--checker', 'weave,dbcop'],
  shrink: ['explain', violated, 'out.jsonl', '-l', 'ser'],
  'shrink -': ['explain', violated, '-', '-l', 'ser'],
  view: ['explain', violated, 'out.html', '-l', 'ser'],
  'view -': ['explain', violated, '-', '-l', 'ser'],
  elle: ['elle', violated],
};

/** Runs a command with unread standard output or standard error. */
async function unread(args: readonly string[], stream: 'stdout' | 'stderr'): Promise<number | string> {
  const running = start(args, place());
  running.child[stream]!.destroy();
  const { code } = await running.ended;
  expect(leftOf(running.mark)).toEqual([]);
  return code;
}

async function onFullDisk(args: readonly string[], stream: 'stdout' | 'stderr'): Promise<number | string> {
  const full = openSync('/dev/full', 'w');
  try {
    const running = start(args, place(), stream === 'stdout' ? ['pipe', full, 'pipe'] : ['pipe', 'pipe', full]);
    return (await running.ended).code;
  } finally {
    closeSync(full);
  }
}

const isLong = process.env['ISOLAB_LONG'] !== undefined;
/** Every second command, from the first or the second on. */
const shareOf = (commands: object, rest: 0 | 1): string[] =>
  Object.keys(commands).filter((_, i) => isLong || i % 2 === rest);

describe.concurrent('unread standard output', unless('posix'), () => {
  test.each(shareOf(PRINTING, 0))('unread standard output is no success of isolab %s', async (name) => {
    expect(await unread(PRINTING[name]!, 'stdout')).toBe(2);
  });
  test.each(shareOf(VIOLATED, 0))('unusable standard output hides no violation from isolab %s', async (name) => {
    expect(await unread(VIOLATED[name]!, 'stdout')).toBe(1);
  });
});

describe.concurrent('standard output on a full disk', unless('full-device'), () => {
  test.each(shareOf(PRINTING, 1))('standard output on a full disk is a failure of isolab %s', async (name) => {
    expect(await onFullDisk(PRINTING[name]!, 'stdout')).toBe(3);
  });
  test.each(shareOf(VIOLATED, 1))('standard output on a full disk hides no violation from isolab %s', async (name) => {
    expect(await onFullDisk(VIOLATED[name]!, 'stdout')).toBe(1);
  });
});

/** Every command says something on standard error when it is called wrongly. */
const WRONG: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  [
    ['stats', 'nowhere'],
    ['check', 'nowhere', '-l', 'ser'],
    ['check', 'nowhere', '-l', 'ser', '--checker', 'weave,'],
    ['explain', 'nowhere', 'out', '-l', 'ser'],
    ['explain', 'nowhere', 'out.html', '-l', 'ser'],
    ['new', 'playground', 'nowhere/page.html'],
    ['verify', 'nowhere', certificate],
    ['convert', 'nowhere', 'out.jsonl'],
    ['generate', 'nothing', 'out.jsonl'],
    ['collect', 'out.jsonl', '--db', 'nothing:'],
    ['run', 'out.jsonl', '--db', 'nothing:'],
    ['elle', 'nowhere'],
    ['bench', 'nothing', '--root', join(folder, 'lab')],
    ['bench', 'worker'],
    ['bench', 'diff', 'nowhere', 'nowhere'],
    ['bench', 'report', '--scale', 'none', '--root', join(folder, 'lab')],
    ['bench', 'datasets', 'get', 'nothing', '--root', join(folder, 'lab')],
    ['list', 'workloads', '--nonsense'],
    ['levels', '--nonsense'],
    ['list', 'checkers', '--nonsense'],
    ['list', 'formats', '--nonsense'],
    ['new', 'nothing', 'x'],
    ['test', 'nowhere'],
    ['tour', '--nonsense'],
    ['nonsense'],
  ].map((args) => [args.join(' '), args]),
);

describe.concurrent('a failure stays one', unless('full-device'), () => {
  test.each(shareOf(WRONG, 0))('a failure stays one where its output is unread: isolab %s', async (name) => {
    expect(await unread(WRONG[name]!, 'stderr')).toBe(3);
  });
  test.each(shareOf(WRONG, 1))('a failure stays one where its output cannot be written: isolab %s', async (name) => {
    expect(await onFullDisk(WRONG[name]!, 'stderr')).toBe(3);
  });
});
