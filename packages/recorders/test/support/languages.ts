import { spawnSync } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { programOnPath } from '@isolab/engines';

/** A recorder with the program that tests it. */
export interface Language {
  readonly title: string;
  /** What is missing on this machine, or null. */
  readonly missing: string | null;
  /** Makes what is run, and gives its command. */
  prepare(): readonly string[] | Promise<readonly string[]>;
  readonly env?: Readonly<Record<string, string>>;
  /** Whether it has a database of its own, and is not given one. */
  readonly hasOwnDatabase?: true;
}

const here = (file: string): string => fileURLToPath(new URL(`../../${file}`, import.meta.url));

const python: Language = {
  title: 'Python, with SQLite',
  missing: programOnPath('python3') === null ? 'python3 is not installed' : null,
  prepare: () => ['python3', here('python/program.py')],
  env: { PYTHONDONTWRITEBYTECODE: '1' },
  hasOwnDatabase: true,
};

const hasPsycopg = (): boolean => spawnSync('python3', ['-c', 'import psycopg']).status === 0;

export const LANGUAGES: readonly Language[] = [
  { title: 'Node, with pg', missing: null, prepare: () => [process.execPath, here('node/program.mjs')] },
  python,
  {
    title: 'Python, with psycopg',
    missing: python.missing ?? (hasPsycopg() ? null : 'psycopg is not installed'),
    prepare: python.prepare,
    env: python.env!,
  },
];
