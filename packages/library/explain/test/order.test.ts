import type { CommitOrderCertificate, EventOrderCertificate, LevelName } from '@isolab/contract';
import { toRegisters } from '@isolab/history';
import { decide } from '@isolab/oracle';
import { NAMED_HISTORIES, h } from '@isolab/testkit';
import { describe, expect, test } from 'vitest';
import { storyOfOrder } from '../src/story/order.ts';
import { expectWellFormed } from './support/well-formed.ts';

describe('the story of an order', () => {
  test('the story of an order executes the transactions one after the other', () => {
    const history = h`w(x,1) | r(y,2)
r(x,1) w(y,2) w(y,3)
a(l,7) | a(l,8)`;
    const story = storyOfOrder(history, 'serializable', { kind: 'commit-order', order: [0, 2, 1, 3, 4] });
    expectWellFormed(story);
    expect(story.title).toBe('Serializability holds');
    expect(story.witness?.initial).toEqual([
      { key: 'x', value: '0' },
      { key: 'y', value: '0' },
      { key: 'l', value: '[]' },
    ]);
    expect(
      story.witness?.steps.map(({ text, changes }) => [
        text,
        changes.map(({ key, value }) => `${key}=${value}`).join(),
      ]),
    ).toEqual([
      ['T1: write x = 1.', 'x=1'],
      ['T3: read x = 1, write y = 2, write y = 3.', 'y=3'],
      ['T2: read y = 2.', ''],
      ['T4: append 7 to l.', 'l=[7]'],
      ['T5: append 8 to l.', 'l=[7 8]'],
    ]);
    expect(story.edges.map(({ kind, part }) => [kind, part])).toEqual([
      ['read-from', 'context'],
      ['read-from', 'context'],
    ]);
  });

  test('the story of an order shows begins and commits apart', () => {
    const history = h`r(x,0) r(y,0) w(x,1)
r(x,0) r(y,0) w(y,1)`;
    const { witness } = storyOfOrder(history, 'snapshot-isolation', { kind: 'event-order', events: [0, 2, 1, 3] });
    expect(witness?.steps.map(({ event, transaction, changes }) => [event, transaction, changes.length])).toEqual([
      ['begin', 't0', 0],
      ['begin', 't1', 0],
      ['commit', 't0', 1],
      ['commit', 't1', 1],
    ]);
  });

  test.each(NAMED_HISTORIES.filter(({ verdicts }) => verdicts['read-committed'] === 'satisfied'))(
    'the story of an order of $name has every transaction that the order has',
    ({ history: given, verdicts }) => {
      const history = toRegisters(given).history;
      for (const level of ['read-committed', 'snapshot-isolation', 'serializable'] as const satisfies LevelName[]) {
        if (verdicts[level] === 'violated') continue;
        const certificate = decide(history, level).certificate as CommitOrderCertificate | EventOrderCertificate;
        const story = storyOfOrder(history, level, certificate);
        expectWellFormed(story);
        expect(story.witness?.steps).toHaveLength(
          certificate.kind === 'commit-order' ? certificate.order.length : certificate.events.length,
        );
      }
    },
  );
});
