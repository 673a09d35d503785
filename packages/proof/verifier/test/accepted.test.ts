import { describe, expect, test } from 'vitest';
import { LEVELS, type LevelName } from '@isolab/contract';
import {
  assumed,
  cases,
  choice,
  commits,
  cycle,
  events,
  init,
  internal,
  learned,
  never,
  problemOf,
  proof,
  rt,
  rw,
  so,
  wr,
  ww,
} from './support/certificates.ts';
import { h } from './support/notation.ts';
import { history as twoChoicesHistory, twoChoices } from './support/two-choices.ts';

const lostUpdate = h`r(x,0) w(x,1)
  r(x,0) w(x,2)`;
const writeSkew = h`r(x,0) r(y,0) w(x,1)
  r(x,0) r(y,0) w(y,1)`;
const longFork = h`w(x,1)
  w(y,1)
  r(x,1) r(y,0)
  r(x,0) r(y,1)`;
const fractured = h`w(x,1) w(y,1)
  r(y,0) r(x,1)`;
const nonMonotonic = h`w(x,1) w(y,1)
  r(x,1) r(y,0)`;
const backwards = h`w(x,1)
  r(x,1) r(x,0)`;
const causality = h`w(x,1)
  r(x,1) w(y,1)
  r(y,1) r(x,0)`;
const staleInSession = h`w(x,1) | r(x,0)`;
const chain = h`w(x,1) | r(y,2)
  r(x,1) w(y,2)`;
const stale = h`w(x,1) @1-2
  r(x,0) @3-4`;
const concurrent = h`w(x,1) @1-5
  r(x,0) @3-4`;
const readsFuture = h`w(x,1) @5-9
  r(x,1) @1-4`;
const unknowns = h`?w(x,1) | ?w(y,1)
  r(x,1)`;

describe('a satisfied verdict is proven by', () => {
  test.each<[string, LevelName, ReturnType<typeof h>, unknown]>([
    ['inspection', 'cut-isolation', fractured, { kind: 'inspection' }],
    ['inspection, whatever aborted', 'cut-isolation', h`!r(x,0) r(x,1)`, { kind: 'inspection' }],
    ['an order of read-from alone', 'read-committed-pl2', nonMonotonic, commits(0, 1)],
    ['an order against a session, at PL-2', 'read-committed-pl2', h`r(x,1) | w(x,1)`, commits(1, 0)],
    ['an order at read committed', 'read-committed', fractured, commits(0, 1)],
    ['an order at read committed although a key goes back', 'read-committed', backwards, commits(0, 1)],
    ['an order at read committed of dbcop', 'read-committed-dbcop', fractured, commits(0, 1)],
    ['an order at read atomic', 'read-atomic', causality, commits(0, 1, 2)],
    ['an order at causal', 'causal', longFork, commits(1, 0, 2, 3)],
    [
      'an order at causal of versions that sessions do not order',
      'causal',
      h`w(x,1)
      w(x,2)
      r(x,2) | r(x,1)`,
      commits(1, 0, 2, 3),
    ],
    ['an order of sessions and reads', 'serializable', chain, commits(0, 2, 1)],
    ['a serial order against a session', 'plain-serializable', staleInSession, commits(1, 0)],
    ['a serial order without times', 'strict-serializable', chain, commits(0, 2, 1)],
    ['a serial order in real time', 'strict-serializable', concurrent, commits(1, 0)],
    ['an order of single operations', 'linearizable', concurrent, commits(1, 0)],
    ['an order of single operations, key by key', 'linearizable', h`w(x,1) @1-2 | w(y,1) @3-4`, commits(1, 0)],
    ['events at prefix', 'prefix', lostUpdate, events('b0 b1 c0 c1')],
    ['events at snapshot isolation', 'snapshot-isolation', writeSkew, events('b0 b1 c0 c1')],
    ['events at Adya’s snapshot isolation', 'adya-snapshot-isolation', staleInSession, events('b1 b0 c0 c1')],
    ['an old snapshot', 'generalized-snapshot-isolation', stale, events('b0 b1 c0 c1')],
    ['an old snapshot in another session', 'strong-session-snapshot-isolation', stale, events('b0 b1 c0 c1')],
    ['a new snapshot', 'strong-snapshot-isolation', concurrent, events('b0 b1 c1 c0')],
    ['an order of those of unknown outcome that were read', 'serializable', unknowns, commits(0, 2)],
    [
      'an order with a transaction that writes the initial values again, at the front',
      'serializable',
      h`w(x,0) w(y,0)
      r(x,0) w(x,1)`,
      commits(0, 1),
    ],
    [
      'an order where the end of an unknown one does not count',
      'strict-serializable',
      h`?w(x,1) @1-2
      r(x,0) @3-4 | r(x,1) @5-6`,
      commits(1, 0, 2),
    ],
    ['an order of nothing', 'serializable', h`!w(x,1)`, commits()],
    [
      'an order with an own read of what others wrote, too',
      'serializable',
      h`w(x,1)
      w(x,1) r(x,1)`,
      commits(0, 1),
    ],
    [
      'an order of appends, at read committed',
      'read-committed',
      h`a(x,1) | a(y,1)
      r(x,[1]) a(x,2) r(x,[1 2]) | r(y,[1]) r(x,[1])`,
      commits(0, 1, 2, 3),
    ],
    [
      'an order of appends in which one is missed, at causal',
      'causal',
      h`a(x,1)
      a(x,2)
      r(x,[1 2])
      r(x,[1])`,
      commits(0, 1, 2, 3),
    ],
    [
      'an order of values that repeat',
      'serializable',
      h`w(x,1) | w(x,0)
      r(x,1) | r(x,0) w(x,1)
      r(x,0)`,
      commits(4, 0, 2, 1, 3),
    ],
    [
      'events with one of unknown outcome that nobody saw',
      'snapshot-isolation',
      h`?w(x,1)
      r(x,0)`,
      events('b0 b1 c0 c1'),
    ],
    [
      'inspection of one of unknown outcome that need not have happened',
      'cut-isolation',
      h`?w(x,1) r(y,0) r(y,1)
      w(x,1)
      r(x,1)
      w(y,1)`,
      { kind: 'inspection' },
    ],
    ['an order with a result that was never learned', 'serializable', h`r(x,0) w(y,1)`, commits(0)],
  ])('%s (%s)', (_, level, history, certificate) => {
    expect(problemOf(history, level, 'satisfied', certificate)).toBeNull();
  });

  test('one serial order proves every level that needs a commit order', () => {
    const history = h`w(x,1) | r(y,2) w(y,3)
      r(x,1) w(y,2)`;
    const levels = LEVELS.map(({ name }) => name).filter((name) => !/snapshot|prefix|cut|linearizable/.test(name));
    expect(levels).toHaveLength(8);
    for (const level of levels) expect(problemOf(history, level, 'satisfied', commits(0, 2, 1))).toBeNull();
  });
});

describe('a violated verdict is proven by', () => {
  test.each(LEVELS.map(({ name }) => name).filter((name) => /snapshot|prefix|serializable/.test(name)))(
    'a clausal proof (%s)',
    (level) => {
      expect(problemOf(twoChoicesHistory, level, 'violated', twoChoices)).toBeNull();
      expect(problemOf(twoChoicesHistory, level, 'violated', JSON.parse(JSON.stringify(twoChoices)))).toBeNull();
    },
  );

  // Both write x and z; 2 sees the versions of 0, and 3 those of 1, but each comes after the other one of x and z.
  const twoKeys = h`w(x,1) w(z,1)
    w(x,2) w(z,2)
    r(x,1) | r(z,2)
    r(x,2) | r(z,1)`;
  const [ifFirst, ifSecond] = [
    cycle(rw(5, 1, 7, 3, assumed(0, 1)), wr(1, 4, 6), so(4, 5)),
    cycle(rw(3, 0, 5, 1, assumed(1, 0)), wr(0, 2, 4), so(2, 3)),
  ];
  test.each([0, 1])('a choice between transactions, with any of their keys (key %i)', (key) => {
    for (const level of ['serializable', 'snapshot-isolation', 'prefix'] as const) {
      expect(problemOf(twoKeys, level, 'violated', cases(0, 1, key, ifFirst, ifSecond))).toBeNull();
      const clauses = proof(
        [choice(0, 1, key)],
        never([-1], ...ifFirst.edges),
        never([1], ...ifSecond.edges),
        learned(),
      );
      expect(problemOf(twoKeys, level, 'violated', clauses)).toBeNull();
    }
  });

  test.each<[string, readonly LevelName[], ReturnType<typeof h>, unknown]>(
    [
      ['a thin-air read', ['read-committed-pl2', 'linearizable'], h`r(x,7)`, internal('thin-air-read', 0)],
      [
        'an aborted read',
        ['causal'],
        h`!w(x,1)
      r(x,1)`,
        internal('aborted-read', 1, 0),
      ],
      ['a future read', ['serializable'], h`r(x,1) w(x,1)`, internal('future-read', 0, 1)],
      [
        'a read blind to its own write',
        ['prefix'],
        h`w(x,1)
      w(x,2) r(x,1)`,
        internal('not-my-own-write', 2, 1),
      ],
      [
        'a read of an own write but the last',
        ['read-atomic'],
        h`w(x,1) w(x,2) r(x,1)`,
        internal('not-my-last-write', 2, 1),
      ],
      [
        'an intermediate read',
        ['read-committed'],
        h`w(x,1) w(x,2)
      r(x,1)`,
        internal('intermediate-read', 2, 0),
      ],
      [
        'a non-repeatable read',
        ['cut-isolation', 'snapshot-isolation'],
        backwards,
        internal('non-repeatable-read', 2, 1),
      ],
      [
        'a cycle of reads',
        ['read-committed-pl2', 'adya-snapshot-isolation', 'prefix', 'causal'],
        h`r(y,1) w(x,1)
      r(x,1) w(y,1)`,
        cycle(wr(0, 1, 2), wr(1, 0, 0)),
      ],
      [
        'a cycle of session and read',
        ['read-committed', 'snapshot-isolation'],
        h`r(x,1) | w(x,1)`,
        cycle(so(0, 1), wr(1, 0, 0)),
      ],
      ['a read that goes back', ['read-committed'], nonMonotonic, cycle(ww(0, -1, 1, 3, wr(0, 1, 2)), init(0))],
      [
        'a read of the same key that goes back',
        ['read-committed-dbcop'],
        backwards,
        cycle(ww(0, -1, 0, 2, wr(0, 1, 1)), init(0)),
      ],
      ['a fractured read', ['read-atomic'], fractured, cycle(ww(0, -1, 1, 2, wr(0, 1, 3)), init(0))],
      [
        'a read blind to its session',
        ['read-atomic', 'causal', 'serializable'],
        staleInSession,
        cycle(ww(0, -1, 0, 1, so(0, 1)), init(0)),
      ],
      [
        'a causality violation',
        ['causal', 'prefix', 'serializable'],
        causality,
        cycle(ww(0, -1, 0, 4, wr(0, 1, 1), wr(1, 2, 3)), init(0)),
      ],
      [
        'two writers seen in both orders',
        ['causal'],
        h`w(x,1)
      w(x,2)
      r(x,1) | r(x,2)
      r(x,2) | r(x,1)`,
        cycle(ww(0, 1, 0, 3, wr(0, 2, 2), so(2, 3)), ww(1, 0, 1, 5, wr(1, 4, 4), so(4, 5))),
      ],
      [
        'a long fork',
        ['snapshot-isolation', 'prefix', 'adya-snapshot-isolation'],
        longFork,
        cycle(wr(0, 2, 2), rw(2, 1, 3, 1, init(1)), wr(1, 3, 5), rw(3, 0, 4, 0, init(0))),
      ],
      [
        'anti-dependencies',
        ['serializable', 'plain-serializable', 'strict-serializable'],
        writeSkew,
        cycle(rw(0, 1, 1, 5, init(1)), rw(1, 0, 3, 2, init(0))),
      ],
      [
        'anti-dependencies between writers of a key',
        ['snapshot-isolation', 'generalized-snapshot-isolation'],
        lostUpdate,
        cycle(rw(0, 1, 0, 3, init(1)), rw(1, 0, 2, 1, init(0))),
      ],
      [
        'cases',
        ['serializable', 'adya-snapshot-isolation'],
        lostUpdate,
        cases(0, 1, 0, cycle(ww(0, -1, 1, 2, assumed(0, 1)), init(0)), cycle(ww(1, -1, 3, 0, assumed(1, 0)), init(1))),
      ],
      [
        'cases of one order of commits',
        ['prefix'],
        h`w(x,1) | r(x,2)
      w(x,2) | r(x,1)`,
        cases(0, 2, 0, cycle(rw(3, 2, 3, 2, assumed(0, 2)), so(2, 3)), cycle(rw(1, 0, 1, 0, assumed(2, 0)), so(0, 1))),
      ],
      [
        'a stale read',
        ['strict-serializable', 'strong-snapshot-isolation', 'linearizable'],
        stale,
        cycle(ww(0, -1, 0, 1, rt(0, 1)), init(0)),
      ],
      [
        'a read from the future',
        ['generalized-snapshot-isolation', 'strict-serializable'],
        readsFuture,
        cycle(wr(0, 1, 1), rt(1, 0)),
      ],
      [
        'transactions of unknown outcome that were read',
        ['causal'],
        h`?w(x,1) | r(x,0)
      r(x,1)`,
        cycle(ww(0, -1, 0, 1, so(0, 1)), init(0)),
      ],
    ].flatMap(([name, levels, history, certificate]) =>
      (levels as LevelName[]).map((level) => [name, [level], history, certificate] as never),
    ),
  )('%s (%s)', (_, [level], history, certificate) => {
    expect(problemOf(history, level!, 'violated', certificate)).toBeNull();
  });
});
