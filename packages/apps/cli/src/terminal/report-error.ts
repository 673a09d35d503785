import { isFailedStart, visibleLine, visibleText } from 'isolab/skin';
import { CommanderError } from 'commander';
import { ExitCode, UsageError } from './exit.ts';
import type { Printer } from './print.ts';

/** Reports an error; returns its exit code. */
export function reportError(error: unknown, isVerbose: boolean, printer: Pick<Printer, 'note'>): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? ExitCode.Satisfied : ExitCode.Failed; // commander has printed the reason
  // The reader has closed standard output; main.ts handles that.
  if (isClosedOutput(error)) return ExitCode.Unknown;
  printer.note(`isolab: ${messageOf(error)}`);
  if (isVerbose && error instanceof Error) printer.note(error.stack ?? '');
  return isTimeout(error) ? ExitCode.Unknown : ExitCode.Failed;
}

/** Returns whether a time limit ended before a history was read; nothing is then known about the history. */
export const isTimeout = (error: unknown): boolean => error instanceof Error && error.name === 'ReadingTimeout';

export function messageOf(error: unknown): string {
  const message = `${isTimeout(error) ? 'unknown: ' : ''}${visibleMessage(error)}`;
  return isExpected(error) ? message : `${message} (this is a bug in isolab; please report it)`;
}

/** Indents lines after the first, so that none can be mistaken for a line of isolab's own. */
function visibleMessage(error: unknown): string {
  if (!(error instanceof Error)) return visibleLine(String(error));
  // The problems of a plug-in are a list.
  return error.name === 'RunnerError'
    ? visibleText(error.message).replaceAll(/\n(?! )/g, '\n  ')
    : visibleLine(error.message);
}

/** Returns whether an error has a complete message, or is a system error about a file, such as a missing folder. */
const isExpected = (error: unknown): boolean =>
  error instanceof UsageError ||
  isFailedStart(error) ||
  (error instanceof Error && (EXPECTED.has(error.name) || 'syscall' in error));

/** Errors by name, so that no package is loaded that the command does not need. */
const EXPECTED: ReadonlySet<string> = new Set([
  'FormatError',
  'OutputError',
  'ReadingTimeout',
  'RunnerError',
  'ModelError',
  'OperationError',
  'EventError',
  'PluginError',
  'IllegalHistory',
  'Refusal',
  'ParameterError',
  'CollectorError',
  'EngineError',
  'RecordError',
  'BenchError',
  'RedisError',
  'WatchError',
  'TooLargeError',
  'MissingPackageError',
]);

const isClosedOutput = (error: unknown): boolean =>
  error instanceof Error && error.name === 'OutputError' && (error as NodeJS.ErrnoException).code === 'EPIPE';
