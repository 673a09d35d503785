import { CollectorError } from './errors.ts';
import { Proxy } from './proxy.ts';

/** Default ports of address schemes. */
const PORTS: ReadonlyMap<string, number> = new Map([
  ['postgres', 5432],
  ['postgresql', 5432],
  ['mysql', 3306],
  ['mariadb', 3306],
]);

/** Proxies of all nodes, in the order in which their addresses are opened. */
export class Proxies {
  readonly #proxies: Proxy[] = [];

  get nodes(): readonly Proxy[] {
    return this.#proxies;
  }

  /** Returns the address of the node's proxy, or the address unchanged if it cannot be proxied. */
  async through(address: string): Promise<string> {
    const [, scheme, credentials = '', place = '', rest = ''] =
      /^([a-z]+):\/\/((?:[^@/?#]*@)?)([^/?#]*)(.*)$/s.exec(address) ?? [];
    const standard = PORTS.get(scheme ?? '');
    if (standard === undefined) return address;
    const [, bracketed, plain, port] = /^(?:\[([^\]]*)\]|([^:,]*))(?::(\d+))?$/.exec(place) ?? [];
    const host = bracketed ?? plain;
    if (host === undefined || /[?&]host=/.test(rest))
      throw new CollectorError(
        'Faults of the network need an address that names one host, such as postgres://me@host:5432/db.',
      );
    const proxy = await Proxy.to(host === '' ? 'localhost' : decodeURIComponent(host), Number(port ?? standard));
    this.#proxies.push(proxy);
    return `${scheme}://${credentials}127.0.0.1:${proxy.port}${rest}`;
  }

  async close(): Promise<void> {
    await Promise.all(this.#proxies.map((proxy) => proxy.close()));
  }
}
