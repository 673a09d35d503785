/** Outcomes of the runs of a command for one prediction. */
import type { Actor } from './actors.ts';
import type { Deviation } from './play.ts';
import type { Part, Plan } from './schedule.ts';

/** Outcome of the runs or replays of a prediction. */
export type Confirmation =
  /** Some trials violate the stronger level, too. */
  | {
      readonly outcome: 'happened';
      readonly times: number;
      readonly trials: number;
      readonly database: string;
      readonly how?: string;
    }
  /** In each trial, the database refused a statement or a commit, or its transactions waited for each other. */
  | { readonly outcome: 'prevented'; readonly by: string; readonly trials: number; readonly database: string }
  | {
      readonly outcome: 'did not come about';
      readonly trials: number;
      readonly database: string;
      readonly why?: string;
    }
  /** Nothing was replayed, for this reason. */
  | { readonly outcome: 'not replayed'; readonly why: string };

/** The reason why a run shows no violation. */
export type Reason =
  | { readonly kind: 'prevented'; readonly by: string }
  /** Another run of the same plan would not differ. */
  | { readonly kind: 'absent' | 'other values' | 'error'; readonly why: string }
  | { readonly kind: 'none' };

/** Errors by which PostgreSQL and MariaDB refuse transactions that meet others, or rows that they may not write. */
const PREVENTING = new Set([
  '40001',
  '40P01',
  '55P03',
  '23505',
  '23P01',
  '23514',
  '1213',
  '1205',
  '1020',
  '1062',
  '4025',
]);

const lineOf = ({ match }: Part): string => `the transaction of line ${match.recorded.line}`;

export function reasonOf(
  plan: Plan,
  actors: ReadonlyMap<Part, Actor>,
  deviations: readonly Deviation[],
  hasOtherValues: boolean,
): Reason {
  if (hasOtherValues)
    return {
      kind: 'other values',
      why: `${linesOf(plan, true)} read other values than recorded, so the command might have continued otherwise`,
    };
  const nameOf = (actor: Actor): string => lineOf(plan.parts.find((part) => actors.get(part) === actor)!);
  const [first] = deviations;
  if (first?.kind === 'lock') return { kind: 'prevented', by: `${nameOf(first.actor)} waited for a lock` };
  if (first?.kind === 'error')
    return PREVENTING.has(first.code)
      ? { kind: 'prevented', by: `error ${first.code} in ${nameOf(first.actor)}` }
      : { kind: 'error', why: `error ${first.code} ended ${nameOf(first.actor)}` };
  for (const actor of actors.values())
    if (actor.differs !== null)
      return {
        kind: 'prevented',
        by: `the command itself, which read other values: ${nameOf(actor)} continued with "${actor.differs}"`,
      };
  if (first?.kind === 'absent') return { kind: 'absent', why: absence(plan, first, nameOf) };
  if (first?.kind === 'unanswered')
    return { kind: 'absent', why: `a statement of ${nameOf(first.actor)} got no answer` };
  return { kind: 'none' };
}

function absence(
  { parts }: Plan,
  { actor, isOver }: Extract<Deviation, { kind: 'absent' }>,
  nameOf: (actor: Actor) => string,
): string {
  const held = parts[0]!;
  if (nameOf(actor) === lineOf(held)) return `${lineOf(held)} did not recur`;
  return isOver
    ? `the command ended before ${nameOf(actor)}`
    : `the command waits for ${lineOf(held)} before it begins ${nameOf(actor)}`;
}

/** Returns the outcome of runs without a violation. */
export function conclusion(reasons: readonly Reason[], trials: number, database: string): Confirmation {
  for (const reason of reasons)
    if (reason.kind === 'prevented') return { outcome: 'prevented', by: reason.by, trials, database };
  const whys = reasons.flatMap((reason) => ('why' in reason ? [reason.why] : []));
  const why = [...new Set(whys)].join('; ');
  return { outcome: 'did not come about', trials, database, ...(why !== '' && { why }) };
}

/** Returns how a plan delayed the command. */
export function howOf(plan: Plan): string {
  const [first] = plan.parts;
  const others = plan.parts.length === 2 ? lineOf(plan.parts[1]!) : linesOf(plan, false);
  return plan.parts.some(({ isOwn }) => isOwn)
    ? `while ${lineOf(first!)} waited, isolab sent the recorded statements of ${others}`
    : `COMMIT of ${lineOf(first!)} waited for ${others}`;
}

function linesOf({ parts }: Plan, areOwn: boolean): string {
  const lines = parts.filter((part, i) => (areOwn ? part.isOwn : i > 0)).map(({ match }) => match.recorded.line);
  return lines.length === 1 ? `the transaction of line ${lines[0]}` : `the transactions of lines ${lines.join(', ')}`;
}
