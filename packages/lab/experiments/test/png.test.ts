import { expect, test } from 'vitest';
import { pngRenderer } from '../src/png.ts';

const SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="10"><rect width="5" height="5" fill="red"/></svg>';

test('the renderer draws a figure as PNG, twice as large', async () => {
  const draw = (await pngRenderer())!;
  const png = Buffer.from(draw(SVG));
  expect(png.subarray(1, 4).toString()).toBe('PNG');
  expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([40, 20]);
});

test('the renderer draws nothing without an installed program, and reports the fault of an installed one', async () => {
  const failing = (code: string) => () => Promise.reject(Object.assign(new Error('no binding'), { code }));
  expect(await pngRenderer(failing('ERR_MODULE_NOT_FOUND'))).toBeNull();
  await expect(pngRenderer(failing('ERR_DLOPEN_FAILED'))).rejects.toThrow('does not work here: no binding');
});
