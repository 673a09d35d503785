export { type PlumeOptions } from './options.ts';
export { type Pattern } from './patterns.ts';
export { plume, plume as default } from './plume.ts';
