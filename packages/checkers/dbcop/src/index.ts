export { dbcop } from './dbcop.ts';
export { dbcop as default } from './dbcop.ts';
export type { DbcopOptions } from './options.ts';
