export { chronos, chronos as default } from './chronos.ts';
