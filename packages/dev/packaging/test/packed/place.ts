import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { type Ended, type Installed, root } from './installed.ts';

/** A folder of one test, with isolab installed above it, and the commands that a user types there. */
export interface Place {
  readonly at: string;
  isolab(...words: readonly string[]): Ended;
  /** Types a line that isolab printed into a shell; `isolab` stands there for `npx isolab`. */
  shell(line: string, env?: Readonly<Record<string, string>>): Ended;
  /** Runs a test that isolab wrote. */
  tested(file: string, env: Readonly<Record<string, string>>): Ended;
  write(name: string, text: string): void;
  read(name: string): string;
  /** Installs packages of the workspace beside isolab, for this test alone. */
  install(...names: readonly string[]): void;
  /** From then on `isolab` is that of the clone, in which a command runs from another bundle. */
  useClone(): void;
}

let places = 0;
export function placeOf({ folder, environment, run }: Installed, command: string): Place {
  const at = path.join(folder, `written-${places++}-${command}`);
  mkdirSync(at);
  let bin = path.join(folder, 'node_modules/.bin');
  const typed = (program: string, words: readonly string[], env: object = {}): Ended =>
    run(program, words, {
      cwd: at,
      env: { ...environment, PATH: `${bin}:${environment['PATH']}`, ...env },
      timeout: 240_000,
    });
  return {
    at,
    isolab: (...words) => typed('isolab', words),
    shell: (line, env) => typed('bash', ['-c', line], env),
    tested: (file, env) => typed(process.execPath, ['--test', file], env),
    write: (name, text) => writeFileSync(path.join(at, name), text),
    read: (name) => readFileSync(path.join(at, name), 'utf8'),
    install: (...names) => {
      const own = path.join(at, 'node_modules');
      cpSync(path.join(folder, 'node_modules'), own, { recursive: true, verbatimSymlinks: true });
      for (const name of names) symlinkSync(path.join(root, 'node_modules', name), path.join(own, name));
      bin = path.join(own, '.bin');
    },
    useClone: () => {
      bin = path.join(at, 'bin');
      mkdirSync(bin);
      symlinkSync(path.join(root, 'packages/apps/cli/isolab.cjs'), path.join(bin, 'isolab'));
    },
  };
}
