import type { Engine, Violation } from '../engine/engine.ts';
import { throughProgram } from './driver-program.ts';

/** Returns a release of a database that claims to be serializable. */
const release = (name: string, version: string, title: string, tag: string, more: Partial<Engine>): Engine =>
  throughProgram({
    name,
    version,
    title,
    isolations: [{ name: 'serializable', claims: 'serializable' }],
    origin: { kind: 'go', tag },
    needs: ['go'],
    ...more,
  });

const PHANTOM: Violation = {
  level: 'serializable',
  what: 'write skew between transactions that iterate: an iterator tracks the keys that it finds, not the range',
  link: 'https://github.com/dgraph-io/badger/issues/2057',
};

const BADGER: Partial<Engine> = { documentation: 'https://dgraph.io/blog/post/badger-txn/', violations: [PHANTOM] };

/** programs/go/go.mod determines their versions. */
export const GO: readonly Engine[] = [
  release('badger', '1.5.3', 'Badger', 'badger1', BADGER),
  release('badger', '4.9.6', 'Badger', 'badger4', BADGER),
  release('bbolt', '1.5.0', 'bbolt', 'bbolt', { documentation: 'https://pkg.go.dev/go.etcd.io/bbolt' }),
];
