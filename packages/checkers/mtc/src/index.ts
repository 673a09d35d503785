export { mtc, mtc as default } from './mtc.ts';
