import type { LevelName, VerdictStatus } from 'isolab/check';
import type { LevelVerdict, Verdicts } from './verdicts.ts';

export const MARKS: Readonly<Record<VerdictStatus, string>> = { satisfied: '✓', violated: '✗', unknown: '?' };

/** Style class with the colour of a verdict. */
export const colourOf = (status: VerdictStatus): string =>
  ({ satisfied: 'good', violated: 'bad', unknown: 'warn' })[status];

export interface Headline {
  readonly status: VerdictStatus;
  readonly text: string;
  /** Lines: the deciding checker, the reason, and further facts. */
  readonly detail: string;
}

export function headlineOf(verdicts: Verdicts): Headline {
  const { levels, answer } = verdicts;
  return answer === null ? ofOne(levels[0]!, verdicts) : ofAll(answer, verdicts);
}

function ofOne({ level, status, by, checker, why }: LevelVerdict, { runs, restsOn }: Verdicts): Headline {
  const run = runs.find((one) => one.level === by);
  const through = by === null || by === level ? '' : `, through ${by}`;
  const decided =
    status === 'unknown' || run === undefined ? '' : `Decided by ${checker} in ${time(run.ms)}${through}.`;
  const clocks = status === 'violated' && COMPARES_SNAPSHOTS.includes(level) ? CLOCKS : '';
  return { status, text: `${level} is ${status}`, detail: lines([ended(why), basis(restsOn), decided, clocks]) };
}

function ofAll(
  { kept, notKept, notDecided }: NonNullable<Verdicts['answer']>,
  { runs, restsOn, telling }: Verdicts,
): Headline {
  const deciding = runs.filter(({ status }) => status !== 'unknown');
  const checkers = [...new Set(deciding.map(({ checker }) => checker))].join(', ');
  const spent = runs.reduce((sum, { ms }) => sum + ms, 0);
  const holding = kept === null ? '' : `Kept: ${kept}`;
  const broken = notKept === null ? '' : `Not kept: ${notKept}`;
  return {
    status: broken !== '' ? 'violated' : holding !== '' ? 'satisfied' : 'unknown',
    text: broken || holding || 'No level is decided',
    detail: lines([
      broken === '' ? '' : `${holding || 'No level is known to be kept'}.`,
      basis(restsOn),
      ...notDecided.map((line) => `Not decided: ${ended(line)}`),
      deciding.length === 0 ? '' : `Decided by ${checkers} in ${time(spent)}.`,
      broken !== '' && telling !== null && COMPARES_SNAPSHOTS.includes(telling) ? CLOCKS : '',
    ]),
  };
}

const basis = (restsOn: string | null): string => (restsOn === null ? '' : `The satisfied verdict ${restsOn}.`);

const lines = (texts: readonly string[]): string => texts.filter((text) => text !== '').join('\n');

/** Adds a full stop to a text that is not empty. */
export const ended = (text: string | null): string =>
  text === null || text === '' || /[.!?]$/.test(text) ? (text ?? '') : `${text}.`;

export const time = (ms: number): string =>
  ms < 1000 ? `${ms.toFixed(ms < 10 ? 1 : 0)} ms` : `${(ms / 1000).toFixed(1)} s`;

/** Levels that compare snapshots with real time, which no client's clock measures exactly. */
const COMPARES_SNAPSHOTS: readonly LevelName[] = [
  'generalized-snapshot-isolation',
  'strong-session-snapshot-isolation',
  'strong-snapshot-isolation',
];

const CLOCKS =
  'The generalized and the strong variants of snapshot isolation compare snapshots with real time: if the times are measured by the clients, a network delay may look like a violation.';
