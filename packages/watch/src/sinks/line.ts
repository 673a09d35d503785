import type { LevelName } from '@isolab/contract';
import type { ManyStatus } from '../many/status.ts';
import type { WatchStatus } from '../status.ts';

/** The status in a line. */
export function statusLine(status: WatchStatus): string {
  const { openReads, oldestOpenMs, believed, late, unwritten, lateWriters, duplicates } = status;
  const levels = Object.entries(status.levels).map(([level, standing]) => {
    const looked = status.looked[level as LevelName];
    const isBehind = looked !== undefined && looked < status.kept;
    return `${level} ${standing}${isBehind ? ` in the first ${whole(looked)} lines` : ''}`;
  });
  return [
    new Date(status.at).toISOString().slice(11, 19),
    `${whole(status.perSecond)}/s, ${whole(status.transactions)} in all`,
    `lag ${whole(status.lagMs)} ms`,
    `${whole(status.sessions)} sessions`,
    `${whole(status.kept)} kept`,
    ...(openReads > 0 ? [`${whole(openReads)} reads open, the oldest for ${(oldestOpenMs / 1000).toFixed(1)} s`] : []),
    ...(believed > 0 ? [`${whole(believed)} reads believed`] : []),
    ...(unwritten > 0 ? [`${whole(unwritten)} reads of what nobody wrote within the horizon`] : []),
    ...(lateWriters > 0 ? [`${whole(lateWriters)} writers later than the horizon`] : []),
    ...(duplicates > 0 ? [`${whole(duplicates)} lines twice`] : []),
    ...(late > 0 ? [`${whole(late)} late`] : []),
    ...(status.scans > 0 ? [`${whole(status.scans)} scans in part`] : []),
    `${whole(status.memoryBytes / 1e6)} MB`,
    levels.join(', '),
  ].join('; ');
}

/** The status of many streams in a line. */
export function manyLine(status: ManyStatus): string {
  const { streams, open, failed, believed, late } = status;
  const levels = Object.entries(status.levels).map(([level, counts]) =>
    [
      `${level} stands in ${whole(counts?.stands ?? 0)}`,
      ...(counts && counts.violated > 0 ? [`violated in ${whole(counts.violated)}`] : []),
      ...(counts && counts.undecided > 0 ? [`undecided in ${whole(counts.undecided)}`] : []),
    ].join(', '),
  );
  return [
    new Date(status.at).toISOString().slice(11, 19),
    `${whole(streams)} streams, ${whole(open)} of them busy${failed > 0 ? `, ${whole(failed)} failed` : ''}`,
    `${whole(status.perSecond)}/s, ${whole(status.transactions)} in all`,
    `lag ${whole(status.lagMs)} ms`,
    `${whole(status.kept)} kept`,
    ...(believed > 0 ? [`${whole(believed)} reads believed`] : []),
    ...(late > 0 ? [`${whole(late)} late`] : []),
    `${whole(status.memoryBytes / 1e6)} MB`,
    ...levels,
  ].join('; ');
}

const whole = (number: number): string => Math.round(number).toLocaleString('en-US');
