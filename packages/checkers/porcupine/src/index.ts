export { porcupine, porcupine as default } from './porcupine.ts';
