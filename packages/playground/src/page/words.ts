import type { LevelName, VerdictStatus } from '@isolab/contract';
import type { LevelVerdict, Verdicts } from '../verdicts.ts';

export const MARKS: Readonly<Record<VerdictStatus, string>> = { satisfied: '✓', violated: '✗', unknown: '?' };

/** The class that gives a verdict its colour. */
export const colourOf = (status: VerdictStatus): string =>
  ({ satisfied: 'good', violated: 'bad', unknown: 'warn' })[status];

export interface Headline {
  readonly status: VerdictStatus;
  readonly text: string;
  /** Lines: who decided, why, and what else is known. */
  readonly detail: string;
}

export function headlineOf(verdicts: Verdicts): Headline {
  const { levels } = verdicts;
  const [only] = levels;
  return levels.length === 1 && only !== undefined ? ofOne(only, verdicts) : ofAll(verdicts);
}

function ofOne({ level, status, by, checker, why }: LevelVerdict, { runs, restsOn }: Verdicts): Headline {
  const run = runs.find((one) => one.level === by);
  const through = by === null || by === level ? '' : `, through ${by}`;
  const decided =
    status === 'unknown' || run === undefined ? '' : `Decided by ${checker} in ${time(run.ms)}${through}.`;
  const clocks = status === 'violated' && COMPARES_SNAPSHOTS.includes(level) ? CLOCKS : '';
  return { status, text: `${level} is ${status}`, detail: lines([ended(why), basis(restsOn), decided, clocks]) };
}

function ofAll({ levels, strongest, weakestViolated, runs, restsOn }: Verdicts): Headline {
  const unknown = levels.filter(({ status }) => status === 'unknown');
  const deciding = runs.filter(({ status }) => status !== 'unknown');
  const checkers = [...new Set(deciding.map(({ checker }) => checker))].join(', ');
  const spent = runs.reduce((sum, { ms }) => sum + ms, 0);
  const holding = strongest.length === 0 ? '' : `Satisfied: ${strongest.join(', ')}, and every level below`;
  const broken = weakestViolated.length === 0 ? '' : `Violated: ${weakestViolated.join(', ')}, and every level above`;
  return {
    status: broken !== '' ? 'violated' : holding !== '' ? 'satisfied' : 'unknown',
    text: broken || holding || 'Nothing is known of any level',
    detail: lines([
      broken === '' ? '' : `${holding || 'No level is known to hold'}.`,
      basis(restsOn),
      ...[...new Set(unknown.map(({ why }) => why))].map((why) => {
        const of = unknown.filter((one) => one.why === why).map(({ level }) => level);
        return ended(`Unknown: ${of.join(', ')}${why === null ? '' : `: ${why}`}`);
      }),
      deciding.length === 0 ? '' : `Decided by ${checkers} in ${time(spent)}.`,
      weakestViolated.some((level) => COMPARES_SNAPSHOTS.includes(level)) ? CLOCKS : '',
    ]),
  };
}

const basis = (restsOn: string | null): string => (restsOn === null ? '' : `What is satisfied ${restsOn}.`);

const lines = (texts: readonly string[]): string => texts.filter((text) => text !== '').join('\n');

/** With a full stop, if there is anything. */
export const ended = (text: string | null): string =>
  text === null || text === '' || /[.!?]$/.test(text) ? (text ?? '') : `${text}.`;

export const time = (ms: number): string =>
  ms < 1000 ? `${ms.toFixed(ms < 10 ? 1 : 0)} ms` : `${(ms / 1000).toFixed(1)} s`;

/** The levels that compare snapshots with real time, which no client's clock can tell exactly. */
const COMPARES_SNAPSHOTS: readonly LevelName[] = [
  'generalized-snapshot-isolation',
  'strong-session-snapshot-isolation',
  'strong-snapshot-isolation',
];

const CLOCKS =
  'The generalized and the strong variants of snapshot isolation compare snapshots with real time: if the times are those of the clients, what is only the way to the database may look like a violation.';
