import { residentMemory } from '../watcher/memory.ts';
import type { WatchStatus } from '../watcher/status.ts';

/** A status and its stream; null if there is only one stream. */
export interface Measured {
  readonly stream: string | null;
  readonly status: WatchStatus;
}

type Figure = readonly [name: string, help: string, of: keyof WatchStatus | ((status: WatchStatus) => number)];

const COUNTERS: readonly Figure[] = [
  ['transactions_total', 'Transactions received', 'transactions'],
  ['settled_total', 'Transactions settled and forgotten', 'settled'],
  ['believed_reads_total', 'Reads of forgotten values, believed without a check', 'believed'],
  ['late_transactions_total', 'Transactions received after the horizon', 'late'],
  ['scans_in_part_total', 'Scans whose returned rows alone were checked', 'scans'],
  ['late_writers_total', 'Writers received after the horizon of their readers', 'lateWriters'],
  ['duplicate_lines_total', 'Duplicate lines that were dropped', 'duplicates'],
  ['alarms_total', 'Violations found', ({ alarms }) => alarms.length],
];
const GAUGES: readonly Figure[] = [
  ['kept_transactions', 'Transactions kept in memory', 'kept'],
  ['open_reads', 'Reads of values that no transaction has written yet', 'openReads'],
  ['unwritten_reads', 'Reads of values that no transaction wrote within the horizon', 'unwritten'],
  ['oldest_open_read_seconds', 'Waiting time of the oldest open read', (status) => status.oldestOpenMs / 1000],
  ['lag_seconds', 'Waiting time of transactions for their judgement', ({ lagMs }) => lagMs / 1000],
  ['sessions', 'Sessions seen', 'sessions'],
  ['keys', 'Keys with a known value', 'keys'],
];

export function metricsOf(measured: readonly Measured[]): string {
  const told =
    (type: string) =>
    ([name, help, of]: Figure): string[] => [
      ...headOf(name, help, type),
      ...measured.map(({ stream, status }) => {
        const value = typeof of === 'function' ? of(status) : status[of];
        return `isolab_watch_${name}${labelsOf(stream)} ${String(value)}`;
      }),
    ];
  const levels = measured.flatMap(({ stream, status }) =>
    Object.entries(status.levels).flatMap(([level, standing]) =>
      ['stands', 'violated', 'undecided'].map(
        (one) => `isolab_watch_level${labelsOf(stream, { level, is: one })} ${standing === one ? 1 : 0}`,
      ),
    ),
  );
  const lines = [
    ...COUNTERS.flatMap(told('counter')),
    ...GAUGES.flatMap(told('gauge')),
    ...headOf('resident_memory_bytes', 'Memory of the process', 'gauge'),
    `isolab_watch_resident_memory_bytes ${residentMemory()}`,
    ...headOf('level', 'Status of a level: stands, violated or undecided', 'gauge'),
    ...levels,
  ];
  return `${lines.join('\n')}\n`;
}

const headOf = (name: string, help: string, type: string): string[] => [
  `# HELP isolab_watch_${name} ${help}.`,
  `# TYPE isolab_watch_${name} ${type}`,
];

function labelsOf(stream: string | null, others: Readonly<Record<string, string>> = {}): string {
  const labels = Object.entries(stream === null ? others : { stream, ...others });
  return labels.length === 0 ? '' : `{${labels.map(([name, value]) => `${name}="${escaped(value)}"`).join(',')}}`;
}

const escaped = (value: string): string =>
  value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
