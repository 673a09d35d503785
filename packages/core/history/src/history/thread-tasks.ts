import { type Indexed, weighEvidence } from './evidence.ts';
import { indexPart } from './resolve-reads.ts';

/** Tasks that other threads perform, by the names that {@link Threads.begin} receives. */
export const TASKS: Readonly<Record<string, (data: never) => unknown>> = {
  index: indexPart,
  evidence: ({ history, index }: Indexed) => weighEvidence(history, index),
};
