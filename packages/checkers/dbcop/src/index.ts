export { dbcop, dbcop as default } from './dbcop.ts';
export type { DbcopOptions } from './options.ts';
