import { didYouMean } from '@isolab/contract';
import { withoutPassword } from '@isolab/collector/queue';
import { resolve } from 'node:path';
import { WatchError } from '../stream/errors.ts';

export type SourceAddress =
  | { readonly kind: 'standard input' }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'http'; readonly url: URL }
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number }
  | { readonly kind: 'unix'; readonly path: string }
  /** `name` may be a pattern, such as `tenant:*`. */
  | { readonly kind: 'redis'; readonly url: string; readonly name: string }
  | { readonly kind: 'nats' | 'kafka'; readonly url: string; readonly name: string };

const FORMS: Readonly<Record<string, string>> = {
  http: 'http://HOST:PORT/',
  tcp: 'tcp://HOST:PORT',
  unix: 'unix:PATH',
  redis: 'redis://HOST:PORT/STREAM',
  rediss: 'rediss://HOST:PORT/STREAM',
  nats: 'nats://HOST:PORT/STREAM',
  kafka: 'kafka://HOST:PORT/TOPIC',
};

export function sourceAddress(word: string): SourceAddress {
  if (word === '-') return { kind: 'standard input' };
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(word)?.[1];
  if (word.startsWith('unix:')) return unixAddress(word);
  if (scheme === undefined) return { kind: 'file', path: word };
  if (scheme === 'http') return httpAddress(word);
  if (scheme === 'tcp') return tcpAddress(word);
  if (scheme === 'redis' || scheme === 'rediss') return redisAddress(word);
  if (scheme === 'nats') return natsAddress(word);
  if (scheme === 'kafka') return kafkaAddress(word);
  const near = didYouMean(scheme, Object.keys(FORMS));
  throw new WatchError(
    `There is no source ${scheme}://; ${near}expected a file, -, ${Object.values(FORMS).join(', ')}.`,
  );
}

/**
 * Returns an identity that distinguishes streams of different sources. Files are compared by content, regardless of
 * their paths.
 */
export function sourceIdentity(address: SourceAddress, isByStream: boolean): string {
  return isByStream ? `${identityOf(address)}, by stream` : identityOf(address);
}

function identityOf(address: SourceAddress): string {
  switch (address.kind) {
    case 'file':
      return 'a file';
    case 'http':
      return address.url.href;
    case 'tcp':
      return `tcp://${address.host}:${address.port}`;
    case 'unix':
      return `unix:${resolve(address.path)}`;
    case 'redis': {
      const { host, pathname } = new URL(address.url);
      return `redis://${host}${pathname === '/' ? '' : pathname}/${address.name}`;
    }
    case 'nats':
    case 'kafka':
      return `${address.kind}://${new URL(address.url).host}/${address.name}`;
    default:
      return address.kind;
  }
}

export const sourceName = (word: string): string => (word === '-' ? 'standard input' : withoutPassword(word));

function httpAddress(word: string): SourceAddress {
  const url = URL.canParse(word) ? new URL(word) : null;
  if (url === null || url.port === '') throw wrong(word, 'http');
  return { kind: 'http', url };
}

/** The address is on this machine unless it names another host. */
function tcpAddress(word: string): SourceAddress {
  const [, host, port] = /^tcp:\/\/(?:(\[[^\]]+\]|[^:/]*):)?(\d{1,5})\/?$/.exec(word) ?? [];
  if (port === undefined || Number(port) > 65_535) throw wrong(word, 'tcp');
  return { kind: 'tcp', host: host?.replace(/^\[(.*)\]$/, '$1') || '127.0.0.1', port: Number(port) };
}

function unixAddress(word: string): SourceAddress {
  const path = word.replace(/^unix:(\/\/(?=\/))?/, '');
  if (path === '' || path.startsWith('//')) throw wrong(word, 'unix');
  return { kind: 'unix', path };
}

/**
 * Parses `redis://host:6379/orders`, or an address with a database number before the name:
 * `redis://host:6379/2/orders`.
 */
function redisAddress(word: string): SourceAddress {
  const [, server, database = '', name] = /^(rediss?:\/\/[^/]+)(\/\d+(?=\/))?\/(.+)$/.exec(word) ?? [];
  if (server === undefined || name === undefined || !URL.canParse(server))
    throw wrong(word, word.startsWith('rediss') ? 'rediss' : 'redis');
  return { kind: 'redis', url: `${server}${database}`, name: decoded(name) };
}

/** Parses `nats://host:4222/orders`. A name of a stream has no dots, blanks or wildcards. */
function natsAddress(word: string): SourceAddress {
  const [, url, name] = /^(nats:\/\/[^/]+)\/([^/.*>\s\\%]+)$/.exec(word) ?? [];
  if (url === undefined || name === undefined || !URL.canParse(url)) throw wrong(word, 'nats');
  return { kind: 'nats', url, name };
}

/** Parses `kafka://host:9092/orders`. A name of a topic has letters, digits, dots, underscores and hyphens. */
function kafkaAddress(word: string): SourceAddress {
  const [, url, name] = /^(kafka:\/\/[^/@]+)\/([\w.-]{1,249})$/.exec(word) ?? [];
  if (url === undefined || name === undefined || !URL.canParse(url)) throw wrong(word, 'kafka');
  return { kind: 'kafka', url, name };
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

const wrong = (word: string, scheme: string): WatchError =>
  new WatchError(`The source is ${withoutPassword(word)}; expected ${FORMS[scheme]}.`);
