import { Client } from './message-types.ts';
import type { Output } from './output.ts';

/** A query of the recording on the client's connection. */
export interface Question {
  row: readonly (string | null)[] | null;
  readonly answer: (row: readonly (string | null)[] | null) => void;
}

/** Sends a query whose names spare the client's unnamed statement and portal, which a simple query would remove. */
export function sendQuestion(toServer: Output, sql: string): void {
  toServer.message(Client.Parse, OWN_NAME, sql, 'utf8', NO_TYPES);
  for (const next of AFTER_PARSE) toServer.add(next);
}

const NAME = 'isolab_question';
const OWN_NAME = Buffer.from(`${NAME}\0`);
const NO_TYPES = Buffer.alloc(2);

function message(type: number, body: Buffer): Buffer {
  const header = Buffer.alloc(5);
  header[0] = type;
  header.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([header, body]);
}

/** Bind without parameters and formats, Execute without a limit, Close of both, Sync. */
const AFTER_PARSE: readonly Buffer[] = [
  message(Client.Bind, Buffer.concat([OWN_NAME, OWN_NAME, Buffer.alloc(6)])),
  message(Client.Execute, Buffer.concat([OWN_NAME, Buffer.alloc(4)])),
  message(Client.Close, Buffer.from(`P${NAME}\0`)),
  message(Client.Close, Buffer.from(`S${NAME}\0`)),
  message(Client.Sync, Buffer.alloc(0)),
];
