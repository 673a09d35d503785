export { closureOnDevice } from './closure.ts';
export { type GraphicsDevice, openDevice } from './device.ts';
