import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { once } from 'node:events';
import { type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ManyStatuses } from '../many/status.ts';
import type { Streams } from '../many/streams.ts';
import type { WatchStatus } from '../watcher/status.ts';
import { problemOfRequest } from '../stream/own-requests.ts';
import { type Measured, metricsOf } from './metrics.ts';
import { PAGE } from './page-text.ts';

export interface PageServer {
  readonly url: string;
  close(): void;
}

export interface Shown {
  status(): object;
  measured(): readonly Measured[];
  /** Returns the status of a stream; null stands for the only stream. */
  of(stream: string | null): WatchStatus | null;
}

export const showOne = (status: () => WatchStatus): Shown => ({
  status,
  measured: () => [{ stream: null, status: status() }],
  of: (stream) => (stream === null ? status() : null),
});

export const showMany = (statuses: ManyStatuses, { all }: Streams): Shown => ({
  status: () => statuses.now(),
  measured: () => [...all.values()].flatMap(({ name, status }) => (status === null ? [] : [{ stream: name, status }])),
  of: (stream) => (stream === null ? null : (all.get(stream)?.status ?? null)),
});

/** Serves the live page at `/`, the status at `/status.json`, metrics at `/metrics`, and the stories of alarms. */
export async function servePage(address: URL, shown: Shown): Promise<PageServer> {
  const server = createServer((request, response) => {
    const foreign = problemOfRequest(request, address);
    if (foreign !== null) return void response.writeHead(403, { 'content-type': 'text/plain' }).end(`${foreign}\n`);
    const target = request.url ?? '/';
    if (!URL.canParse(target, address.href)) return void response.writeHead(400).end();
    const { pathname, searchParams } = new URL(target, address);
    const story = /^\/alarms\/(\d+)\/story\.html$/.exec(pathname)?.[1];
    if (pathname === '/') send(response, 'text/html; charset=utf-8', PAGE);
    else if (pathname === '/status.json') send(response, 'application/json', JSON.stringify(shown.status()));
    else if (pathname === '/metrics') send(response, 'text/plain; version=0.0.4', metricsOf(shown.measured()));
    else if (story !== undefined) sendStory(response, shown.of(searchParams.get('stream')), Number(story));
    else response.writeHead(404).end();
  });
  server.listen(Number(address.port || 0), address.hostname);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${address.hostname}:${port}/`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function send(response: ServerResponse, type: string, body: string): void {
  response.writeHead(200, { ...HEADERS, 'content-type': type }).end(body);
}

function sendStory(response: ServerResponse, status: WatchStatus | null, number: number): void {
  const path = status?.alarms.find((alarm) => alarm.number === number)?.files?.story;
  if (path === undefined || !existsSync(path)) {
    response.writeHead(404).end();
    return;
  }
  // The file has its own policy.
  response.writeHead(200, { 'x-content-type-options': 'nosniff', 'content-type': 'text/html; charset=utf-8' });
  createReadStream(path).pipe(response);
}

const hashOf = (element: string): string => {
  const [, text = ''] = new RegExp(`<${element}>([^]*?)</${element}>`).exec(PAGE) ?? [];
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
};

const POLICY = [
  "default-src 'none'",
  `script-src ${hashOf('script')}`,
  `style-src ${hashOf('style')}`,
  'img-src data:',
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
];

const HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': POLICY.join('; '),
  'x-content-type-options': 'nosniff',
};
