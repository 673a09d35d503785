import { onlyKey } from './commit-order.ts';
import { verifyCycle } from './derivation.ts';
import { inside, objectOf, refuse, show } from './flaw.ts';
import { Ground } from './ground.ts';
import { verifyInternal } from './internal.ts';
import { verifyLists } from './lists.ts';
import { verifyProof } from './proof.ts';
import type { RawFacts } from './raw-facts.ts';
import type { Rules } from './rules.ts';
import { verifyUpdates } from './updates.ts';

/** Refuses unless no order that the level admits can contain what the certificate derives. */
export function verifyViolation(facts: RawFacts, rules: Rules, certificate: Readonly<Record<string, unknown>>): void {
  if (certificate['kind'] === 'internal') return verifyInternal(facts, rules, certificate);
  if (rules.axiom === 'cut')
    refuse('cut isolation orders nothing: an internal anomaly is the only evidence against it');
  if (certificate['kind'] === 'lists') return verifyLists(facts, certificate);
  if (certificate['kind'] === 'updates') return verifyUpdates(facts, rules, certificate['reads']);
  if (rules.axiom === 'serial-by-key') refuseSeveralKeys(facts);
  const ground = new Ground(facts, rules);
  return certificate['kind'] === 'proof' ? verifyProof(ground, certificate) : verifyNested(ground, certificate, 0);
}

/** Linearizability is judged key by key, so that nothing follows from what a transaction of several keys is between. */
function refuseSeveralKeys({ history, happened }: RawFacts): void {
  for (let t = 0; t < happened.length; t++) if (happened[t] === 1) onlyKey(history, t);
}

/** A cycle, or a case split of such certificates. */
function verifyNested(ground: Ground, data: unknown, depth: number): void {
  ground.enter(depth);
  const certificate = objectOf(data, 'the certificate');
  switch (certificate['kind']) {
    case 'cycle':
      return verifyCycle(ground, certificate['edges'], depth);
    case 'cases': {
      const { first, second } = ground.writers(certificate, false);
      verifyCase(ground, first, second, certificate['ifFirst'], depth + 1);
      verifyCase(ground, second, first, certificate['ifSecond'], depth + 1);
      return;
    }
    case 'internal':
    case 'lists':
    case 'updates':
      return refuse('a case cannot be an internal certificate: that proves a violation by itself');
    case 'proof':
      return refuse('a case cannot be a proof: a proof makes its own choices');
    default:
      return refuse(`the certificate is of kind ${show(certificate['kind'])}, which is not evidence of a violation`);
  }
}

function verifyCase(ground: Ground, from: number, to: number, data: unknown, depth: number): void {
  ground.assumptions.assumeOrder(from, to);
  inside(
    () => `in the case that transaction ${from} precedes transaction ${to}`,
    () => verifyNested(ground, data, depth),
  );
  ground.assumptions.takeBackOrder(from, to);
}
