// A client for `isolab collect --db "exec:node memory-client.mjs"`: a "database" that is a map of versions in this process,
// with snapshot isolation. It says "sessions":"shared", so that one such process serves all sessions: each request carries
// the number of its session and one of its own, which comes back with the answer. "volatile":true says that no process may be
// killed, because its data end with it.
import { createInterface } from 'node:readline';

const content = new Map(); // key → { value, version }
let version = 0;
const transactions = new Map(); // session → { snapshot, writes }

function commit({ snapshot, writes }) {
  for (const key of writes.keys())
    if (content.get(key)?.version !== snapshot.get(key)?.version) return { aborted: `key ${key} was changed` };
  version++;
  for (const [key, value] of writes) content.set(key, { value, version });
  return {};
}

function answer({ session, hello, prepare, keep, begin, commit: commits, rollback, close, kind, key, value }) {
  if (hello) return { database: 'memory 1.0', data: ['registers', 'lists'], sessions: 'shared', volatile: true };
  if (prepare) {
    if (!keep) content.clear();
    return {};
  }
  if (begin) {
    transactions.set(session, { snapshot: new Map(content), writes: new Map() });
    return {};
  }
  const transaction = transactions.get(session);
  if (commits || rollback || close) transactions.delete(session);
  if (rollback || close) return {};
  if (!transaction) return { lost: 'the session was closed' };
  if (commits) return commit(transaction);
  const { snapshot, writes } = transaction;
  const found = writes.get(key) ?? snapshot.get(key)?.value;
  if (kind === 'read') return { value: found ?? null };
  if (kind === 'read-list') return { value: found ?? [] };
  if (kind === 'write') writes.set(key, value);
  else if (kind === 'append') writes.set(key, [...(found ?? []), value]);
  else return { error: `${kind} is not done here` };
  return {};
}

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  process.stdout.write(`${JSON.stringify({ id: request.id, ...answer(request) })}\n`);
}
