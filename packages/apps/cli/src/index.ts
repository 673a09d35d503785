export type { Printer, Style } from './print.ts';
export { run } from './run.ts';
