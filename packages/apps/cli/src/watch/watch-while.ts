import { visibleLine } from 'isolab/skin';
import type { Beside, WatchOutcome } from '@isolab/watch';
import { existsSync } from 'node:fs';
import type { FORCE, FlagsIn, WATCHING } from '../terminal/options.ts';
import { ExitCode, UsageError } from '../terminal/exit.ts';
import type { Printer } from '../terminal/print.ts';
import { alarmLine, pageAddress, watchedLevels } from './watching.ts';

/** Flags of a history-writing command about watching its output. */
type WatchWhileFlags = FlagsIn<typeof WATCHING | readonly [typeof FORCE]> & { readonly resume?: boolean };

/** A check that runs beside a command that writes a history. */
export interface WatchWhile {
  /** Starts the watch once the file exists; further calls have no effect. */
  begin(): void;
  /** Ends the watch after the last write. Returns null if the check has failed, or there was no file. */
  end(): Promise<WatchOutcome | null>;
}

/** Checks a history while a command writes it. */
export async function watchWhile(
  path: string,
  flags: WatchWhileFlags,
  printer: Printer,
  onViolated: () => void = () => {},
): Promise<WatchWhile> {
  const folder = `${path}.watch`;
  const levels = watchedLevels(flags.watch, printer);
  const page = flags.page === undefined ? null : pageAddress(flags.page).href;
  if (existsSync(folder) && !flags.resume && !flags.force)
    throw new UsageError(`${folder} exists already; --resume continues it, --force starts over.`);
  const { Beside, DEFAULTS, claim, statusLine } = await import('@isolab/watch');
  const claimed = claim({ folder, source: 'a file', way: 'compare' });
  // A collection that is resumed after its end invalidates the earlier end.
  if (!flags.resume || claimed.hasEnded) claimed.clear();
  const note = (text: string): void => printer.note(visibleLine(text));
  let beside: Beside | null = null;
  let over: Promise<WatchOutcome | null> | null = null;
  const begin = (): void => {
    beside ??= new Beside(
      { path, folder, page, options: { ...DEFAULTS, levels }, intervalMs: INTERVAL_MS },
      {
        onAlarm: (alarm) => {
          printer.judged(ExitCode.Violated);
          note(alarmLine(alarm));
          onViolated();
        },
        onNote: note,
        onStatus: (status) => note(statusLine(status)),
        onFailure: (problem) => note(`isolab: the check has ended: ${problem}`),
      },
    );
  };
  const end = (): Promise<WatchOutcome | null> =>
    (over ??= (beside?.finish() ?? Promise.resolve(null)).finally(() => claimed.release()));
  return { begin, end };
}

const INTERVAL_MS = 5000;
