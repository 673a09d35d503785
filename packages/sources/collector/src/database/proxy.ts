import { once } from 'node:events';
import { type Server, type Socket, connect, createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** Loopback proxy between clients and one node, which simulates network faults. */
export class Proxy {
  readonly #server: Server;
  readonly #links = new Set<readonly [Socket, Socket]>();
  #delayMs = 0;
  #opened: Promise<void> | null = null; // set while the proxy is shut
  #open = (): void => {};

  private constructor(server: Server) {
    this.#server = server;
  }

  static async to(host: string, port: number): Promise<Proxy> {
    const server = createServer({ allowHalfOpen: true, noDelay: true });
    const proxy = new Proxy(server);
    server.on('connection', (client) => proxy.#link(client, host, port));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as { port: number }).port;
  }

  /** Delays every packet in both directions by `ms`; 0 for no delay. */
  delay(ms: number): void {
    this.#delayMs = ms;
  }

  /** Holds back all data until {@link heal}. */
  shut(): void {
    this.#opened ??= new Promise((resolve) => (this.#open = resolve));
  }

  /** Forwards data again, starting with the data that was held back. */
  heal(): void {
    this.#delayMs = 0;
    this.#opened = null;
    this.#open();
  }

  /** Resets all connections, so that both ends notice. Data that was held back is lost. */
  reset(): void {
    for (const link of this.#links) for (const socket of link) socket.resetAndDestroy();
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const link of this.#links) for (const socket of link) socket.destroy();
    this.heal();
    await closed;
  }

  #link(client: Socket, host: string, port: number): void {
    const server = connect({ host, port, allowHalfOpen: true, noDelay: true });
    const link = [client, server] as const;
    this.#links.add(link);
    for (const socket of link) socket.on('error', () => {}); // both end below
    void Promise.allSettled([this.#pump(client, server), this.#pump(server, client)]).then(() => {
      this.#links.delete(link);
      for (const socket of link) socket.destroy();
    });
  }

  /** Forwards data in order until the end. If one end fails, closes the other. */
  async #pump(from: Socket, to: Socket): Promise<void> {
    try {
      for await (const chunk of from) {
        if (this.#delayMs > 0) await pause(this.#delayMs);
        await this.#opened;
        if (to.destroyed) return;
        if (!to.write(chunk as Buffer)) await Promise.race([once(to, 'drain'), once(to, 'close')]);
      }
      to.end();
    } catch {
      to.destroy();
    }
  }
}
