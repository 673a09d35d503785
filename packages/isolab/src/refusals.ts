/**
 * Why a history or a level has no verdict. What the runner and the checkers refuse comes here as the reason and the
 * detail of an unknown verdict; what the library refuses itself, before any checker is asked, is a Refusal.
 */
import type { LevelName, UnknownReason } from '@isolab/contract';
import type { LevelsReport, UnknownVerdict } from '@isolab/runner';
import type { Opened } from './open.ts';

/** A history about which no verdict would mean anything. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly reason = 'not-modelled';
}

/** Why a level is unknown: a word for programs, and a sentence for people. */
export interface Unknown {
  readonly reason: UnknownReason;
  readonly detail: string;
}

/** Throws if the history holds operations that isolab does not model. */
export function refuseUnmodelled(subject: Opened): void {
  if (subject.kind === 'polygraph') return;
  const count = subject.history.source.notes['unmodelledOperations'] ?? 0;
  if (count === 0) return;
  const operations = count === 1 ? '1 operation' : `${count} operations`;
  throw new Refusal(
    `${subject.name} holds ${operations} of a kind that isolab does not model, so that no verdict would mean anything.`,
  );
}

export const unknownOf = ({ reason, detail = reason }: UnknownVerdict): Unknown => ({ reason, detail });

/** Why each of these levels is unknown. */
export const unknownAt = (
  levels: readonly LevelName[],
  { whyUnknown }: Pick<LevelsReport, 'whyUnknown'>,
): Readonly<Partial<Record<LevelName, Unknown>>> =>
  Object.fromEntries(levels.flatMap((level) => (whyUnknown[level] ? [[level, unknownOf(whyUnknown[level])]] : [])));

/** What satisfies a level as far as it was recorded is unknown where the record is not whole. */
export const partial = (level: LevelName, why: string): Unknown => ({
  reason: 'incomplete',
  detail: `${why}, and what was recorded until then satisfies ${level}`,
});
