import { expect, test } from 'vitest';
import { nameOf } from '../../src/gpu/device.ts';

const info = (words: Partial<GPUAdapterInfo>): GPUAdapterInfo =>
  ({ vendor: '', architecture: '', device: '', description: '', ...words }) as GPUAdapterInfo;

test.each([
  [
    { vendor: 'nvidia', device: 'nvidia-h100-80gb-hbm3', description: 'NVIDIA: 580.159.04' },
    'nvidia-h100-80gb-hbm3 (NVIDIA: 580.159.04)',
  ],
  [{ vendor: 'apple', architecture: 'metal-3' }, 'apple metal-3'], // a browser says no more
  [{ vendor: 'intel' }, 'intel'],
  [{}, 'unnamed device'],
])('a device is named by its known properties: %j', (words, name) => {
  expect(nameOf(info(words))).toBe(name);
});
