export { type PlumeOptions } from './options.ts';
export { plume, plume as default } from './plume.ts';
