import { describe, expect, test } from 'vitest';
import { sourceAddress, sourceIdentity, sourceName } from '../src/index.ts';

describe('the address of a source', () => {
  test.each([
    ['-', { kind: 'standard input' }],
    ['a/b.jsonl', { kind: 'file', path: 'a/b.jsonl' }],
    ['tcp://0.0.0.0:7000', { kind: 'tcp', host: '0.0.0.0', port: 7000 }],
    ['tcp://:7000', { kind: 'tcp', host: '127.0.0.1', port: 7000 }],
    ['tcp://7000', { kind: 'tcp', host: '127.0.0.1', port: 7000 }],
    ['tcp://[::1]:7000', { kind: 'tcp', host: '::1', port: 7000 }],
    ['unix:run/watch.sock', { kind: 'unix', path: 'run/watch.sock' }],
    ['unix:///run/watch.sock', { kind: 'unix', path: '/run/watch.sock' }],
    ['redis://host:6379/orders', { kind: 'redis', url: 'redis://host:6379', name: 'orders' }],
    ['redis://host:6379/2/orders/eu', { kind: 'redis', url: 'redis://host:6379/2', name: 'orders/eu' }],
    ['nats://me:secret@host:4222/orders', { kind: 'nats', url: 'nats://me:secret@host:4222', name: 'orders' }],
    ['kafka://host:9092/shop.orders', { kind: 'kafka', url: 'kafka://host:9092', name: 'shop.orders' }],
    ['rediss://me:secret@host/tenant:*', { kind: 'redis', url: 'rediss://me:secret@host', name: 'tenant:*' }],
  ])('%s', (word, address) => {
    expect(sourceAddress(word)).toEqual(address);
  });

  test.each([
    ['tpc://127.0.0.1:1', 'There is no source tpc://; did you mean tcp? expected a file, -, http://HOST:PORT/'],
    ['https://host:1/', 'There is no source https://; did you mean http?'],
    ['amqp://host:1/queue', 'There is no source amqp://; expected a file'],
    ['kafka://host:1/a/b', 'The source is kafka://host:1/a/b; expected kafka://HOST:PORT/TOPIC.'],
    ['kafka://me:secret@host/orders', 'The source is kafka://…@host/orders; expected kafka://HOST:PORT/TOPIC.'],
    ['http://host/', 'The source is http://host/; expected http://HOST:PORT/.'],
    ['tcp://host', 'The source is tcp://host; expected tcp://HOST:PORT.'],
    ['tcp://host:70000', 'expected tcp://HOST:PORT.'],
    ['unix:', 'The source is unix:; expected unix:PATH.'],
    ['nats://me:secret@host/orders.*', 'The source is nats://…@host/orders.*; expected nats://HOST:PORT/STREAM.'],
    ['redis://me:secret@host:6379', 'The source is redis://…@host:6379; expected redis://HOST:PORT/STREAM.'],
  ])('%s is refused', (word, message) => {
    expect(() => sourceAddress(word)).toThrow(message);
  });

  test.each([
    ['-', 'standard input'],
    ['a/b.jsonl', 'a file'],
    ['tcp://7000', 'tcp://127.0.0.1:7000'],
    ['http://127.0.0.1:7000', 'http://127.0.0.1:7000/'],
    ['redis://me:secret@host:6379/orders', 'redis://host:6379/orders'],
    ['redis://host:6379/2/orders', 'redis://host:6379/2/orders'],
    ['nats://me:secret@host:4222/orders', 'nats://host:4222/orders'],
    ['kafka://host:9092/orders', 'kafka://host:9092/orders'],
  ])('%s distinguishes its stream from others as %s', (word, identity) => {
    expect(sourceIdentity(sourceAddress(word), false)).toBe(identity);
    expect(sourceIdentity(sourceAddress(word), true)).toBe(`${identity}, by stream`);
  });

  test('the address of a source is shown without its password', () => {
    expect(sourceName('redis://me:secret@host/orders')).toBe('redis://…@host/orders');
  });
});
