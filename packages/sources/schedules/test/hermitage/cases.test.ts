import { LEVELS, findLevel } from '@isolab/contract';
import { describe, expect, test } from 'vitest';
import { type Row, steps } from '../../src/hermitage/cases/case.ts';
import { CASES } from '../../src/hermitage/cases/index.ts';
import { forbids } from '../../src/hermitage/play/claims.ts';
import { hermitage } from '../../src/hermitage/play/run.ts';
import { type Script, refuses, scripted } from './fake.ts';

type Reads = Readonly<Record<string, readonly Row[]>>;

const FIRST: readonly Row[] = [
  [1, 10],
  [2, 20],
];

/** For each case, reads that show the anomaly, and reads of the same transactions that do not. */
const OUTCOMES: Readonly<
  Record<string, { readonly possible: readonly Reads[]; readonly prevented: readonly Reads[] }>
> = {
  G0: {
    possible: [
      {
        final: [
          [1, 12],
          [2, 21],
        ],
      },
      {
        final: [
          [2, 22],
          [1, 11],
        ],
      },
    ],
    prevented: [
      {
        final: [
          [1, 12],
          [2, 22],
        ],
      },
      {
        final: [
          [1, 11],
          [2, 21],
        ],
      },
    ],
  },
  G1a: {
    possible: [
      {
        before: [
          [1, 101],
          [2, 20],
        ],
        after: FIRST,
      },
      {
        before: FIRST,
        after: [
          [1, 101],
          [2, 20],
        ],
      },
    ],
    prevented: [{ before: FIRST, after: FIRST }],
  },
  G1b: {
    possible: [
      {
        before: [
          [1, 101],
          [2, 20],
        ],
        after: [
          [1, 11],
          [2, 20],
        ],
      },
    ],
    prevented: [
      {
        before: FIRST,
        after: [
          [1, 11],
          [2, 20],
        ],
      },
      { before: FIRST, after: FIRST },
    ],
  },
  G1c: {
    possible: [{ second: [[2, 22]], first: [[1, 11]] }],
    prevented: [
      { second: [[2, 22]], first: [[1, 10]] },
      { second: [[2, 20]], first: [[1, 11]] },
      { second: [[2, 20]], first: [[1, 10]] },
    ],
  },
  OTV: {
    possible: [
      {
        one: [
          [1, 12],
          [2, 19],
        ],
        two: [
          [1, 12],
          [2, 18],
        ],
        three: [
          [1, 12],
          [2, 18],
        ],
      },
      {
        one: [
          [1, 11],
          [2, 20],
        ],
        two: [
          [1, 12],
          [2, 18],
        ],
        three: [
          [1, 12],
          [2, 18],
        ],
      },
      {
        one: [
          [1, 11],
          [2, 19],
        ],
        two: FIRST,
        three: [
          [1, 12],
          [2, 18],
        ],
      },
    ],
    prevented: [
      {
        one: [
          [1, 11],
          [2, 19],
        ],
        two: [
          [1, 11],
          [2, 19],
        ],
        three: [
          [1, 12],
          [2, 18],
        ],
      },
      { one: FIRST, two: FIRST, three: FIRST },
    ],
  },
  PMP: {
    possible: [{ before: [], after: [[3, 30]] }],
    prevented: [
      { before: [], after: [] },
      { before: [[3, 30]], after: [[3, 30]] },
    ],
  },
  'PMP, write': {
    possible: [
      {
        before: [[2, 20]],
        after: [[1, 20]],
        final: [
          [1, 20],
          [2, 30],
        ],
      }, // as PostgreSQL does it
      { before: [[2, 20]], after: [], final: [[2, 30]] }, // as InnoDB does it
    ],
    prevented: [
      { before: [[2, 20]], after: [], final: [[1, 20]] },
      { before: [[1, 20]], after: [], final: [[2, 30]] },
    ],
  },
  P4: {
    possible: [{ first: [[1, 10]], second: [[1, 10]] }],
    prevented: [{ first: [[1, 10]], second: [[1, 11]] }],
  },
  'G-single': {
    possible: [{ first: [[1, 10]], second: [[2, 18]] }],
    prevented: [
      { first: [[1, 10]], second: [[2, 20]] },
      { first: [[1, 12]], second: [[2, 18]] },
    ],
  },
  'G-single, predicate': {
    possible: [{ before: FIRST, after: [[1, 12]] }],
    prevented: [
      { before: FIRST, after: [] },
      { before: [[2, 20]], after: [[1, 12]] },
    ],
  },
  'G-single, write': {
    possible: [
      {
        first: [[1, 10]],
        both: FIRST,
        final: [
          [1, 12],
          [2, 18],
        ],
      },
      { first: [[1, 10]], both: FIRST, final: [[1, 12]] },
    ],
    prevented: [
      { first: [[1, 10]], both: [[1, 10]], final: [[1, 12]] },
      {
        first: [[1, 12]],
        both: FIRST,
        final: [
          [1, 12],
          [2, 18],
        ],
      },
    ],
  },
  'G2-item': {
    possible: [{ first: FIRST, second: FIRST }],
    prevented: [
      {
        first: FIRST,
        second: [
          [1, 11],
          [2, 20],
        ],
      },
      {
        first: [
          [1, 10],
          [2, 21],
        ],
        second: FIRST,
      },
    ],
  },
  G2: {
    possible: [{ first: [], second: [] }],
    prevented: [{ first: [], second: [[3, 30]] }],
  },
  'G2, two edges': {
    possible: [
      {
        first: FIRST,
        third: [
          [1, 10],
          [2, 25],
        ],
      },
    ],
    prevented: [
      { first: FIRST, third: FIRST },
      {
        first: FIRST,
        third: [
          [1, 0],
          [2, 25],
        ],
      },
    ],
  },
  'on-call doctors': {
    possible: [{ first: [[2]], second: [[2]], final: [[0]] }],
    prevented: [{ first: [[2]], second: [[1]], final: [[0]] }],
  },
  'unique booking': {
    possible: [{ first: [], second: [], final: [] }],
    prevented: [{ first: [], second: [[2, 1200, 1300]], final: [] }],
  },
  'bank with audit': {
    possible: [
      {
        withdrawer: [
          [1, 0],
          [2, 0],
        ],
        audit: [
          [1, 0],
          [2, 20],
        ],
        final: [],
      },
    ],
    prevented: [
      {
        withdrawer: [
          [1, 0],
          [2, 0],
        ],
        audit: [
          [1, -11],
          [2, 20],
        ],
        final: [],
      },
      {
        withdrawer: [
          [1, 0],
          [2, 20],
        ],
        audit: [
          [1, 0],
          [2, 20],
        ],
        final: [],
      },
    ],
  },
  'intersecting data': {
    possible: [{ first: [[30]], second: [[300]], final: [] }],
    prevented: [
      { first: [[30]], second: [[330]], final: [] },
      { first: [[330]], second: [[300]], final: [] },
    ],
  },
  'batch processing': {
    possible: [{ open: [[7]], closed: [[8]], report: [[5]], final: [] }],
    prevented: [
      { open: [[7]], closed: [[8]], report: [[8]], final: [] },
      { open: [[7]], closed: [[7]], report: [[5]], final: [] },
    ],
  },
  'limit and stock': {
    possible: [{ order: [[5]], opens: [[9]], stock: [[8]], final: [[8]], 'final 2': [[3]] }],
    prevented: [
      { order: [[5]], opens: [[9]], stock: [[3]], final: [[8]], 'final 2': [[3]] },
      { order: [[8]], opens: [[9]], stock: [[8]], final: [[8]], 'final 2': [[3]] },
    ],
  },
};

const LEVEL = { name: 'serializable', claims: 'serializable' } as const;

describe.each(CASES)('$name', (played) => {
  const { possible, prevented } = OUTCOMES[played.name]!;
  const options = { levels: [LEVEL], cases: [played], waitMs: 1000 };
  const cellFrom = async (reads: Reads, script?: Script) =>
    (await hermitage(scripted(played, reads, script).database, options)).levels[0]!.cells[0]!;

  test.each(possible)('the case is possible where reads are %j', async (reads) => {
    const cell = await cellFrom(reads);
    expect(cell).toMatchObject({ outcome: 'possible', by: null });
    expect(cell.why.length).toBeGreaterThan(0);
  });

  test.each(prevented)('the case is prevented where reads are %j', async (reads) => {
    expect(await cellFrom(reads)).toMatchObject({ outcome: 'prevented', by: 'reads' });
  });

  test('the case is prevented where a COMMIT is refused, for any reads', async () => {
    let isFirst = true;
    const cell = await cellFrom(possible[0]!, ({ sql }) => {
      if (sql !== 'COMMIT' || !isFirst) return undefined;
      isFirst = false;
      return refuses();
    });
    expect(cell).toMatchObject({ outcome: 'prevented', by: 'abort' });
    expect(cell.why.join()).toContain('scripted says 40001: no');
  });

  test('the case is unknown where a statement fails otherwise', async () => {
    const cell = await cellFrom(possible[0]!, () => {
      throw new Error('the disk is on fire');
    });
    expect(cell).toMatchObject({ outcome: 'unknown', by: null });
    expect(cell.why.join()).toContain('the disk is on fire');
  });

  test('the case says which levels forbid it, the weakest ones', () => {
    for (const name of played.forbiddenBy) expect(findLevel(name)).not.toBeNull();
    const forbidding = LEVELS.filter(({ name }) => forbids(name, played)).map(({ name }) => name);
    expect(forbidding).toContain('serializable');
    expect(forbidding).not.toContain('linearizable');
  });
});

test('the cases of the claims of PostgreSQL: anomalies that its levels forbid', () => {
  const forbidden = (level: 'read-committed' | 'snapshot-isolation'): readonly string[] =>
    CASES.filter((each) => forbids(level, each)).map(({ name }) => name);
  expect(forbidden('read-committed')).toEqual(['G0', 'G1a', 'G1b', 'G1c', 'OTV']);
  expect(forbidden('snapshot-isolation')).toEqual(CASES.slice(0, 11).map(({ name }) => name));
});

test('steps that are no steps are refused', () => {
  expect(() => steps('T1 BEGIN')).toThrow('expected “T1: SQL” or “T1: SQL => name”');
  expect(() => steps('T1: SELECT 1')).toThrow('T1 must begin with BEGIN');
  expect(() => steps('T1: BEGIN\nT1: COMMIT\nT1: COMMIT')).toThrow('T1 must begin with BEGIN');
});
