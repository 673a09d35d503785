/**
 * Checks a history in the first process, because a second process takes longer to start than the check. Prints
 * nothing before all histories have verdicts; if any is missing at the limit, a second process starts over.
 */
import { ExitCode } from './terminal/exit.ts';
import type { FromCommand } from './terminal/messages.ts';
import { tellingPrinter, terminalPrinter } from './terminal/print.ts';
import { run } from './run.ts';
import { NOT_KEPT } from './terminal/words.ts';

/** Output of a command, in order, and its exit code. */
export interface Done {
  readonly said: readonly (FromCommand | Printed)[];
  readonly code: number;
}

type Printed = { readonly kind: 'out'; readonly text: string } | { readonly kind: 'note'; readonly text: string };

/**
 * Runs `isolab check` without printing; null if no verdict was found within the limits. The time is short enough to
 * ignore Ctrl-C until then.
 */
export async function tryAtOnce(args: readonly string[], limitMs: number): Promise<Done | null> {
  const begin = performance.now();
  const done = await recorded([...args, '--place', 'thread', '--time', `${limitMs}ms`, '--memory', '400MB']);
  // Signals of the meantime are heard now.
  await new Promise((resolve) => setImmediate(resolve));
  // On a busy machine the shrinking of a violation may have been cut short.
  const isTold =
    done.code === ExitCode.Violated || done.said.some((each) => 'text' in each && NOT_KEPT_LINE.test(each.text));
  const mayBeCut = isTold && performance.now() - begin >= limitMs;
  return done.code === ExitCode.Unknown || mayBeCut ? null : done;
}

/** A violated level that was not named does not change the exit code. */
const NOT_KEPT_LINE = new RegExp(String.raw`\b${NOT_KEPT}\b|"violated"`);

/** Runs a command and records its output. */
export async function recorded(args: readonly string[]): Promise<Done> {
  const said: (FromCommand | Printed)[] = [];
  const recorder = {
    out: (text: string): void => void said.push({ kind: 'out', text }),
    note: (text: string): void => void said.push({ kind: 'note', text }),
    style: terminalPrinter(() => {}).style,
  };
  const printer = tellingPrinter(
    recorder,
    (message) => void said.push(message),
    () => new AbortController().signal,
  );
  return { said, code: await run(args, printer) };
}

/** Prints the output of a command and ends the program, as if a second process had run the command. */
export async function deliver({ said, code }: Done, hear: (message: FromCommand) => void): Promise<void> {
  const terminal = terminalPrinter((why, isClosed) => hear({ kind: 'lost', why, isClosed }));
  for (const each of said) {
    if (each.kind === 'out' || each.kind === 'note') terminal[each.kind](each.text);
    else hear(each);
  }
  await terminal.flush();
  hear({ kind: 'done', code });
}
