import { type Style, run } from '../../src/index.ts';

export const plain: Style = { bold: (t) => t, dim: (t) => t, red: (t) => t, green: (t) => t, yellow: (t) => t };

/** One call of the command: its exit code, and what it printed and noted. */
export async function isolab(
  ...args: readonly string[]
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  const out: string[] = [];
  const err: string[] = [];
  const printer = { out: (text: string) => void out.push(text), note: (text: string) => void err.push(text) };
  const code = await run(args, { ...printer, style: plain });
  return { code, out: out.join('\n'), err: err.join('\n') };
}
