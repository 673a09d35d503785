export { type ProcessId, bootId, isRunning, killGroup, processIdOf } from '@isolab/engines';
