import { request } from 'node:http';

/** A request with any headers, also those that fetch does not set. */
export function asked(
  address: string,
  method: string,
  { path = '/', headers = {}, body = '' }: { path?: string; headers?: Record<string, string>; body?: string },
): Promise<{ readonly status: number; readonly text: string }> {
  const { hostname, port } = new URL(address);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, method, headers }, (response) => {
      let text = '';
      response.on('data', (part) => (text += String(part)));
      response.on('end', () => resolve({ status: response.statusCode!, text }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
