import { type Indexed, weighEvidence } from './evidence.ts';
import { type ChunkedIndex, indexChunks } from './index-chunks.ts';
import { type IndexPart, indexPart } from './resolve-reads.ts';

/** Tasks that other threads perform, by the names that {@link Threads.begin} receives. */
export const TASKS: Readonly<Record<string, (data: never) => unknown>> = {
  index: (part: ChunkedIndex | IndexPart) => ('keys' in part ? indexPart(part) : indexChunks(part)),
  evidence: ({ history, index }: Indexed) => weighEvidence(history, index),
};
