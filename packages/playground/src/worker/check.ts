/** Checks a history as `isolab check` does. The history and its result stay here, for stories. */

import { countKeys, countOperations, countSessions, countTransactions } from '@isolab/history';
import { type CheckResult, type Opened, check as checkHistory, loadChecker } from 'isolab';
import type { Judged, Opened as OpenedAnswer, Progress, Request } from '../protocol.ts';
import { openFiles } from './open.ts';
import { count } from './words.ts';

/** A history with its verdicts. */
export interface Checked {
  readonly input: Opened;
  readonly result: CheckResult;
}

type Say = (answer: Progress | OpenedAnswer | Judged) => void;

export async function check(request: Extract<Request, { readonly kind: 'check' }>, say: Say): Promise<Checked> {
  const progress = (doing: string, done = 0, total = 0): void => say({ kind: 'progress', doing, done, total });
  const { files, format, level, checker } = request;
  const input = await openFiles(files, format, (done, total) => progress('Reading', done, total));
  progress('Indexing');
  say({ kind: 'opened', name: input.name, content: contentOf(input) });
  const result = await checkHistory(input, {
    level,
    ...(checker !== 'auto' && { checker: await loadChecker(checker) }),
    onProgress: ({ level: at, checker: by, stage, done, total }) =>
      progress(`Checking ${at} with ${by}: ${stage}`, done, total),
  });
  say({ kind: 'judged', result });
  return { input, result };
}

function contentOf(input: Opened): string {
  if (input.kind === 'polygraph') {
    const { nodes, edges, constraints } = input.polygraph;
    const parts = [
      count(nodes, 'node'),
      count(edges.length / 2, 'known edge'),
      count(constraints.length / 4, 'constraint'),
    ];
    return `a polygraph: ${parts.join(', ')}`;
  }
  const { history, format } = input;
  const parts = [
    count(countTransactions(history), 'transaction'),
    count(countOperations(history), 'operation'),
    count(countSessions(history), 'session'),
    count(countKeys(history), 'key'),
  ];
  return `${parts.join(', ')}; read as ${format}`;
}
