import { createReadStream, existsSync } from 'node:fs';
import { once } from 'node:events';
import { type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { WatchStatus } from '../status.ts';
import { metricsOf } from './metrics.ts';
import { PAGE } from './page-text.ts';

export interface PageServer {
  /** Where it is. */
  readonly url: string;
  close(): void;
}

/** Serves the live page at `/`, the status at `/status.json`, metrics at `/metrics`, and the stories of alarms. */
export async function servePage(address: URL, status: () => WatchStatus): Promise<PageServer> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', address);
    const story = /^\/alarms\/(\d+)\/story\.html$/.exec(pathname)?.[1];
    if (pathname === '/') send(response, 'text/html; charset=utf-8', PAGE);
    else if (pathname === '/status.json') send(response, 'application/json', JSON.stringify(status()));
    else if (pathname === '/metrics') send(response, 'text/plain; version=0.0.4', metricsOf(status()));
    else if (story !== undefined) sendStory(response, status(), Number(story));
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
  response.writeHead(200, { 'content-type': type, 'cache-control': 'no-store' }).end(body);
}

function sendStory(response: ServerResponse, { alarms }: WatchStatus, number: number): void {
  const path = alarms.find((alarm) => alarm.number === number)?.files?.story;
  if (path === undefined || !existsSync(path)) {
    response.writeHead(404).end();
    return;
  }
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
  createReadStream(path).pipe(response);
}
