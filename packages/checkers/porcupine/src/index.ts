export { checkLinearizable } from './objects.ts';
export { porcupine, porcupine as default } from './porcupine.ts';
