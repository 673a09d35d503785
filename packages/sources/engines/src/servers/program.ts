import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
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
  const java = ['java', '-XX:+UseSerialGC', '-cp', `${installed}:${join(installed, '*')}`, 'Main'];
  const program = engine.origin.kind === 'java' ? java : [join(installed, PROGRAM)];
  const choices = Object.entries(engine.options.choices ?? {}).map(([name, [first]]) => [name, given[name] ?? first]);
  const words = [...options, data, ...choices.map(([name, value]) => `${name}=${value}`)];
  // The process number is recorded before the program runs, so that it ends with isolab even if it does not react.
  const note = `echo $$ >>${quoted(join(folder.path, PROCESSES_FILE))}`;
  return { addresses: [`exec:${note}; exec ${[...program, ...words].map(quoted).join(' ')}`], processes: [] };
}

const quoted = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`;
