export { type JudgedRecording, type Promised, type Trouble, judge } from './judge.ts';
export type { Recorded } from './finish.ts';
export { startRecord } from './record.ts';
export { reportPage } from './report/page.ts';
