export { type MtcOptions, mtc, mtc as default } from './mtc.ts';
