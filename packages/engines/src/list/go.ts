import type { Engine, Isolation, Violation } from '../engine.ts';

const release = (
  name: string,
  version: string,
  title: string,
  tag: string,
  isolations: readonly Isolation[],
  documentation: string,
  violations?: readonly Violation[],
): Engine => ({
  name,
  version,
  title,
  isolations,
  data: ['registers', 'lists', 'rows'],
  origin: { kind: 'go', tag },
  needs: ['go'],
  runs: { kind: 'program', options: [] },
  options: {},
  documentation,
  ...(violations && { violations }),
});

const SERIALIZABLE: readonly Isolation[] = [{ name: 'serializable', claims: 'serializable' }];

const PHANTOM: Violation = {
  level: 'serializable',
  what: 'write skew between transactions that iterate: an iterator notes the keys that it finds, not the range',
  link: 'https://github.com/dgraph-io/badger/issues/2057',
};

/** Their versions are those of programs/go/go.mod. */
export const GO: readonly Engine[] = [
  release('badger', '1.5.3', 'Badger', 'badger1', SERIALIZABLE, 'https://dgraph.io/blog/post/badger-txn/', [PHANTOM]),
  release('badger', '4.9.6', 'Badger', 'badger4', SERIALIZABLE, 'https://dgraph.io/blog/post/badger-txn/', [PHANTOM]),
  release('bbolt', '1.5.0', 'bbolt', 'bbolt', SERIALIZABLE, 'https://pkg.go.dev/go.etcd.io/bbolt'),
];
