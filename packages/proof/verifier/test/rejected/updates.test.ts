import { describe, expect, test } from 'vitest';
import type { LevelName } from '@isolab/contract';
import { problemOf } from '../support/certificates.ts';
import { h } from '../support/notation.ts';
import { type Row, accepted, expectProblems } from '../support/problems.ts';

const updates = (...reads: unknown[]) => ({ kind: 'updates', reads });

describe('more updates than versions', () => {
  // Operations: 0 r(x,0), 1 w(x,1); 2 r(x,1), 3 w(x,0); 4 r(x,0), 5 w(x,1); 6 r(x,0), 7 w(x,1); 8 r(x,0); 9 w(x,2),
  // 10 r(x,0), 11 w(x,1); aborted: 12 r(x,0), 13 w(x,1); unknown: 14 r(x,0), 15 w(x,1); 16 r(x,1), 17 w(x,1);
  // 18 r(y,0), 19 w(y,1); 20 r(x,0), 21 r(x,0), 22 w(x,3).
  const history = h`r(x,0) w(x,1)
    r(x,1) w(x,0)
    r(x,0) w(x,1)
    r(x,0) w(x,1)
    r(x,0)
    w(x,2) r(x,0) w(x,1)
    !r(x,0) w(x,1)
    ?r(x,0) w(x,1)
    r(x,1) w(x,1)
    r(y,0) w(y,1)
    r(x,0) r(x,0) w(x,3)`;
  const level: LevelName = 'adya-snapshot-isolation';
  const at = (certificate: unknown, problem: string): Row => [problem, level, certificate, problem];

  test('more updates than versions are accepted where each version allows one update', () => {
    const levels: LevelName[] = [
      'snapshot-isolation',
      'strong-snapshot-isolation',
      'plain-serializable',
      'serializable',
    ];
    for (const strong of levels) expect(problemOf(history, strong, 'violated', updates(0, 4, 6))).toBeNull();
    expect(problemOf(history, 'linearizable', 'violated', updates(0, 4, 6))).toBeNull();
    for (const weak of ['prefix', 'causal', 'read-committed'] as const)
      expect(problemOf(history, weak, 'violated', updates(0, 4, 6))).toBe(
        `at ${weak}, several transactions may read and overwrite the same version`,
      );
    expect(problemOf(history, 'cut-isolation', 'violated', updates(0, 4, 6))).toContain('cut isolation');
  });

  test('more updates than versions are rejected where they are too few, or are no updates', () => {
    expectProblems(history, 'violated', accepted(level, updates(6, 0, 20)), [
      at(updates(0, 4), '2 transactions overwrite the value that they read, but 2 can have written it'),
      at(updates(), 'there are no reads'),
      at({ kind: 'updates' }, 'the list of reads is undefined, expected a list'),
      at(updates(0, 4, '6'), 'read 3 is "6", expected an integer from 0 to 22'),
      at(updates(0, 4, 23), 'read 3 is 23, expected an integer from 0 to 22'),
      at(updates(0, 4, 2), 'operations 0 and 2 do not read the same value of the same key'),
      at(updates(0, 4, 18), 'operations 0 and 18 do not read the same value of the same key'),
      at(updates(0, 4, 4), 'two reads belong to transaction 2'),
      at(updates(0, 20, 21), 'two reads belong to transaction 10'),
      at(updates(0, 4, 5), 'operation 5 is not a read of a register'),
      at(updates(0, 4, 8), 'transaction 4 does not write the key that operation 8 reads'),
      at(updates(0, 4, 10), 'operation 10 comes after a write of its own transaction'),
      at(updates(0, 4, 12), 'transaction 6, of operation 12, did not happen'),
      at(updates(0, 4, 14), 'transaction 7, of operation 14, did not happen'),
    ]);
  });

  test('more updates than versions count writers of unknown outcome, but no aborted writers', () => {
    const unknown = h`r(x,0) w(x,1)
      r(x,0) w(x,1)
      ?w(x,0)`;
    expect(problemOf(unknown, level, 'violated', updates(0, 2))).toBe(
      '2 transactions overwrite the value that they read, but 2 can have written it',
    );
    const aborted = h`r(x,0) w(x,1)
      r(x,0) w(x,1)
      !w(x,0)
      w(x,0) w(x,5)`;
    expect(problemOf(aborted, level, 'violated', updates(0, 2))).toBeNull();
  });
});
