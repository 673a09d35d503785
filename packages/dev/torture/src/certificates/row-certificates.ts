import type { Checker, LevelName } from '@isolab/contract';
import { type History, fromPlain, toPlain, toRegisters } from '@isolab/history';
import { randomRows } from '@isolab/testkit';
import weave from '@isolab/weave';
import type { Random } from '@isolab/workloads';
import type { Report } from '../suite/suite.ts';
import { changeHistory } from './change-history.ts';
import { type Claim, Truth, judge } from './judge.ts';
import { mutate } from './mutate.ts';
import { claimOf } from './real-claims.ts';

/**
 * Draws a history of rows, scans and aggregates. Verifies variants of its certificate against the history and against
 * slightly different histories, most of which make the verdict wrong. Returns the number of tries.
 */
export async function attemptRows(random: Random, most: number, report: Report): Promise<number> {
  const history = draw(random);
  const level = random.pick(weave.info.levels.filter((name) => name !== 'linearizable'));
  const claim = await claimOf(history, level, weave as unknown as Checker<object>);
  // Most certificates are orders; their statements about aggregates, and refutations, have more ways to be wrong.
  if (claim === null || (claim.verdict === 'satisfied' && !isAboutAggregates(claim) && random.chance(0.7))) return 0;
  const targets = targetsFor(history, level, claim, random);
  const tries = Math.min(most, isAboutAggregates(claim) ? MANY_TRIES : TRIES);
  for (let i = 0; i < tries; i++) {
    const target = random.pick(random.chance(0.8) ? targets.wrong : targets.all);
    judge(target, level, random.chance(0.1) ? claim : forge(claim, random), report);
  }
  return tries;
}

const isAboutAggregates = ({ certificate }: Claim): boolean => {
  const { kind, rows } = certificate as { readonly kind?: unknown; readonly rows?: unknown };
  return kind === 'aggregates' || rows !== undefined;
};

/** The history and slightly different ones: those for which the verdict is wrong, or all if there are none. */
function targetsFor(history: History, level: LevelName, { verdict }: Claim, random: Random) {
  const others = Array.from({ length: OTHERS }, () => new Truth(fromPlain(changeHistory(toPlain(history), random))));
  const all = [new Truth(history), ...others];
  const wrong = all.filter((truth) => truth.at(level) === (verdict === 'violated'));
  return { all, wrong: wrong.length === 0 ? all : wrong };
}

/** Forges another certificate, which may also state other facts about the unmatched rows. */
function forge(claim: Claim, random: Random): Claim {
  const certificate = mutate(claim.certificate, claim.certificate, random);
  const { verdict, passedOver } = claim;
  if (passedOver === undefined) return { verdict, certificate };
  return {
    verdict,
    certificate,
    passedOver: random.chance(0.2) ? mutate(passedOver, certificate, random) : passedOver,
  };
}

function draw(random: Random): History {
  for (;;) {
    const kind = {
      aggregates: random.chance(0.8),
      repeated: random.chance(0.3),
      open: random.chance(0.2),
      tight: random.chance(0.5),
      transactions: MOST_TRANSACTIONS,
    };
    const history = fromPlain(randomRows(() => random.fraction(), kind));
    if (toRegisters(history).history.opKind.length <= MOST_OPERATIONS) return history;
  }
}

/** Number of tries for one certificate, and number of other histories that it is verified against. */
const TRIES = 20;
const MANY_TRIES = 200;
const OTHERS = 6;
/** More transactions take long by brute force. */
const MOST_TRANSACTIONS = 4;
const MOST_OPERATIONS = 40;
