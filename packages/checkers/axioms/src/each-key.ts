import type { CheckerVerdict, EachKeyCertificate, OrderCertificate, RunContext } from '@isolab/contract';
import type { LevelDefinition } from '@isolab/levels';
import { type LevelPart, decide } from './decide.ts';
import { historyOf } from './facts/facts.ts';
import { usersByKey } from './search/instances.ts';

/**
 * Decides whether the history of each single key satisfies a level. Transactions that certainly happened in the whole
 * history happen here, too. Read sources are chosen separately for each key. `all` is the verdict on the axioms of
 * the whole history.
 */
export function decideEachKey(
  part: LevelPart,
  level: LevelDefinition,
  all: CheckerVerdict & { status: 'satisfied' },
  context: RunContext,
): CheckerVerdict {
  const { facts, history, choices } = part;
  const usersOf = usersByKey(history, facts);
  const keys: (readonly [number, OrderCertificate])[] = [];
  context.stage('keys');
  const inKey = {
    certify: context.certify,
    stage: () => {}, // one context for all keys
    tick: (steps: number) => context.tick(steps),
    count: (name: string, amount: number) => context.count(name, amount),
  };
  for (let key = 0; key < facts.keyNames.length; key++) {
    const users = usersOf(key);
    if (users.length === 0) continue;
    const reads = choices.reads.filter(({ read }) => history.opKey[read] === key);
    const ofKey = { ...part, facts: historyOf(facts, key, users), choices: { ...choices, reads }, ofKey: key };
    const verdict = decide(ofKey, level, inKey);
    if (verdict.status !== 'satisfied') return verdict;
    if (verdict.certificate !== undefined) keys.push([key, verdict.certificate as OrderCertificate]);
  }
  if (all.certificate === undefined) return all;
  const certificate: EachKeyCertificate = { kind: 'each-key', all: all.certificate as OrderCertificate, keys };
  return { status: 'satisfied', certificate };
}
