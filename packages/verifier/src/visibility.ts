import { refuse } from './flaw.ts';
import type { RawFacts } from './raw-facts.ts';
import type { Rules } from './rules.ts';
import type { Step } from './step.ts';

/** Refuses unless edges, which are verified already, make `seen` visible to the reader as the level asks. */
export function requireVisibility(facts: RawFacts, rules: Rules, visible: unknown, seen: Step, read: number): void {
  const reasons = (visible as readonly { reason: { kind: string; read?: number } }[]).map(({ reason }) => reason);
  const { axiom, level } = rules;
  switch (axiom) {
    case 'read-committed':
    case 'read-committed-dbcop': {
      const [reason] = reasons;
      if (reasons.length > 1 || !READS.has(reason!.kind))
        return refuse(`at ${level}, only an earlier read from it makes a transaction visible`);
      const { opKey } = facts.history;
      const earlier = reason!.read!;
      if (earlier >= read) refuse(`operation ${earlier} is not before operation ${read}`);
      if (axiom === 'read-committed' && opKey[earlier] === opKey[read])
        refuse(`operations ${earlier} and ${read} read the same key, which does not count at ${level}`);
      return;
    }
    case 'read-atomic':
      if (reasons.length > 1 || !DIRECT.has(reasons[0]!.kind))
        refuse(`at ${level}, only one session or read-from edge makes a transaction visible`);
      return;
    case 'causal':
      if (!reasons.every(({ kind }) => DIRECT.has(kind)))
        refuse(`at ${level}, only session and read-from edges make a transaction visible`);
      return;
    case 'prefix':
    case 'snapshot':
      if (seen.leaves !== 'commit' || seen.arrives !== 'begin')
        refuse(
          `the visible edges do not say that the commit of transaction ${seen.from} is before the begin of transaction ${seen.to}`,
        );
      break;
    default: // serial orders: whatever comes before is visible
  }
}

const READS: ReadonlySet<string> = new Set(['read-from', 'assumed-read']);
const DIRECT: ReadonlySet<string> = new Set(['session', 'read-from', 'assumed-read']);
