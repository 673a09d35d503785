import type { Engine, Isolation } from '../engine.ts';

const release = (
  name: string,
  version: string,
  title: string,
  tag: string,
  isolations: readonly Isolation[],
  documentation: string,
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
});

const SERIALIZABLE: readonly Isolation[] = [{ name: 'serializable', claims: 'serializable' }];

/** Their versions are those of programs/go/go.mod. */
export const GO: readonly Engine[] = [
  release('badger', '1.5.3', 'Badger', 'badger1', SERIALIZABLE, 'https://dgraph.io/blog/post/badger-txn/'),
  release('badger', '4.9.6', 'Badger', 'badger4', SERIALIZABLE, 'https://dgraph.io/blog/post/badger-txn/'),
  release('bbolt', '1.5.0', 'bbolt', 'bbolt', SERIALIZABLE, 'https://pkg.go.dev/go.etcd.io/bbolt'),
];
