import type { Engine, Isolation, Options } from '../engine/engine.ts';
import { throughProgram } from './driver-program.ts';

/** The files of programs/python determine the packages and their checksums. */
const release = (
  name: string,
  version: string,
  title: string,
  isolation: Isolation,
  documentation: string,
  choices: NonNullable<Options['choices']> = {},
): Engine =>
  throughProgram({
    name,
    version,
    title,
    isolations: [isolation],
    origin: { kind: 'python', store: name },
    needs: ['python3'],
    runs: { kind: 'program', options: [name] },
    options: { choices },
    documentation,
  });

const SNAPSHOT = { name: 'snapshot', claims: 'snapshot-isolation' } as const;

export const PYTHON: readonly Engine[] = [
  release('zodb', '6.4', 'ZODB', SNAPSHOT, 'https://zodb.org/en/latest/guide/transactions-and-threading.html', {
    storage: ['memory', 'file'],
  }),
  release('lmdb', '3.0.0', 'LMDB', { name: 'serializable', claims: 'serializable' }, 'https://lmdb.readthedocs.io/'),
  release(
    'turso',
    '0.8.3',
    'Turso',
    { ...SNAPSHOT, name: 'concurrent' },
    'https://docs.turso.tech/tursodb/concurrent-writes',
    {
      gc: ['often', 'default'],
    },
  ),
];
