/** Parts of Markdown pages: tables, cells and quantities in words. */
import { visibleLine } from '@isolab/history';

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

export const cell = (text: string): string => visibleLine(text).replaceAll('|', String.raw`\|`);

export const count = (n: number, noun: string, plural = `${noun}s`): string =>
  `${n.toLocaleString('en')} ${n === 1 ? noun : plural}`;

export const time = (seconds: number): string =>
  seconds < 120 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} min`;

interface Amount {
  readonly hunts: number;
  readonly trials: number;
  readonly committed: number;
  readonly seconds: number;
}

export const amountOf = ({ hunts, trials, committed, seconds }: Amount): string =>
  `${count(hunts, 'hunt')}, ${count(trials, 'history', 'histories')} of ${committed.toLocaleString('en')} committed transactions in ${time(seconds)}`;
