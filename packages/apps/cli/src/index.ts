export type { Printer, Style } from './terminal/print.ts';
export { run } from './run.ts';
