import { resolve } from 'node:path';
import { type Printer, type Style, run } from '../../src/index.ts';

const plain: Style = { bold: (t) => t, dim: (t) => t, red: (t) => t, green: (t) => t, yellow: (t) => t };

/** Passes on the output line by line; nothing interrupts. */
export const printerTo = (
  out: string[],
  err: string[],
  interrupted: AbortSignal = new AbortController().signal,
): Printer => ({
  out: (text) => void out.push(text),
  note: (text) => void err.push(text),
  style: plain,
  judged: () => {},
  interruptible: (task) => task(interrupted),
  inParts: () => ({ next: () => {}, over: () => {} }),
});

/** One call of the command: its exit code, its output and its notes. */
export async function isolab(
  ...args: readonly string[]
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  const out: string[] = [];
  const err: string[] = [];
  const code = await run(args, printerTo(out, err));
  return { code, out: out.join('\n'), err: err.join('\n') };
}

type Answer = Awaited<ReturnType<typeof isolab>>;

const ROOT = resolve(import.meta.dirname, '../../../../..');

/** An answer for a snapshot: times are N, the temporary folder is FOLDER, and that of the repository ROOT. */
export const shown = ({ code, out, err }: Answer, folder: string): string =>
  [out, ...(err === '' ? [] : ['standard error:', err]), `exit code ${code}`]
    .join('\n')
    .replaceAll(folder, 'FOLDER')
    .replaceAll(ROOT, 'ROOT')
    .replaceAll(/\d+(\.\d+)? (ms|s)\b/g, 'N $2');
