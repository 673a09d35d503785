import type { WatchStatus } from '../status.ts';

/** The status in the text format of Prometheus. */
export function metricsOf(status: WatchStatus): string {
  const counters: [name: string, help: string, value: number][] = [
    ['transactions_total', 'Transactions that came', status.transactions],
    ['settled_total', 'Transactions that are settled and forgotten', status.settled],
    ['believed_reads_total', 'Reads of what was forgotten, which were believed', status.believed],
    ['late_transactions_total', 'Transactions that came after the horizon', status.late],
    ['alarms_total', 'Violations that were found', status.alarms.length],
  ];
  const gauges: [name: string, help: string, value: number][] = [
    ['kept_transactions', 'Transactions that are kept in memory', status.kept],
    ['open_reads', 'Reads of what nobody has written yet', status.openReads],
    ['oldest_open_read_seconds', 'How long the oldest open read has waited', status.oldestOpenMs / 1000],
    ['lag_seconds', 'How long transactions waited for their judgement', status.lagMs / 1000],
    ['sessions', 'Sessions that were seen', status.sessions],
    ['keys', 'Keys of which a value is known', status.keys],
    ['resident_memory_bytes', 'Memory of the process', status.memoryBytes],
  ];
  const told =
    (type: string) =>
    ([name, help, value]: [string, string, number]) =>
      `# HELP isolab_watch_${name} ${help}.\n# TYPE isolab_watch_${name} ${type}\nisolab_watch_${name} ${value}\n`;
  const levels = Object.entries(status.levels).flatMap(([level, standing]) =>
    ['stands', 'violated', 'undecided'].map(
      (one) => `isolab_watch_level{level="${level}",is="${one}"} ${standing === one ? 1 : 0}\n`,
    ),
  );
  return [
    ...counters.map(told('counter')),
    ...gauges.map(told('gauge')),
    '# HELP isolab_watch_level Whether a level stands, is violated, or is undecided.\n# TYPE isolab_watch_level gauge\n',
    ...levels,
  ].join('');
}
