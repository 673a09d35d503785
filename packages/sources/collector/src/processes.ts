export { killGroup, processIdOf } from '@isolab/engines';
