import { type Document, type OpenOptions, readDocumentAt } from '@isolab/formats';
import { type Prepared, prepare, preparePolygraph } from '@isolab/runner';
import { UsageError } from './exit.ts';
import { type LimitFlags, runOptions } from './limits.ts';
import { count } from './print.ts';
import { progressLine } from './progress.ts';

/** The options that all commands that read a history share. */
export interface InputFlags {
  readonly format?: string;
  readonly failedStatements: string;
  readonly initialTransaction: string;
}

/** Reads a path as its flags say, with progress on standard error where somebody looks and it takes long. */
export async function openDocument(path: string, flags: InputFlags & LimitFlags): Promise<Document> {
  const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`;
  const progress = progressLine(
    (done, total) => `reading ${path}: ${megabytes(done)}${total > 0 ? ` of ${megabytes(total)}` : ''}`,
  );
  try {
    const { budget: { timeMs } = {} } = runOptions(flags);
    const limit = timeMs === undefined ? {} : { timeMs };
    return await readDocumentAt(path, { ...readOptions(flags), ...limit, onProgress: progress.show });
  } finally {
    progress.clear();
  }
}

/** The same flags as words of a call; none that say what is so anyway. */
export function readingWords({ format, failedStatements, initialTransaction }: InputFlags): string[] {
  return [
    ...(format === undefined || format === 'auto' ? [] : ['--format', format]),
    ...(failedStatements === 'published' ? [] : ['--failed-statements', failedStatements]),
    ...(initialTransaction === 'stated' ? [] : ['--initial-transaction', initialTransaction]),
  ];
}

function readOptions({ format, failedStatements, initialTransaction }: InputFlags): OpenOptions {
  if (failedStatements !== 'published' && failedStatements !== 'rollback') {
    throw new UsageError(`--failed-statements is published or rollback, not ${failedStatements}.`);
  }
  if (initialTransaction !== 'stated' && initialTransaction !== 'first' && initialTransaction !== 'ordinary') {
    throw new UsageError(`--initial-transaction is stated, first or ordinary, not ${initialTransaction}.`);
  }
  return { failedStatements, initialTransaction, ...(format !== undefined && format !== 'auto' && { format }) };
}

export const preparedFrom = (document: Document): Prepared =>
  document.kind === 'polygraph' ? preparePolygraph(document.polygraph) : prepare(document.history);

/** Opens a history that can be checked, or a polygraph. */
export async function openHistory(path: string, flags: InputFlags): Promise<Document> {
  const document = await openDocument(path, flags);
  if (document.kind === 'polygraph') return document;
  const { history } = document;
  const unmodelled = history.source.notes['unmodelledOperations'] ?? 0;
  if (unmodelled > 0) {
    throw new UsageError(
      `${path} holds ${count(unmodelled, 'operation')} of a kind that isolab does not model, so that no verdict would mean anything.`,
    );
  }
  return document;
}
