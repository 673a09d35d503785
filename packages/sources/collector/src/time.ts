export { Interrupted, closed, pause, within } from '@isolab/engines';
