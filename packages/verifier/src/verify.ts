import type { History } from '@isolab/history';
import type { LevelName, SatisfiedCertificate, ViolationCertificate } from '@isolab/contract';
import { verifyCommitOrder } from './commit-order.ts';
import { verifyEventOrder } from './event-order.ts';
import { Flaw, objectOf, refuse, show } from './flaw.ts';
import { inspect } from './inspection.ts';
import { factsForAll, refuseUnlowered } from './raw-facts.ts';
import { type Rules, ordersEvents, rulesOf } from './rules.ts';
import { verifyViolation } from './violation.ts';

export type Verification = { readonly ok: true } | { readonly ok: false; readonly problem: string };

/**
 * Whether a certificate proves a verdict. It shares no code with any checker, nor with what checkers share: who read from
 * whom and what happened is derived from the operations once more, and the axioms are those of docs/levels.md.
 *
 * The history is the one that the certificate speaks about, lowered to registers; see verifyCertificateFile for another.
 * Nothing is assumed of the certificate: it may be any data. Edges and entries are counted from 1 in the problem;
 * transactions, operations and keys are numbers of the history.
 */
export function verifyCertificate(
  history: History,
  level: LevelName,
  verdict: 'satisfied' | 'violated',
  certificate: SatisfiedCertificate | ViolationCertificate,
): Verification {
  return verification(() => {
    const rules = rulesOf(level);
    if (rules === null) return refuse(`${show(level)} is not a level`);
    const data = objectOf(certificate, 'the certificate');
    refuseUnlowered(history);
    return verdict === 'satisfied'
      ? verifySatisfied(history, rules, data)
      : verifyViolation(factsForAll(history, rules), rules, data);
  });
}

function verifySatisfied(history: History, rules: Rules, certificate: Readonly<Record<string, unknown>>): void {
  const expected = rules.axiom === 'cut' ? 'inspection' : ordersEvents(rules) ? 'event-order' : 'commit-order';
  if (certificate['kind'] !== expected) {
    const kind = show(certificate['kind']);
    refuse(`the certificate is of kind ${kind}, but ${rules.level} needs kind ${show(expected)}`);
  }
  if (expected === 'inspection') inspect(history);
  else if (expected === 'commit-order') verifyCommitOrder(history, rules, certificate['order']);
  else verifyEventOrder(history, rules, certificate['events']);
}

/** Runs a verifier that throws a Flaw at the first thing that is wrong. */
export function verification(verify: () => void): Verification {
  try {
    verify();
    return { ok: true };
  } catch (error) {
    if (error instanceof Flaw) return { ok: false, problem: error.message };
    throw error;
  }
}
