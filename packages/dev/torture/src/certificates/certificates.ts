import axioms from '@isolab/axioms';
import type { Checker, LevelName, SatisfiedCertificate } from '@isolab/contract';
import { verifyCertificate } from '@isolab/verifier';
import { type History, fromPlain, toPlain } from '@isolab/history';
import { builtInLevel } from '@isolab/levels';
import { decideDefinition } from '@isolab/oracle';
import dbcop from '@isolab/dbcop';
import { type HistoryBounds, arbitraryHistory, inputFor, printHistory } from '@isolab/testkit';
import weave from '@isolab/weave';
import { Random } from '@isolab/workloads';
import fc from 'fast-check';
import type { Report, Suite } from '../suite/suite.ts';
import { draw as drawAimed } from '../agreement/draw.ts';
import { changeHistory } from './change-history.ts';
import { type Json, mutate } from './mutate.ts';
import { claimOf } from './real-claims.ts';
import { attemptRows } from './row-certificates.ts';
import type { Claim } from './judge.ts';

/** Verifies mutated and misplaced certificates; those of rows and aggregates usually claim the wrong verdict. */
export const certificates: Suite = {
  name: 'certificates',
  title:
    'mutated certificates, and those of other histories: each is refused with a message, or true by brute force; no crash',
  short: 1_500,
  long: 1_000_000,
  run: async (count, seed, report) => {
    let made = 0;
    for (let i = 0; made < count; i++) made += await attempt(new Random(`${seed}/${i}`), count - made, report);
  },
};

/** Verifies the certificate of a history, and variants of both. Returns the number of certificates. */
async function attempt(random: Random, most: number, report: Report): Promise<number> {
  if (random.chance(0.4)) return attemptRows(random, most, report);
  const history = draw(random);
  const checker = random.pick(CHECKERS);
  const level = random.pick(checker.info.levels);
  const claim = await claimOf(history, level, checker);
  const other = await claimOf(draw(random), level, checker);
  // Most certificates are orders; refutations have more ways to be wrong.
  if (claim === null || (claim.verdict === 'satisfied' && random.chance(0.8))) return 0;
  const { kind } = claim.certificate as { readonly kind: string };
  const tries = Math.min(most, RARE.includes(kind) ? MANY_TRIES : TRIES);
  for (let i = 0; i < tries; i++) {
    const isSame = random.chance(0.5);
    const target = isSame ? history : fromPlain(changeHistory(toPlain(history), random));
    const certificate = !isSame && random.chance(0.3) ? claim.certificate : mutated(claim, other, random);
    const judged = random.chance(0.05) ? random.pick(axioms.info.levels) : level;
    const verdict = random.chance(0.05) ? OPPOSITE[claim.verdict] : claim.verdict;
    const problem = problemOf(inputFor(checker, target).history, judged, verdict, certificate);
    if (problem === null) report.survived(kind);
    else
      report.failed(
        kind,
        `${problem}\n  ${judged}, ${verdict}, ${JSON.stringify(certificate)}\n${printHistory(target)}`,
      );
  }
  return tries;
}

const mutated = (claim: Claim, other: Claim | null, random: Random): Json =>
  mutate(claim.certificate, other?.certificate ?? claim.certificate, random);

/** Finds a problem with the verifier's result for a certificate; null if there is none. */
function problemOf(history: History, level: LevelName, verdict: Claim['verdict'], certificate: Json): string | null {
  try {
    const result = verifyCertificate(history, level, verdict, certificate as unknown as SatisfiedCertificate);
    if (!result.ok) return result.problem.length > 0 ? null : 'it was refused without a message';
    const isSatisfied = decideDefinition(history, builtInLevel(level)!).satisfied;
    return isSatisfied === (verdict === 'satisfied') ? null : 'it was accepted, but is wrong by brute force';
  } catch (error) {
    return `the verifier crashed: ${String(error)}`;
  }
}

function draw(random: Random): History {
  if (random.chance(0.3)) return drawOther(random);
  const lists = random.chance(0.25);
  const bounds: HistoryBounds = {
    lists,
    wild: random.chance(0.3),
    unknown: random.chance(0.3),
    aborted: random.chance(0.3),
    times: random.chance(0.4),
    repeatedValues: random.chance(0.4),
    operations: random.between(1, 3),
    atLeast: random.between(2, 5),
    disturbances: random.between(1, 5),
  };
  return fc.sample(arbitraryHistory(bounds), { numRuns: 1, seed: random.below(2 ** 31) })[0]!;
}

/** Draws histories that executions of stores do not produce; certificates of scans are drawn in row-certificates.ts. */
function drawOther(random: Random): History {
  for (;;) {
    const history = drawAimed(random.pick(['mixtures', 'exchanges and ranges', 'claims of the database']), random);
    if (history.scans.tables.length === 0) return history;
  }
}

const OPPOSITE = { satisfied: 'violated', violated: 'satisfied' } as const satisfies Record<string, Claim['verdict']>;
/** weave has the most kinds of certificates. */
const CHECKERS = [weave, weave, dbcop, axioms, axioms] as readonly Checker<object>[];
/** Number of tries for one certificate. */
const TRIES = 20;
const MANY_TRIES = 400;
const RARE: readonly string[] = ['proof', 'cases', 'lists', 'updates'];
