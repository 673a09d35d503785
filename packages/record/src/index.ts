export type { Involved } from './involved.ts';
export { type JudgeOptions, type Judged, type Promised, type Trouble, PROMISES, judge } from './judge.ts';
export { type RecordOptions, type Recorded, type RunningRecord, startRecord } from './record.ts';
export type { ShapeCount } from './tally.ts';
