/** Sessions without sockets, and the calls of their log. */
import {
  type Parameter,
  type SessionFacts,
  type SessionLog,
  type Statement,
  sentText,
} from '../../src/wire/statement.ts';
import { Session, type SessionOptions } from '../../src/wire/session.ts';
import type { Turn } from './dialogue.ts';
import { all, back } from './messages.ts';

export type Plan = (sql: string) => readonly Statement[] | Promise<readonly Statement[]>;

export const as = (text: string, more: Partial<Statement> = {}): Statement => ({
  text,
  added: null,
  hidden: 0,
  isSilent: false,
  commits: false,
  ...more,
});

/** One statement, sent as it is. */
export const unchanged: Plan = (sql) => [as(sql)];

/** Splits at semicolons. A digit as a comment asks for that many hidden columns, `silent` for a silent statement with one. */
export const rewriting: Plan = (sql) =>
  (sql.match(/[^;]+;?|;/g) ?? []).map((text) => {
    const hidden = /\/\*(\d)\*\//.exec(text)?.[1];
    const isSilent = text.includes('/*silent*/');
    const isRewritten = hidden !== undefined || isSilent;
    const added = isRewritten ? { at: text.length, text: '+' } : null;
    return as(text, { added, hidden: Number(hidden ?? isSilent), isSilent });
  });

const spelled = ({ value, isBinary }: Parameter): string => `${isBinary ? 'binary ' : ''}${value?.toString() ?? null}`;

export class Log implements SessionLog<Statement> {
  readonly events: string[] = [];
  readonly #plan: Plan;
  #count = 0;

  constructor(plan: Plan) {
    this.#plan = plan;
  }

  plan(sql: string): readonly Statement[] | Promise<readonly Statement[]> {
    return this.#plan(sql);
  }

  withoutText(what: string): Statement {
    return as(`(${what})`);
  }

  sends(statement: Statement, parameters: Parameters<SessionLog<Statement>['sends']>[1]) {
    const id = ++this.#count;
    const given = parameters && Array.from({ length: parameters.length }, (_, i) => spelled(parameters.at(i)!));
    this.events.push(`${id} sends ${sentText(statement)}${given ? ` (${given.join(', ')})` : ''}`);
    return {
      row: (hidden: readonly (string | null)[]) => void this.events.push(`${id} row ${hidden.map(String).join(' ')}`),
      suspends: () => void this.events.push(`${id} suspends`),
      resumes: () => void this.events.push(`${id} resumes`),
      complete: (tag: string | null) => void this.events.push(`${id} completes ${tag}`),
      fails: (code: string | null) => void this.events.push(`${id} fails ${code}`),
    };
  }

  ready(status: string): void {
    this.events.push(`ready ${status}`);
  }

  failsToCommit(code: string): void {
    this.events.push(`fails to commit ${code}`);
  }

  closes(why: string): void {
    this.events.push(`closes, ${why}`);
  }
}

export interface Opened {
  readonly log: Log;
  readonly session: Session<Statement>;
  readonly problems: string[];
  readonly facts: SessionFacts[];
  /** Feeds a side, and returns the bytes sent to the other side. */
  client(bytes: Buffer): Buffer;
  server(bytes: Buffer): Buffer;
  /** Bytes that a side is sent before any input. */
  toServer(): Buffer;
  toClient(): Buffer;
}

/** A session before its greeting. */
export function fresh(plan: Plan = unchanged, more: Partial<SessionOptions<Statement>> = {}): Opened {
  const log = new Log(plan);
  const problems: string[] = [];
  const facts: SessionFacts[] = [];
  const session = new Session<Statement>({
    user: 'ann',
    database: 'shop',
    applicationName: null,
    channelBinding: 'as it is',
    settingsQueries: {},
    open(given) {
      facts.push(given);
      return log;
    },
    onProblem: (problem) => void problems.push(problem),
    onProgress: () => {},
    ...more,
  });
  const toServer = (): Buffer => all(...session.toServer.take());
  const toClient = (): Buffer => all(...session.toClient.take());
  return {
    log,
    session,
    problems,
    facts,
    toServer,
    toClient,
    client(bytes) {
      session.client(bytes);
      return toServer();
    },
    server(bytes) {
      session.server(bytes);
      return toClient();
    },
  };
}

export const GREETING = all(back.authenticationOk(), back.keyData(), back.ready());

/** A session whose client is in. */
export function opened(plan: Plan = unchanged, more: Partial<SessionOptions<Statement>> = {}): Opened {
  const session = fresh(plan, more);
  session.server(GREETING);
  return session;
}

export const isBeginning = (part: Buffer, whole: Buffer): boolean =>
  part.length <= whole.length && part.equals(whole.subarray(0, part.length));

/** Returns the bytes that a session sends to both sides of a dialogue that arrives in chunks. */
export function played(session: Opened, turns: readonly Turn[], chunk: () => number) {
  const toClient: Buffer[] = [];
  const toServer: Buffer[] = [];
  for (const { from, bytes } of turns) {
    for (let at = 0; at < bytes.length;) {
      const end = Math.min(bytes.length, at + chunk());
      const part = Buffer.from(bytes.subarray(at, end));
      session.session[from](part);
      part.fill(0xaa); // its owner uses it again
      toServer.push(session.toServer());
      toClient.push(session.toClient());
      at = end;
    }
  }
  return { toClient: all(...toClient), toServer: all(...toServer) };
}
