export { type JudgedRecording, type Promised, type Trouble, judge } from './judgement/judge.ts';
export type { Recorded } from './recording/finish.ts';
export { startRecord } from './recording/record.ts';
export { TREATMENTS } from './sql/followed.ts';
export { reportPage } from './report/page.ts';
