export { weave, weave as default } from './weave.ts';
