import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { hostname } from 'node:os';

/**
 * Returns the reason to refuse a request that a page of another site may have made in a browser, through its own host
 * name for this address or across sites; null to accept the request. Clients other than browsers use the address
 * itself, or send no origin.
 */
export function problemOfRequest({ headers }: IncomingMessage, address: URL): string | null {
  const { host, origin } = headers;
  if (host !== undefined && !isOwnHost(host, address))
    return `found the host ${host}, expected an IP address, localhost, the name of this machine, or the name in the address of this server`;
  if (origin !== undefined && origin.toLowerCase() !== `http://${host?.toLowerCase()}`)
    return `found the origin ${origin}, expected none, or that of this server`;
  return null;
}

function isOwnHost(host: string, address: URL): boolean {
  if (!URL.canParse(`http://${host}/`)) return false;
  const { hostname: name } = new URL(`http://${host}/`);
  if (isIP(name.replace(/^\[(.*)\]$/, '$1')) > 0) return true;
  return [address.hostname, hostname().toLowerCase(), 'localhost'].includes(name) || name.endsWith('.localhost');
}
