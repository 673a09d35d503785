import { type Document, type OpenOptions, readDocumentAt } from '@isolab/formats';
import { type History, foldInitialTransaction, computeStatistics } from '@isolab/history';
import process from 'node:process';
import { UsageError } from './exit.ts';

/** The options that all commands that read a history share. */
export interface InputFlags {
  readonly format?: string;
  readonly failedStatements: string;
  readonly initialTransaction: string;
}

/** Reads a path as its flags say, with progress on standard error where somebody looks and it takes long. */
export async function openDocument(path: string, flags: InputFlags): Promise<Document> {
  const progress = progressLine(path);
  try {
    const document = await readDocumentAt(path, { ...readOptions(flags), onProgress: progress.show });
    if (document.kind === 'polygraph' || flags.initialTransaction === 'ordinary') return document;
    return { ...document, history: foldInitial(document.history) };
  } finally {
    progress.clear();
  }
}

function readOptions({ format, failedStatements }: InputFlags): OpenOptions {
  if (failedStatements !== 'published' && failedStatements !== 'rollback') {
    throw new UsageError(`--failed-statements is published or rollback, not ${failedStatements}.`);
  }
  return { failedStatements, ...(format !== undefined && format !== 'auto' && { format }) };
}

function foldInitial(history: History): History {
  const { initialTransaction } = computeStatistics(history);
  return initialTransaction === null ? history : foldInitialTransaction(history, initialTransaction).history;
}

function progressLine(path: string): { show: (done: number, total: number) => void; clear: () => void } {
  const begin = Date.now();
  let shown = 0;
  return {
    show: (done, total) => {
      const now = Date.now();
      if (!process.stderr.isTTY || now - begin < QUIET_MS || now - shown < EVERY_MS) return;
      shown = now;
      const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`;
      process.stderr.write(
        `\r\u001B[Kreading ${path}: ${megabytes(done)}${total > 0 ? ` of ${megabytes(total)}` : ''}`,
      );
    },
    clear: () => {
      if (shown > 0) process.stderr.write('\r\u001B[K');
    },
  };
}

const QUIET_MS = 500;
const EVERY_MS = 100;
