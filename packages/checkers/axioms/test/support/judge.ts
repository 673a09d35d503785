import type { SatisfiedCertificate, Verdict, ViolationCertificate } from '@isolab/contract';
import type { History } from '@isolab/history';
import type { LevelDefinition } from '@isolab/levels';
import { inputFor, observeForTest } from '@isolab/testkit';
import { axioms } from '../../src/index.ts';

export interface Decided {
  /** The history as the checker, and its certificates, see it. */
  readonly history: History;
  readonly verdict: Verdict;
  readonly certificate: SatisfiedCertificate | ViolationCertificate | undefined;
}

/** The verdict about a history at a level that need not be one of isolab. */
export async function decideAt(
  given: History,
  level: LevelDefinition,
  maxSteps = 5_000_000,
  checker = axioms,
): Promise<Decided> {
  const input = inputFor(checker, given);
  const { verdict } = await observeForTest(
    checker,
    { ...input, kind: 'definition', definition: level },
    level.name as 'serializable',
    {
      certify: true,
      maxSteps,
    },
  );
  const certificate =
    verdict.status === 'violated'
      ? verdict.anomalies[0]!.certificate
      : verdict.status === 'satisfied'
        ? verdict.certificate
        : undefined;
  return { history: input.history, verdict, certificate };
}
