import type { Certified, LevelName } from '@isolab/contract';
import { type History, TxnStatus, fromPlain, toRegisters } from '@isolab/history';
import { ALL_ALLOWED, type ProofOutcome, verifyCertificate, verifyEvidence } from '@isolab/verifier';
import { expect, test } from 'vitest';
import { type RowKind, draws, printHistory, randomNumbers, randomRows } from '../src/index.ts';

type Certificate = Certified['certificate'];

/** Committed transactions and some of unknown outcome, mostly in the order in which they were made. */
function someOrder({ txnStatus }: History, random: () => number): number[] {
  const isListed = (status: number): boolean =>
    status === TxnStatus.Committed || (status === TxnStatus.Unknown && random() < 0.7);
  const spread = random() < 0.3 ? 8 : 2;
  const places = Array.from(txnStatus, (_, t) => t + spread * random());
  return [...txnStatus.keys()].filter((t) => isListed(txnStatus[t]!)).toSorted((a, b) => places[a]! - places[b]!);
}

/** Each commits behind its begin, some only behind the begins of others. */
function someEvents(order: readonly number[], random: () => number): number[] {
  const events = order.flatMap((t, i) => [
    { event: 2 * t, place: i },
    { event: 2 * t + 1, place: i + 0.5 + (random() < 0.3 ? 2 * random() : 0) },
  ]);
  return events.toSorted((a, b) => a.place - b.place).map(({ event }) => event);
}

const KINDS: Readonly<Record<string, RowKind>> = {
  rows: {},
  'rows, repeated': { repeated: true },
  'rows, aggregates': { aggregates: true },
  'rows, aggregates, repeated': { aggregates: true, repeated: true },
  'rows, aggregates, open outcomes': { aggregates: true, open: true },
};
const LEVELS: readonly LevelName[] = [
  'serializable',
  'plain-serializable',
  'strict-serializable',
  'snapshot-isolation',
  'adya-snapshot-isolation',
  'prefix',
];

/** Judgement of an order by its scans, and with passed-over rows as reads. */
function judged(history: History, level: LevelName, certificate: Certificate): [ProofOutcome, ProofOutcome] {
  return [
    verifyEvidence(history, level, 'satisfied', { certificate }, ALL_ALLOWED),
    verifyCertificate(toRegisters(history).history, level, 'satisfied', certificate),
  ];
}

// The first examines the rows that there are, the second at a register for each row and predicate.
test.each(Object.keys(KINDS))(
  'scans match along an order as do reads of the rows that they passed over: %s',
  (name) => {
    const tally = { accepted: 0, rejected: 0, byAggregates: 0 };
    for (let seed = 0; seed < draws(900); seed++) {
      const random = randomNumbers(seed);
      const history = fromPlain(randomRows(random, KINDS[name]!));
      const isSaid = toRegisters(history).undecidedAggregates.length === 0;
      for (let tries = 0; tries < 3; tries++) {
        for (const level of LEVELS) {
          const order = someOrder(history, random);
          const certificate: Certificate = level.endsWith('serializable')
            ? { kind: 'commit-order', order }
            : { kind: 'event-order', events: someEvents(order, random) };
          const [byScans, byReads] = judged(history, level, certificate);
          const said = `${level} ${JSON.stringify(certificate)}\n${printHistory(history)}\n${JSON.stringify([byScans, byReads])}`;
          if (byScans.ok) expect([said, byReads.ok]).toEqual([said, true]);
          else if (byReads.ok) {
            // Only an aggregate of several rows is more than reads can say.
            const isOfAggregate = /^the (?:count|sum|min|max) of operation/.test(byScans.problem);
            expect([said, isSaid, isOfAggregate]).toEqual([said, false, true]);
            tally.byAggregates++;
          }
          if (byScans.ok) tally.accepted++;
          else tally.rejected++;
        }
      }
    }
    expect(Math.min(tally.accepted, tally.rejected)).toBeGreaterThan(300);
    if (name.includes('aggregates')) expect(tally.byAggregates).toBeGreaterThan(20);
  },
);
