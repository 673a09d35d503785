/** Paths of newcomers: pages of docs/newcomers, whose commands are run verbatim. */

export interface WayStep {
  readonly command: string;
  /** 0 unless a remark after the command states another code. */
  readonly code: number;
  /** Lines that must be printed in this order; `…` matches any text. */
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

/** First expected line that is missing, in order; null if all are present. A line of `…` alone requires nothing. */
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
