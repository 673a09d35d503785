export { builtInCheckers, checkerNamed, engineChooser } from './checkers.ts';
export { ExitCode } from './exit.ts';
export type { Printer, Style } from './print.ts';
export { run } from './run.ts';
export { type Told, shrunk, storyOf } from './tell.ts';
