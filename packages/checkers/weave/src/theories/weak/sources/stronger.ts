/** Looks for the writers of the open reads in an order at prefix consistency, which implies all weak levels. */
import { INITIAL_TXN, type IndexedHistory, type RunContext, defaultsOf } from '@isolab/contract';
import { OpKind, Outcome } from '@isolab/history';
import { contextLike, withinSteps } from '../../../problem/contexts.ts';
import { STRONG_OPTIONS, type StrongOptions } from '../../../problem/options.ts';
import { checkStrongLevel } from '../../../strategy/strong.ts';
import type { Tuning } from '../../../problem/tuning.ts';
import type { OpenReads } from './open-reads.ts';
import { Selection } from './selection.ts';

/** A selection, and the order of the commits. */
export interface StrongSelection {
  readonly selection: Selection;
  readonly roots: Int32Array;
}

/**
 * Returns the writers of the open reads if the history satisfies prefix consistency, which implies all weak levels;
 * null if it does not or if this takes too many steps. A complete order settles many consequences of cycles together.
 */
export function selectionAtPrefix(
  input: IndexedHistory,
  open: OpenReads,
  tuning: Tuning,
  context: RunContext,
): StrongSelection | null {
  const { history, index } = input;
  const most = tuning.prefixSteps * (history.opKind.length + tuning.prefixOperations);
  const events = withinSteps(context, most, (limited) => eventsAtPrefix(input, tuning, limited));
  if (events === null) return null;
  const { opKey, txnStart, opKind } = history;
  const selection = new Selection(history, index, open);
  const latest = new Map<number, number>(); // by key: its last committed writer
  const commits = new Set<number>();
  for (const event of events) {
    const t = event >> 1;
    if (event % 2 === 0) {
      selection.index.outcome[t] = Outcome.Happened;
      for (const read of open.reads.slice(open.start[t], open.start[t + 1]))
        selection.choose(read, latest.get(opKey[read.operations[0]!]) ?? INITIAL_TXN);
      continue;
    }
    commits.add(t);
    for (let op = txnStart[t]; op < txnStart[t + 1]; op++) if (opKind[op] === OpKind.Write) latest.set(opKey[op], t);
  }
  for (let t = 0; t < index.outcome.length; t++) commits.add(t);
  return { selection, roots: Int32Array.from(commits) };
}

/** Returns begins and commits in an order that shows prefix consistency; null if there is none. */
function eventsAtPrefix(input: IndexedHistory, tuning: Tuning, context: RunContext): readonly number[] | null {
  const quiet = contextLike(context, { certify: true, findAll: false, stage() {}, count() {}, progress() {} });
  const verdict = checkStrongLevel(input, { level: 'prefix', options: DEFAULTS, tuning }, quiet);
  const certificate = verdict.status === 'satisfied' ? verdict.certificate : undefined;
  return certificate?.kind === 'event-order' ? certificate.events : null;
}

const DEFAULTS = defaultsOf<StrongOptions>(STRONG_OPTIONS);
