import { describe, expect, test } from 'vitest';
import { type Edge, ALL_ANOMALIES, nameOfEdges } from '../src/index.ts';

const edge = (reason: Edge['reason']): Edge => ({ from: 0, to: 1, reason });
const session = edge({ kind: 'session' });
const time = edge({ kind: 'real-time' });
const reads = edge({ kind: 'read-from', read: 0 });
const misses = edge({ kind: 'overwrites', read: 0, write: 1, order: [] });
const missesInTime = edge({ kind: 'overwrites', read: 0, write: 1, order: [time] });

describe('a cycle is named by the edges that it shows', () => {
  test.each([
    ['G0', [edge({ kind: 'version', read: 0 }), session], false],
    ['G1c', [reads, session], false],
    ['G-single', [reads, misses], false],
    ['G-single-process', [session, misses], false],
    ['G2-item', [misses, misses], false],
    ['G2-item-process', [misses, session, misses], false],
    ['G-nonadjacent', [reads, misses, reads, misses], true],
    ['G-nonadjacent-process', [session, misses, session, misses], true],
    ['stale-read', [time, misses], false],
    ['early-read', [time, reads], false],
    ['G0-realtime', [time, session], false],
    ['G1c-realtime', [time, reads, reads], false],
    ['G-single-realtime', [time, reads, misses], false],
    ['G-single-realtime', [time, session, misses], false],
    ['G-single-realtime', [reads, session, missesInTime], false],
    ['G2-item-realtime', [time, misses, misses], false],
    ['G-nonadjacent-realtime', [time, misses, reads, misses], true],
  ] as const)('%s', (name, edges, isSplit) => {
    expect(nameOfEdges(edges, isSplit)).toBe(name);
    expect(ALL_ANOMALIES.map((anomaly) => anomaly.name)).toContain(name);
  });

  test('a cycle with a deduced order of writers is named by the premises of the deduction', () => {
    const deduced = edge({ kind: 'overwritten', write: 0, read: 1, visible: [misses] });
    expect(nameOfEdges([reads, deduced], false)).toBe('G2-item');
    expect(nameOfEdges([reads, edge({ kind: 'overwritten', write: 0, read: 1, visible: [reads] })], false)).toBe(
      'G-single',
    );
    expect(nameOfEdges([session, edge({ kind: 'overwritten', write: 0, read: 1, visible: [reads] })], false)).toBe(
      'G-single-process',
    );
    expect(nameOfEdges([reads, edge({ kind: 'overwritten', write: 0, read: 1, visible: [deduced] })], false)).toBe(
      'G2-item',
    );
  });

  test('a cycle has no name where an edge is assumed, or has no visible edges', () => {
    expect(nameOfEdges([edge({ kind: 'assumed' }), misses], false)).toBeNull();
    expect(nameOfEdges([edge({ kind: 'overwritten', write: 0, read: 1, visible: [] }), reads], false)).toBeNull();
  });
});
