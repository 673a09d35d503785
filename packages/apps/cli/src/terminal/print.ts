import process from 'node:process';
import { visibleLine, visibleText } from 'isolab/skin';
import type { FromCommand, Parts } from './messages.ts';
import { type OnLost, streamWriter } from './stream-writer.ts';

/** Output of a command: results on standard output, everything else on standard error; and the handling of its end. */
export interface Printer {
  out(text: string): void;
  note(text: string): void;
  readonly style: Style;
  /** Records a verdict as an exit code as soon as it is known: it counts however the program ends. */
  judged(code: number): void;
  /** Runs a task that ends soon after the signal and returns its result so far; any other work is ended immediately. */
  interruptible<T>(task: (interrupted: AbortSignal) => Promise<T>): Promise<T>;
  /** After this call, the first signal ends the present task regularly, and only a second signal ends the program. */
  takesItsTime?(): void;
  /** Sets the text to print if the program is cut off between several parts. */
  inParts(parts: Parts): PartsDone;
}

/** Progress of work in several parts. */
export interface PartsDone {
  /**
   * Completes the next part. If the program is cut off, `out` is printed for the part, unless the part itself has
   * printed its text, and each of `files` is written.
   */
  next(out?: string, files?: readonly string[]): void;
  /** Ends the parts: all of them are complete, or have failed. */
  over(): void;
}

export type Style = Readonly<Record<'bold' | 'dim' | 'red' | 'green' | 'yellow', (text: string) => string>>;

const CODES = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], yellow: [33, 39] } as const;

const styleOf = (coloured: boolean): Style =>
  Object.fromEntries(
    Object.entries(CODES).map(([name, [on, off]]) => [
      name,
      (text: string) => (coloured ? `\u001B[${on}m${text}\u001B[${off}m` : text),
    ]),
  ) as Style;

export const PLAIN: Style = styleOf(false);

/**
 * Filters output to terminals and job logs: only isolab's own styles can control a terminal, and no line can be a
 * command to a job. Arguments with line breaks cannot begin a line when they are repeated.
 */
export function gated(printer: Printer, words: readonly string[]): Printer {
  const broken = words.filter((word) => word.includes('\n') && word.trim() !== '');
  const isColoured = printer.style.bold('') !== '';
  const gate = (text: string): string => {
    const whole = broken.reduce((rest, word) => rest.replaceAll(word, visibleLine(word)), text);
    if (!isColoured) return visibleText(whole);
    // Parts with odd indices are isolab's own styles.
    return whole
      .split(OUR_STYLES)
      .map((part, i) => (i % 2 === 1 ? part : visibleText(part)))
      .join('');
  };
  return {
    ...printer,
    out: (text) => printer.out(gate(text)),
    note: (text) => printer.note(gate(text)),
    inParts: (parts) => {
      const missing = parts.missing.map(({ name, out }) => ({ name: visibleLine(name), out: gate(out) }));
      const done = printer.inParts({ ...parts, missing });
      return { ...done, next: (out = '', files = []) => done.next(gate(out), files) };
    },
  };
}

// oxlint-disable-next-line no-control-regex -- styles begin with one
const OUR_STYLES = /(\u001B\[(?:1|2|22|31|32|33|39)m)/;

/** Printer to the two streams of the program, with their errors. */
export interface Terminal extends Pick<Printer, 'out' | 'note' | 'style'> {
  /** Waits until everything is written, or cannot be written. */
  flush(): Promise<void>;
}

/** Colours are used only on a terminal, and never with NO_COLOR (https://no-color.org). */
export function terminalPrinter(onLost: OnLost): Terminal {
  const coloured = process.stdout.isTTY === true && !process.env['NO_COLOR'] && process.env['TERM'] !== 'dumb';
  const [out, note] = [
    streamWriter(process.stdout, 'standard output', onLost),
    streamWriter(process.stderr, 'standard error', onLost),
  ];
  return {
    out: (text) => out.write(`${text}\n`),
    note: (text) => note.write(`${text}\n`),
    style: styleOf(coloured),
    flush: async () => {
      await out.flush();
      await note.flush();
    },
  };
}

/** Creates a printer that reports verdicts and progress to main.ts. */
export function tellingPrinter(
  terminal: Pick<Printer, 'out' | 'note' | 'style'>,
  tell: (message: FromCommand) => void,
  interrupted: () => AbortSignal,
): Printer {
  let interruptibles = 0;
  return {
    ...terminal,
    judged: (code) => tell({ kind: 'judged', code }),
    async interruptible(task) {
      if (interruptibles++ === 0) tell({ kind: 'interruptible', is: true });
      try {
        return await task(interrupted());
      } finally {
        if (--interruptibles === 0) tell({ kind: 'interruptible', is: false });
      }
    },
    takesItsTime: () => tell({ kind: 'patient' }),
    inParts(parts) {
      tell({ kind: 'parts', parts });
      return {
        next: (out = '', files = []) => tell({ kind: 'part-done', out, files }),
        over: () => tell({ kind: 'parts', parts: null }),
      };
    },
  };
}

/** JSON on one line; an integer that JavaScript's numbers cannot represent becomes a string of its digits. */
export const toJson = (data: unknown): string =>
  JSON.stringify(data, (_, value: unknown) => {
    if (typeof value !== 'bigint') return value;
    return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : String(value);
  });

/** Formats columns as wide as their widest cell; numbers are aligned to the right, texts are on one line. */
export function table(cells: readonly (readonly (string | number)[])[], indent = '  '): string {
  const rows = cells.map((row) => row.map((cell) => (typeof cell === 'number' ? cell : visibleLine(cell))));
  const width = (column: number): number => Math.max(...rows.map((row) => String(row[column] ?? '').length));
  const widths = Array.from({ length: Math.max(...rows.map((row) => row.length)) }, (_, column) => width(column));
  const line = (row: readonly (string | number)[]): string =>
    row
      .map((cell, column) =>
        typeof cell === 'number' ? String(cell).padStart(widths[column]!) : cell.padEnd(widths[column]!),
      )
      .join('  ');
  return rows.map((row) => `${indent}${line(row)}`.trimEnd()).join('\n');
}

/** `1 read`, `2 reads`. */
export const count = (n: number, noun: string, plural = `${noun}s`): string => `${n} ${n === 1 ? noun : plural}`;

/** Formats a duration, rounded up, in a readable unit. */
export function duration(ms: number): string {
  if (ms < 120_000) return `${Math.ceil(ms / 1000)} s`;
  return ms < 7_200_000 ? `${Math.ceil(ms / 60_000)} min` : `${(ms / 3_600_000).toFixed(1)} h`;
}
