/** Checks a history as `isolab check` does. The history and its result stay in this worker, for stories. */

import { countKeys, countOperations, countSessions, countTransactions, plural } from 'isolab/skin';
import {
  check as checkHistory,
  type CheckResult,
  type EngineOptions,
  type LimitOptions,
  loadChecker,
  type Opened,
} from 'isolab/check';
import { findAll } from 'isolab';
import type { Check, EngineAsked, Given, Judged, Limits, Opened as OpenedAnswer, Progress } from './protocol.ts';
import { openFiles } from './open.ts';
import { nameOf } from './own-level.ts';

/** A history with its verdicts, and their budget. */
export interface Checked {
  readonly input: Opened;
  readonly result: CheckResult;
  readonly limits: Limits;
}

type Say = (answer: Progress | OpenedAnswer | Judged) => void;

export async function check({ given, engine, limits, ...asked }: Check, say: Say): Promise<Checked> {
  const level = asked.level === 'all' ? 'all' : nameOf(asked.level);
  const input = await openGiven(given, say);
  const progress = (doing: string, done = 0, total = 0): void => say({ kind: 'progress', doing, done, total });
  const first = await checkHistory(input, {
    ...limitsOf(limits),
    level,
    findAll: asked.findAll,
    ...(await engineOf(engine)),
    onProgress: ({ level: at, checker: by, stage, done, total }) =>
      progress(`Checking ${at} with ${by}: ${stage}`, done, total),
  });
  const isMore = asked.findAll && first.verdict === 'violated' && input.kind === 'history';
  const onRound = (round: number): void => progress(`Searching for further anomalies: round ${round}`);
  const result = isMore ? await findAll(input, first, { ...limitsOf(limits), onRound }) : first;
  say({ kind: 'judged', result });
  return { input, result, limits };
}

/** Opens the input of the page, and reports its kind. */
export async function openGiven(given: Given, say: (answer: Progress | OpenedAnswer) => void): Promise<Opened> {
  const progress = (doing: string, done: number, total: number): void => say({ kind: 'progress', doing, done, total });
  const input = await openFiles(given, (done, total) => progress('Reading', done, total));
  progress('Indexing', 0, 0);
  say({ kind: 'opened', name: input.name, content: contentOf(input) });
  return input;
}

/** The page has only one worker thread, and no memory limit. */
export const limitsOf = ({ timeMs, steps, allowVacuous, allowCutOff }: Limits): LimitOptions => ({
  place: 'thread',
  ...(timeMs !== null && { timeMs }),
  ...(steps !== null && { steps }),
  allowVacuous,
  allowCutOff,
});

async function engineOf({ checker, variant, options }: EngineAsked): Promise<EngineOptions> {
  if (checker === 'auto') return {};
  return {
    checker: await loadChecker(checker),
    ...(variant !== null && { variant }),
    ...(Object.keys(options).length > 0 && { options }),
  };
}

function contentOf(input: Opened): string {
  if (input.kind === 'polygraph') {
    const { nodes, edges, constraints } = input.polygraph;
    const parts = [
      plural(nodes, 'node'),
      plural(edges.length / 2, 'known edge'),
      plural(constraints.length / 4, 'constraint'),
    ];
    return `a polygraph: ${parts.join(', ')}`;
  }
  const { history, format } = input;
  const parts = [
    plural(countTransactions(history), 'transaction'),
    plural(countOperations(history), 'operation'),
    plural(countSessions(history), 'session'),
    plural(countKeys(history), 'key'),
  ];
  return `${parts.join(', ')}; read as ${format}`;
}
