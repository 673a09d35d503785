import { type History, TxnStatus } from '@isolab/history';
import { type LevelName, type SatisfiedCertificate, type ViolationCertificate, definitionOf } from '@isolab/contract';
import { type LevelDefinition, STATABLE, STATED } from '@isolab/levels';
import { verifyCommitOrder } from './commit-order.ts';
import { verifyEachKey } from './definition/each-key.ts';
import { verifyAlongOrder } from './definition/evaluate.ts';
import { verifyByAxioms } from './definition/proof.ts';
import { type Fields, objectOf, refuse, show } from './verdict/flaw.ts';
import { inspect } from './inspection.ts';
import { factsForAll, refuseUnlowered } from './facts/raw-facts.ts';
import { type Rules, ordersEvents, rulesOf } from './facts/rules.ts';
import { verifyViolation } from './violation.ts';
import { readEventOrder, verifySessions } from './facts/orders.ts';
import { verifyRealTimeOfEvents } from './facts/real-time.ts';
import { replaySnapshots } from './replay.ts';
import { type ProofOutcome, outcomeOf } from './verdict/verification.ts';

/**
 * Verifies whether a certificate proves a verdict. The verifier shares no code with the checkers or their common
 * libraries. It derives the sources of reads and the transactions that happened from the operations, and uses the
 * axioms of docs/levels.md.
 * The history must be the history of the certificate, lowered to registers; for other histories see
 * verifyCertificateFile. The certificate is not trusted and may be any data. In problems, edges and entries count from
 * 1; transactions, operations and keys are numbers of the history.
 */
export function verifyCertificate(
  history: History,
  level: LevelName,
  verdict: 'satisfied' | 'violated',
  certificate: SatisfiedCertificate | ViolationCertificate,
  definition: LevelDefinition | null = null,
): ProofOutcome {
  return outcomeOf(() => prove(history, level, verdict, certificate, definition));
}

/** Verifies a proof; throws a Flaw at the first mistake. */
export function prove(
  history: History,
  level: LevelName,
  verdict: 'satisfied' | 'violated',
  certificate: unknown,
  definition: LevelDefinition | null = null,
): void {
  const data = objectOf(certificate, 'the certificate');
  refuseUnlowered(history);
  const rules = definition === null ? rulesOf(level) : null;
  const known = definition ?? definitionOf(level);
  if (rules !== null && !(known !== null && restsOnAxioms(rules, verdict, data['kind'])))
    return verdict === 'satisfied'
      ? verifySatisfied(history, rules, data)
      : verifyViolation(factsForAll(history, rules), rules, data);
  if (known === null) return refuse(`${show(level)} is not a level`);
  if (known.name === STATED) refuseUnstated(history);
  if (verdict === 'violated') return verifyByAxioms(history, known, data);
  return known.eachKeySatisfies === null ? verifyAlongOrder(history, known, data) : verifyEachKey(history, known, data);
}

/** Refuses a history with a transaction that may have happened and states no level that the axioms know. */
function refuseUnstated({ txnStatus, txnLevels }: History): void {
  for (let t = 0; t < txnStatus.length; t++) {
    const level = txnLevels?.names[txnLevels.of[t] - 1];
    if (txnStatus[t] !== TxnStatus.Aborted && !STATABLE.some((name) => name === level))
      refuse(`transaction ${t} states ${level === undefined ? 'no level' : show(level)}`);
  }
}

/** Returns whether a certificate for a level with built-in rules refers to the axioms in the level's file. */
const restsOnAxioms = (rules: Rules, verdict: 'satisfied' | 'violated', kind: unknown): boolean =>
  verdict === 'violated' ? kind === 'axioms' : kind !== expectedOrder(rules) && ORDERS.has(kind);

const ORDERS: ReadonlySet<unknown> = new Set(['commit-order', 'event-order', 'version-orders', 'each-key']);

const expectedOrder = (rules: Rules): SatisfiedCertificate['kind'] =>
  rules.axiom === 'cut' ? 'inspection' : ordersEvents(rules) ? 'event-order' : 'commit-order';

function verifySatisfied(history: History, rules: Rules, certificate: Fields): void {
  const expected = expectedOrder(rules);
  if (certificate['kind'] !== expected) {
    const kind = show(certificate['kind']);
    refuse(`the certificate is of kind ${kind}, but ${rules.level} needs kind ${show(expected)}`);
  }
  if (expected === 'inspection') inspect(history, certificate['happened']);
  else if (expected === 'commit-order') verifyCommitOrder(history, rules, certificate['order'], certificate['sources']);
  else verifyEventOrder(history, rules, certificate['events']);
}

/** Refuses unless the begins (2t) and commits (2t + 1), in this order, satisfy the level. */
function verifyEventOrder(history: History, rules: Rules, data: unknown): void {
  const order = readEventOrder(history, data);
  if (rules.sessions) verifySessions(history, order.position, true);
  replaySnapshots(history, order.events, rules.axiom === 'snapshot');
  if (rules.realTime !== 'none') verifyRealTimeOfEvents(history, rules.realTime, order.events);
}
