/** The ways of newcomers: pages of docs/newcomers, whose commands are typed as they stand. */

export interface WayStep {
  readonly command: string;
  /** 0 unless a remark behind the command says otherwise. */
  readonly code: number;
  /** Lines that must be printed in this order; `…` stands for anything. */
  readonly expected: readonly string[];
}

export function stepsOf(page: string): WayStep[] {
  return [...page.matchAll(/^```console\n([\s\S]*?)^```$/gm)].flatMap(([, block]) =>
    block!
      .split(/^\$ /m)
      .slice(1)
      .map((part) => {
        const [line, ...expected] = part.trimEnd().split('\n');
        const [command, remark] = line!.split(' # exits with ', 2) as [string, string?];
        return { command, code: Number(remark ?? 0), expected };
      }),
  );
}

/** The first expected line that is missing, in order; null if all are there. A line of `…` alone asks for nothing. */
export function missingLine(expected: readonly string[], printed: string): string | null {
  let rest = printed.split('\n');
  for (const line of expected) {
    if (line.trim() === '…' || line.trim() === '') continue;
    const pattern = new RegExp(`^${line.split('…').map(escaped).join('.*')}$`);
    const at = rest.findIndex((each) => pattern.test(each.trimEnd()));
    if (at < 0) return line;
    rest = rest.slice(at + 1);
  }
  return null;
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
