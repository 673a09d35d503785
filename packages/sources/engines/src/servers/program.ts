import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Engine } from '../engine/engine.ts';
import { PROGRAM } from '../get/program.ts';
import { PROCESSES_FILE } from './remains.ts';
import type { Started, Starting } from './started.ts';

/**
 * Prepares a driver program, which the collector starts: one process for all sessions, with data in the temporary
 * folder.
 */
export async function startProgram(
  options: readonly string[],
  { engine, folder, installed, options: given }: Starting,
): Promise<Started> {
  const data = join(folder.path, 'data');
  await mkdir(data);
  const program = commandOf(engine, installed, folder.path);
  const choices = Object.entries(engine.options.choices ?? {}).map(([name, [first]]) => [name, given[name] ?? first]);
  const words = [
    ...options,
    data,
    `title=${engine.title} ${engine.version}`,
    ...choices.map(([name, value]) => `${name}=${value}`),
  ];
  // Libraries write logs into the working folder. The process number is recorded before the program runs, so that it
  // ends with isolab even if it does not react.
  const place = `cd ${quoted(folder.path)} && echo $$ >>${quoted(PROCESSES_FILE)} && exec`;
  return { addresses: [`exec:${place} ${[...program, ...words].map(quoted).join(' ')}`], processes: [] };
}

function commandOf({ origin }: Engine, installed: string, temporary: string): readonly string[] {
  if (origin.kind === 'python') return ['python3', join(installed, 'main.py')];
  if (origin.kind !== 'java') return [join(installed, PROGRAM)];
  const opens = (origin.opens ?? []).map((name) => `--add-opens=java.base/${name}=ALL-UNNAMED`);
  const classes = `${installed}:${join(installed, '*')}`;
  // Native libraries are unpacked into the temporary folder, and stay there where the program is killed.
  return ['java', '-XX:+UseSerialGC', `-Djava.io.tmpdir=${temporary}`, ...opens, '-cp', classes, 'Main'];
}

const quoted = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`;
