import nodeBuffer from 'node:buffer';
import { expect, test } from 'vitest';
import { Buffer, isUtf8 } from '../src/worker/node/buffer.ts';
import { basename, join } from '../src/worker/node/path.ts';

const bytes = new TextEncoder().encode('zero äöü\none');

test('texts and bytes, as Node has them', () => {
  for (const encoding of ['utf8', 'latin1'] as const) {
    const ascii = bytes.subarray(9);
    const given = encoding === 'utf8' ? bytes : ascii;
    expect(Buffer.from(given).toString(encoding)).toBe(nodeBuffer.Buffer.from(given).toString(encoding));
  }
  expect([...Buffer.from('äö')]).toEqual([...nodeBuffer.Buffer.from('äö')]);
  expect(Buffer.from(bytes.subarray(5)).toString()).toBe('äöü\none');
  expect([...Buffer.from(bytes.buffer, 2, 3)]).toEqual([...bytes.subarray(2, 5)]);
});

test('the stand-in for Buffer finds bytes and texts, as Node does', () => {
  const ours = Buffer.from(bytes);
  const theirs = nodeBuffer.Buffer.from(bytes);
  for (const wanted of ['o', 'one', 'öü', 'ones', 10, 200] as const) {
    for (const from of [0, 4, 9]) expect(ours.indexOf(wanted, from)).toBe(theirs.indexOf(wanted, from));
  }
});

test('the stand-in for Buffer puts pieces together', () => {
  expect(Buffer.concat([bytes, bytes]).toString()).toBe('zero äöü\nonezero äöü\none');
  expect(Buffer.concat([]).length).toBe(0);
});

test('the stand-in for Buffer knows UTF-8', () => {
  expect(isUtf8(bytes)).toBe(true);
  expect(isUtf8(Uint8Array.of(0x61, 0xff))).toBe(false);
});

test('paths of files in a directory', () => {
  expect(basename(join('logs', 'T10.log'))).toBe('T10.log');
  expect(basename('T10.log')).toBe('T10.log');
});
