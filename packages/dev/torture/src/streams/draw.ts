import type { Random } from '@isolab/workloads';

export const END = '{"isolab":"end"}';

/** Draws a header: with one of two initial values, and with or without the promise to mark the end. */
function drawHeader(random: Random): string {
  const initial = random.chance(0.15) ? 5 : 0;
  const promise = random.chance(0.15) ? ',"collected":{}' : '';
  return `{"isolab":"history","version":1,"initial":${initial}${promise}}`;
}

/**
 * Draws a short stream of transactions over two keys and three sessions. Most reads are correct; a few are stale or of
 * a value that no transaction wrote. Streams share keys, sessions and the initial value: treated as one, they are often
 * violated.
 */
function drawLines(random: Random, header: string, number: number): string[] {
  const { initial } = JSON.parse(header) as { initial: number };
  const written: Record<string, number[]> = { x: [initial], y: [initial] };
  let next = 100 * number;
  return Array.from({ length: 1 + random.below(6) }, () => {
    const ops: unknown[] = [];
    for (const key of random.pick([['x'], ['y'], ['x', 'y']])) {
      const values = written[key]!;
      const read = random.chance(0.04) ? 99 : random.chance(0.08) ? random.pick(values) : values.at(-1)!;
      ops.push(['r', key, read]);
      if (random.chance(0.3)) continue;
      values.push(++next);
      ops.push(['w', key, next]);
    }
    return JSON.stringify({ session: random.below(3), ops });
  });
}

/** Draws the text of one stream, or of several whose lines name them. */
export function drawText(random: Random, isByStream: boolean, number: number): string {
  const header = drawHeader(random);
  const end = random.chance(0.5) ? [END] : [];
  if (!isByStream) return textOf([header, ...drawLines(random, header, number), ...end]);
  const waiting = ['a', 'b', ''].slice(random.below(2)).map((stream, i) => {
    const lines = drawLines(random, header, number + i);
    return [...lines, ...(random.chance(0.2) ? [END] : [])].map((line) => named(stream, line));
  });
  const lines: string[] = [];
  while (waiting.some(({ length }) => length > 0)) lines.push(...random.pick(waiting).splice(0, 1));
  return textOf([header, ...lines, ...end]);
}

const named = (stream: string, line: string): string => `{"stream":${JSON.stringify(stream)},${line.slice(1)}`;

export const textOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

/** Moves one transaction of the text to another session. */
export function changed(text: string, random: Random): string {
  const lines = text.split('\n');
  const at = random.pick(lines.flatMap((line, i) => (line.includes('"session"') ? [i] : [])));
  return lines.map((line, i) => (i === at ? line.replace(/"session":\d/, '"session":7') : line)).join('\n');
}
