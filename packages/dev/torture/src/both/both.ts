import axioms from '@isolab/axioms';
import type { Checker, LevelName } from '@isolab/contract';
import { type History, countFailedCompareAndSets, fromPlain, toPlain, toRegisters } from '@isolab/history';
import { CORE_LEVELS, LEVEL_RECORDS } from '@isolab/levels';
import { decide } from '@isolab/oracle';
import { randomRows } from '@isolab/testkit';
import weave from '@isolab/weave';
import { Random } from '@isolab/workloads';
import { draw as drawAimed } from '../agreement/draw.ts';
import { changeHistory } from '../certificates/change-history.ts';
import { type Claim, type Result, Truth, judge, textOf } from '../certificates/judge.ts';
import { type Json, mutate } from '../certificates/mutate.ts';
import { claimOf } from '../certificates/real-claims.ts';
import type { Report, Suite } from '../suite/suite.ts';
import { forgeOrder } from './orders.ts';
import { forgeRefutation } from './refutations.ts';

/**
 * Verifies certificates of both verdicts for one history at one level: forged ones of every kind, and mutated real
 * ones.
 */
export const both: Suite = {
  name: 'both',
  title:
    'forged and mutated certificates of both verdicts of one history at one level: no certificate is accepted that is false by brute force, or that needs times which the history lacks, or whose history was cut off; two contrary certificates are never both accepted',
  short: 1_500,
  long: 1_000_000,
  run: async (count, seed, report) => {
    let made = 0;
    for (let i = 0; made < count; i++) made += await attempt(new Random(`both/${seed}/${i}`), count - made, report);
  },
};

/** Draws a history and a level, and verifies certificates of both verdicts. Returns their number. */
async function attempt(random: Random, most: number, report: Report): Promise<number> {
  const history = draw(random);
  const truth = new Truth(history);
  const level = drawLevel(truth, random);
  const orders = ordersFor(history, random);
  const real = await realClaims(history, level, random);
  const accepted: Claim[] = [];
  const count = Math.min(most, CLAIMS);
  for (let i = 0; i < count; i++) {
    const claim = forged(truth, level, { orders, real }, random);
    const result: Result = judge(truth, level, claim, report);
    if (result === 'accepted') accepted.push(claim);
  }
  const [first] = accepted;
  const second = accepted.find(({ verdict }) => verdict !== first!.verdict);
  if (second !== undefined)
    report.failed(
      'both verdicts',
      `both were accepted\n  ${level}, ${JSON.stringify(first)} and ${JSON.stringify(second)}\n${textOf(history)}`,
    );
  return count;
}

/** Material of forged certificates. */
interface Material {
  readonly orders: readonly Json[];
  readonly real: readonly Claim[];
}

/** Forges a certificate, usually for the wrong verdict. */
function forged(truth: Truth, level: LevelName, { orders, real }: Material, random: Random): Claim {
  const { history } = truth;
  const holds = truth.at(level) ?? random.chance(0.5);
  const verdict = random.chance(0.75) === holds ? 'violated' : 'satisfied';
  const found = random.chance(0.3) ? real.filter((claim) => claim.verdict === verdict) : [];
  const isReal = found.length > 0;
  const claim = isReal
    ? random.pick(found)
    : verdict === 'satisfied'
      ? forgeOrder(history, orders, random)
      : forgeRefutation(history, random);
  if (!random.chance(isReal ? 0.7 : 0.25)) return claim;
  const foreign = real.length > 0 ? random.pick(real).certificate : claim.certificate;
  const { certificate, passedOver } = claim;
  return {
    verdict: random.chance(0.03) ? OPPOSITE[verdict] : verdict,
    certificate: mutate(certificate, foreign, random),
    ...(passedOver !== undefined && {
      passedOver: random.chance(0.2) ? mutate(passedOver, certificate, random) : passedOver,
    }),
  };
}

/** Orders that show that some levels hold. */
function ordersFor(history: History, random: Random): Json[] {
  const orders: Json[] = [];
  for (const level of CORE_LEVELS) {
    if (!random.chance(0.3)) continue;
    try {
      const { certificate } = decide(history, level);
      if (certificate !== undefined) orders.push(JSON.parse(JSON.stringify(certificate)) as Json);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error; // the oracle does not support it
    }
  }
  return orders;
}

/** Claims of checkers about the history, and about slightly different histories, at this level and at others. */
async function realClaims(history: History, level: LevelName, random: Random): Promise<Claim[]> {
  const claims: Claim[] = [];
  for (let i = 0; i < REAL; i++) {
    const checker: Checker<object> = random.pick(CHECKERS);
    const target = i === 0 ? history : fromPlain(changeHistory(toPlain(history), random));
    const asked = random.chance(0.7) && checker.info.levels.includes(level) ? level : random.pick(checker.info.levels);
    const claim = await claimOf(target, asked, checker);
    if (claim !== null) claims.push(claim);
  }
  return claims;
}

/** Draws a history, usually of rows with aggregates; some are cut off. */
function draw(random: Random): History {
  for (;;) {
    const history = drawWhole(random);
    if (history.txnStatus.length > MOST_TRANSACTIONS || toRegisters(history).history.opKind.length > MOST_OPERATIONS)
      continue;
    if (!random.chance(0.05)) return history;
    return { ...history, source: { ...history.source, notes: { cutOffAfterLine: 9 } } };
  }
}

function drawWhole(random: Random): History {
  if (random.chance(0.4)) {
    const other = drawAimed(random.pick(OTHERS), random, 4);
    return random.chance(0.5) ? other : fromPlain(changeHistory(toPlain(other), random));
  }
  const rows = randomRows(() => random.fraction(), {
    aggregates: random.chance(0.9),
    repeated: random.chance(0.3),
    open: random.chance(0.4),
    tight: random.chance(0.8),
    single: random.chance(0.05),
    transactions: 4,
  });
  return fromPlain(random.chance(0.5) ? rows : changeHistory(rows, random));
}

/**
 * Draws a level, usually one that does not hold. Brute force takes long at levels beyond the sixteen, unless the
 * history is tiny.
 */
function drawLevel(truth: Truth, random: Random): LevelName {
  const { opKind, txnStatus } = truth.history;
  if (random.chance(0.3) && countFailedCompareAndSets(truth.history) > 0) return 'linearizable';
  const isTiny = opKind.length <= TINY && txnStatus.length <= 3;
  const some = (): LevelName =>
    isTiny && random.chance(0.4) ? random.pick(LEVEL_RECORDS).name : random.pick(CORE_LEVELS);
  let level = some();
  for (let tries = random.chance(0.7) ? 4 : 0; tries > 0 && truth.at(level) !== false; tries--) level = some();
  return level;
}

const OPPOSITE = { satisfied: 'violated', violated: 'satisfied' } as const;
const OTHERS = ['everything', 'lists', 'claims of the database', 'exchanges and ranges', 'mixtures', 'rows'] as const;
const CHECKERS = [weave, weave, axioms] as readonly Checker<object>[];
const CLAIMS = 80;
const REAL = 3;
const MOST_TRANSACTIONS = 4;
const MOST_OPERATIONS = 40;
const TINY = 6;
