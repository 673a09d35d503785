export { type DbcopOptions, dbcop } from './dbcop.ts';
export { dbcop as default } from './dbcop.ts';
