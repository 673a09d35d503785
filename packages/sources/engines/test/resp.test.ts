import { mkdtempSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Reply, ReplyError, RespClient, parseReply } from '../src/modules/resp.ts';

const replies: readonly (readonly [string, Reply])[] = [
  ['+OK\r\n', 'OK'],
  [':-12\r\n', -12],
  ['$0\r\n\r\n', ''],
  ['$8\r\n12\r\n–5\r\n', '12\r\n–5'], // its length is that of its bytes
  ['$-1\r\n', null],
  ['*-1\r\n', null],
  ['*0\r\n', []],
  ['*3\r\n$1\r\n7\r\n*1\r\n:1\r\n$-1\r\n', ['7', [1], null]],
];

test.each(replies)('the reply %j', (text, expected) => {
  const bytes = Buffer.from(`+before\r\n${text}`);
  expect(parseReply(bytes, '+before\r\n'.length)).toEqual({ reply: expected, end: bytes.length });
  const whole = Buffer.from(text);
  for (let length = 1; length < whole.length; length++) expect(parseReply(whole.subarray(0, length), 0)).toBeNull();
});

test('an error is a reply, and another message is refused', () => {
  const found = parseReply(Buffer.from('-EXECABORT Transaction discarded\r\n'), 0);
  expect(found?.reply).toBeInstanceOf(ReplyError);
  expect(() => parseReply(Buffer.from('HTTP/1.1 400\r\n'), 0)).toThrow('which is not a valid reply');
});

test('a connection that ends fails its present and later requests', async () => {
  const path = join(mkdtempSync(join(tmpdir(), 'isolab-resp-')), 'socket');
  const server = createServer((socket) => socket.on('data', () => socket.end('+PONG\r\n'))).listen(path);
  await new Promise((resolve) => server.once('listening', resolve));
  const client = await RespClient.to(path);
  const [first, second] = await Promise.allSettled([client.ask('PING'), client.ask('PING')]);
  expect(first).toEqual({ status: 'fulfilled', value: 'PONG' });
  expect(second.status).toBe('rejected');
  await expect(client.ask('PING')).rejects.toThrow('closed');
  server.close();
});
