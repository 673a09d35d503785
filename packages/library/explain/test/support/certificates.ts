import type { Edge, LevelName, ViolationCertificate } from '@isolab/contract';
import type { History } from '@isolab/history';
import { h } from '@isolab/testkit';

export interface Certified {
  readonly name: string;
  readonly history: History;
  readonly level: LevelName;
  readonly certificate: ViolationCertificate;
}

const session = (from: number, to: number): Edge => ({ from, to, reason: { kind: 'session' } });
const initial = (to: number): Edge => ({ from: -1, to, reason: { kind: 'initial' } });
const readFrom = (from: number, to: number, read: number): Edge => ({ from, to, reason: { kind: 'read-from', read } });
const assumed = (from: number, to: number): Edge => ({ from, to, reason: { kind: 'assumed' } });
const overwrites = (from: number, to: number, read: number, write: number, order: readonly Edge[]): Edge => ({
  from,
  to,
  reason: { kind: 'overwrites', read, write, order },
});

const blind = h`w(x,1) | r(x,2)
w(x,2) | r(x,1)`;
const blindFirst = [overwrites(3, 2, 3, 2, [assumed(0, 2)]), session(2, 3)];
const blindSecond = [overwrites(1, 0, 1, 0, [assumed(2, 0)]), session(0, 1)];

/** One certificate of every kind, and with every reason. */
export const CERTIFIED: readonly Certified[] = [
  {
    name: 'aborted read',
    history: h`!w(x,1)
r(x,1)`,
    level: 'read-committed',
    certificate: { kind: 'internal', anomaly: 'aborted-read', read: 1, other: 0 },
  },
  {
    name: 'thin-air read',
    history: h`r(x,9)`,
    level: 'causal',
    certificate: { kind: 'internal', anomaly: 'thin-air-read', read: 0, other: -1 },
  },
  {
    name: 'non-repeatable read',
    history: h`w(x,1)
w(x,2)
r(x,1) r(x,2)`,
    level: 'read-atomic',
    certificate: { kind: 'internal', anomaly: 'non-repeatable-read', read: 3, other: 2 },
  },
  {
    name: 'incompatible lists',
    history: h`a(x,1)
a(x,2)
r(x,[1 2])
r(x,[2])`,
    level: 'read-committed',
    certificate: { kind: 'lists', anomaly: 'incompatible-order', read: 2, other: 3 },
  },
  {
    name: 'a list against the session',
    history: h`a(x,1) | a(x,2)
r(x,[2 1])`,
    level: 'read-committed',
    certificate: { kind: 'cycle', edges: [session(0, 1), { from: 1, to: 0, reason: { kind: 'version', read: 2 } }] },
  },
  {
    name: 'fractured read',
    history: h`w(x,1) | w(x,2) w(y,2)
r(x,1) r(y,2)`,
    level: 'read-atomic',
    certificate: {
      kind: 'cycle',
      edges: [
        { from: 1, to: 0, reason: { kind: 'overwritten', write: 1, read: 3, visible: [readFrom(1, 2, 4)] } },
        session(0, 1),
      ],
    },
  },
  {
    name: 'write skew',
    history: h`r(x,0) r(y,0) w(x,1)
r(x,0) r(y,0) w(y,1)`,
    level: 'serializable',
    certificate: { kind: 'cycle', edges: [overwrites(0, 1, 1, 5, [initial(1)]), overwrites(1, 0, 3, 2, [initial(0)])] },
  },
  {
    name: 'lost update',
    history: h`w(x,1)
r(x,1) w(x,2)
r(x,1) w(x,3)`,
    level: 'snapshot-isolation',
    certificate: {
      kind: 'cycle',
      edges: [overwrites(2, 1, 3, 2, [readFrom(0, 1, 1)]), overwrites(1, 2, 1, 4, [readFrom(0, 2, 3)])],
    },
  },
  {
    name: 'stale read',
    history: h`w(x,1) @1-2
r(x,0) @3-4`,
    level: 'strict-serializable',
    certificate: {
      kind: 'cycle',
      edges: [{ from: 0, to: 1, reason: { kind: 'real-time' } }, overwrites(1, 0, 1, 0, [initial(0)])],
    },
  },
  {
    name: 'cases',
    history: blind,
    level: 'prefix',
    certificate: {
      kind: 'cases',
      first: 0,
      second: 2,
      key: 0,
      ifFirst: { kind: 'cycle', edges: blindFirst },
      ifSecond: { kind: 'cycle', edges: blindSecond },
    },
  },
  {
    name: 'proof',
    history: blind,
    level: 'snapshot-isolation',
    certificate: {
      kind: 'proof',
      choices: [{ first: 0, second: 2, key: 0 }],
      steps: [
        { kind: 'cycle', clause: [-1], edges: blindFirst },
        { kind: 'cycle', clause: [1], edges: blindSecond },
        { kind: 'learned', clause: [] },
      ],
    },
  },
  {
    name: 'proof with reads that are choices',
    history: h`w(x,1)
w(x,1)
r(x,1) | r(x,0)`,
    level: 'causal',
    certificate: {
      kind: 'proof',
      choices: [
        { read: 2, writer: 0 },
        { read: 2, writer: 1 },
      ],
      steps: [
        { kind: 'candidates', read: 2, clause: [1, 2] },
        ...[0, 1].map((writer) => ({
          kind: 'cycle' as const,
          clause: [-writer - 1],
          edges: [
            {
              from: writer,
              to: -1,
              reason: {
                kind: 'overwritten' as const,
                write: writer,
                read: 3,
                visible: [{ from: writer, to: 2, reason: { kind: 'assumed-read' as const, read: 2 } }, session(2, 3)],
              },
            },
            initial(writer),
          ],
        })),
        { kind: 'learned', clause: [] },
      ],
    },
  },
];

export function certified(name: string): Certified {
  const found = CERTIFIED.find((one) => one.name === name);
  if (!found) throw new RangeError(`No certificate is called ${name}.`);
  return found;
}
