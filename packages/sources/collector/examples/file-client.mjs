// A client for `isolab collect --db "exec:node file-client.mjs /tmp/store.json"`: a "database" that is a JSON file, locked
// as long as a transaction lasts. One such process runs for every session; each line of JSON is answered by one line.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';

const path = process.argv[2];
// Who listens at this port has the lock, which the system takes away from a process that is killed.
const port = 20_000 + [...path].reduce((sum, sign) => (31 * sum + sign.charCodeAt(0)) % 10_000, 0);
const lock = createServer();
const isLocked = () =>
  new Promise((resolve) => {
    lock.removeAllListeners().once('error', () => resolve(false));
    lock.listen({ port, host: '127.0.0.1', exclusive: true }, () => resolve(true));
  });
const pause = () => new Promise((resolve) => setTimeout(resolve, 1));
let content = null; // what this transaction sees, with its own writes

async function acquire() {
  while (!(await isLocked())) await pause();
}

async function answer(request) {
  if (request.hello) return { database: 'a JSON file', data: ['registers', 'lists'] };
  if (request.prepare) {
    if (!request.keep || !existsSync(path)) writeFileSync(path, '{}');
    return {};
  }
  if (request.begin) {
    await acquire();
    content = JSON.parse(readFileSync(path, 'utf8'));
    return {};
  }
  if (request.commit || request.rollback) {
    if (request.commit) writeFileSync(path, JSON.stringify(content));
    content = null;
    await new Promise((resolve) => lock.close(resolve));
    return {};
  }
  const { kind, key, value } = request;
  if (kind === 'read') return { value: content[key] ?? null };
  if (kind === 'read-list') return { value: content[key] ?? [] };
  if (kind === 'write') content[key] = value;
  else if (kind === 'append') (content[key] ??= []).push(value);
  else return { error: `${kind} is not done here` };
  return {};
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(await answer(JSON.parse(line)))}\n`);
}
