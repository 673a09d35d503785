import { eachLevel } from '@isolab/contract';
import type { ManyStatus } from '../many/status.ts';
import type { WatchStatus } from '../watcher/status.ts';

export function statusLine(status: WatchStatus): string {
  const { openReads, oldestOpenMs, believed, late, unwritten, lateWriters, duplicates } = status;
  const levels = eachLevel(status.levels).map(([level, standing]) => {
    const looked = status.looked[level];
    const isBehind = looked !== undefined && looked < status.kept;
    return `${level} ${standing}${isBehind ? ` in the first ${counted(looked, 'line')}` : ''}`;
  });
  return [
    new Date(status.at).toISOString().slice(11, 19),
    `${whole(status.perSecond)}/s, ${whole(status.transactions)} in all`,
    `lag ${whole(status.lagMs)} ms`,
    counted(status.sessions, 'session'),
    `${whole(status.kept)} kept`,
    ...(openReads > 0
      ? [`${counted(openReads, 'read')} open, the oldest for ${(oldestOpenMs / 1000).toFixed(1)} s`]
      : []),
    ...(believed > 0 ? [`${counted(believed, 'read')} believed`] : []),
    ...(unwritten > 0 ? [`${counted(unwritten, 'read')} of values without a writer within the horizon`] : []),
    ...(lateWriters > 0 ? [`${counted(lateWriters, 'writer')} after the horizon`] : []),
    ...(duplicates > 0 ? [counted(duplicates, 'duplicate line')] : []),
    ...(late > 0 ? [`${whole(late)} late`] : []),
    ...(status.scans > 0 ? [counted(status.scans, 'partly checked scan')] : []),
    `${whole(status.memoryBytes / 1e6)} MB`,
    levels.join(', '),
  ].join('; ');
}

export function manyLine(status: ManyStatus): string {
  const { streams, open, failed, believed, late } = status;
  const levels = eachLevel(status.levels).map(([level, counts]) =>
    [
      `${level} stands in ${whole(counts?.stands ?? 0)}`,
      ...(counts && counts.violated > 0 ? [`violated in ${whole(counts.violated)}`] : []),
      ...(counts && counts.undecided > 0 ? [`undecided in ${whole(counts.undecided)}`] : []),
    ].join(', '),
  );
  return [
    new Date(status.at).toISOString().slice(11, 19),
    `${counted(streams, 'stream')}, ${whole(open)} of them busy${failed > 0 ? `, ${whole(failed)} failed` : ''}`,
    `${whole(status.perSecond)}/s, ${whole(status.transactions)} in all`,
    `lag ${whole(status.lagMs)} ms`,
    `${whole(status.kept)} kept`,
    ...(believed > 0 ? [`${counted(believed, 'read')} believed`] : []),
    ...(late > 0 ? [`${whole(late)} late`] : []),
    `${whole(status.memoryBytes / 1e6)} MB`,
    ...levels,
  ].join('; ');
}

const whole = (number: number): string => Math.round(number).toLocaleString('en-US');

const counted = (number: number, noun: string): string => `${whole(number)} ${noun}${number === 1 ? '' : 's'}`;
