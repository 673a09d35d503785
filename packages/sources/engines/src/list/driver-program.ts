import type { Engine } from '../engine/engine.ts';

/** Returns a release of a library that a driver program of isolab serves. */
export const throughProgram = (own: Omit<Engine, 'data' | 'runs' | 'options'> & Partial<Engine>): Engine => ({
  data: ['registers', 'lists', 'rows'],
  runs: { kind: 'program', options: [] },
  options: {},
  ...own,
});
