import { expect, test } from 'vitest';
import { canDraw } from '../src/index.ts';

test('figures can be drawn where Vega is installed; a fault of it is an error', async () => {
  const failing = (code: string) => () => Promise.reject(Object.assign(new Error('no vega'), { code }));
  expect(await canDraw()).toBe(true);
  expect(await canDraw(failing('ERR_MODULE_NOT_FOUND'))).toBe(false);
  await expect(canDraw(failing('ERR_DLOPEN_FAILED'))).rejects.toThrow('no vega');
});
