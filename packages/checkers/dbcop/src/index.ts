export { dbcop } from './dbcop.ts';
export { dbcop as default } from './dbcop.ts';
export type { DbcopLevel } from './levels.ts';
export type { DbcopOptions } from './options.ts';
export { CRITERIA, type WeakestViolated, weakestViolated } from './weakest-violated.ts';
