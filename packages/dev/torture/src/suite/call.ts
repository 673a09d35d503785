import { type Printer, run } from '@isolab/cli';

/** Exit code and output of a call of the command. */
export interface Said {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export async function callOf(args: readonly string[], isColoured = false): Promise<Said> {
  const said = { out: '', err: '' };
  const code = await run(args, {
    out: (text) => void (said.out += `${text}\n`),
    note: (text) => void (said.err += `${text}\n`),
    style: isColoured ? COLOURED : PLAIN,
    judged: () => {},
    interruptible: (task) => task(new AbortController().signal),
    inParts: () => ({ next: () => {}, over: () => {} }),
  });
  return { code, ...said };
}

const painted =
  (on: number, off: number) =>
  (text: string): string =>
    `\u001B[${on}m${text}\u001B[${off}m`;
const COLOURED: Printer['style'] = {
  bold: painted(1, 22),
  dim: painted(2, 22),
  red: painted(31, 39),
  green: painted(32, 39),
  yellow: painted(33, 39),
};
const same = (text: string): string => text;
const PLAIN: Printer['style'] = { bold: same, dim: same, red: same, green: same, yellow: same };
