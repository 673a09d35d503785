import type {
  Connection,
  DataKind,
  Database,
  Driver,
  Isolation,
  PlainSql,
  ProcessFaults,
} from '../database/database.ts';
import { CollectorError, ConnectionLost } from '../database/errors.ts';
import { CONTROL, Program } from './exec-program.ts';
import { KINDS } from './exec-reply.ts';
import type { Phase } from '../database/outcomes.ts';

/** Levels under isolab's names; the program knows the names of its database. */
const ISOLATIONS: readonly Isolation[] = [
  { name: 'read committed', claims: 'read-committed' },
  { name: 'read atomic', claims: 'read-atomic' },
  { name: 'causal', claims: 'causal' },
  { name: 'repeatable read', claims: 'snapshot-isolation' },
  { name: 'snapshot', claims: 'snapshot-isolation' },
  { name: 'serializable', claims: 'serializable' },
  { name: 'strict serializable', claims: 'strict-serializable' },
];

/** Driver for a user's program, which reads each request and writes each answer as a line of JSON. */
export const exec: Driver = {
  schemes: ['exec'],
  title: 'a program of your own',
  needs: null,
  isolations: ISOLATIONS,
  data: KINDS,
  async open(address, { connectMs }) {
    const command = address.slice('exec:'.length);
    if (command.trim() === '') throw new CollectorError('exec: needs a command, such as exec:"node my-client.js".');
    const control = await started(command, connectMs);
    const { database, data: kinds, volatile } = control.greeting;
    const programs = new SharedProgram(command, connectMs, control);
    let sessions = CONTROL;
    return {
      description: database ?? command,
      ...(kinds && { data: kinds }),
      underWay: () => programs.current.underWay(),
      async prepare(data, keep) {
        await (await programs.running()).order({ prepare: data, keep });
        programs.prepared = data;
      },
      ...(control.isShared && !volatile && { faults: faultsOf(programs) }),
      connect: async (isolation) =>
        programs.current.isShared
          ? sessionOf(await programs.running(), ++sessions, isolation)
          : ownSession(await started(command, connectMs), isolation),
      close: () => programs.current.close(),
    } satisfies Database;
  },
};

const faultsOf = (programs: SharedProgram): ProcessFaults => ({
  nodes: 1,
  kill: () => programs.current.crash(),
  restart: async () => void (await programs.running()),
  pause: async () => programs.current.signal('SIGSTOP'),
  resume: async () => programs.current.signal('SIGCONT'),
});

/** Starts a program and waits for its answer to hello. */
async function started(command: string, connectMs: number): Promise<Program> {
  const program = new Program(command);
  try {
    await program.greet(connectMs);
    return program;
  } catch (error) {
    program.kill();
    throw error;
  }
}

/**
 * The process for all sessions or for the setup. It is restarted after it has ended, but not after an invalid answer.
 */
class SharedProgram {
  readonly #command: string;
  readonly #connectMs: number;
  current: Program;
  #starting: Promise<Program> | null = null;
  /** Kind of data that was prepared, for a process that is started later. */
  prepared: DataKind | null = null;

  constructor(command: string, connectMs: number, program: Program) {
    this.#command = command;
    this.#connectMs = connectMs;
    this.current = program;
  }

  async running(): Promise<Program> {
    const { ended } = this.current;
    if (ended === null) return this.current;
    if (ended instanceof CollectorError) throw ended;
    this.#starting ??= this.#start().finally(() => (this.#starting = null));
    return this.#starting;
  }

  async #start(): Promise<Program> {
    const { isShared } = this.current;
    const program = await started(this.#command, this.#connectMs);
    if (program.isShared !== isShared) {
      program.kill();
      throw new CollectorError(
        'The program’s answer to {"hello":1} differs from that before its restart: it must always have "sessions":"shared", or never.',
      );
    }
    if (this.prepared !== null) await program.order({ prepare: this.prepared, keep: true });
    return (this.current = program);
  }
}

function sessionOf(program: Program, session: number, { name }: Pick<Isolation, 'name'>): Connection {
  let isCut = false;
  const ask = async (request: object, phase?: Phase): Promise<unknown> => {
    if (isCut) throw new ConnectionLost('isolab has closed the session');
    return program.ask(session, request, phase);
  };
  return {
    begin: async () => void (await ask({ begin: name })),
    ask,
    ...(program.greeting.sql && { sql: plainSql(ask, name) }),
    commit: async () => void (await ask({ commit: true }, 'commit')),
    rollback: async () => void (await ask({ rollback: true })),
    underWay: () => program.underWay(session),
    close: async () => void (await ask({ close: true })),
    abandon() {
      isCut = true;
      program.abandon(session);
    },
  };
}

/** Plain SQL of a program, whose transactions begin and end by requests. A statement outside of them commits. */
function plainSql(ask: (request: object, phase?: Phase) => Promise<unknown>, isolation: string): PlainSql {
  let isOpen = false;
  const rowsOf = async (sql: string): Promise<readonly Readonly<Record<string, unknown>>[]> => {
    const rows = await ask({ kind: 'sql', sql });
    const isRow = (one: unknown): one is Record<string, unknown> => typeof one === 'object' && one !== null;
    if (Array.isArray(rows) && rows.every(isRow)) return rows;
    throw new CollectorError(`The program was asked ${sql} and answered no rows; expected {"value":[{"id":1}]}.`);
  };
  const end = async (request: object, phase?: Phase): Promise<[]> => {
    isOpen = false;
    await ask(request, phase);
    return [];
  };
  const send: PlainSql['send'] = async (sql) => {
    if (sql === 'COMMIT') return end({ commit: true }, 'commit');
    if (sql === 'ROLLBACK') return end({ rollback: true });
    if (sql !== 'BEGIN' && isOpen) return rowsOf(sql);
    await ask({ begin: isolation });
    isOpen = sql === 'BEGIN';
    if (isOpen) return [];
    try {
      const rows = await rowsOf(sql);
      await ask({ commit: true }, 'commit');
      return rows;
    } catch (error) {
      await ask({ rollback: true });
      throw error;
    }
  };
  return { begin: 'BEGIN', session: [], send };
}

/** Returns a session with its own program. */
const ownSession = (program: Program, isolation: Pick<Isolation, 'name'>): Connection => ({
  ...sessionOf(program, CONTROL, isolation),
  close: () => program.close(),
  abandon: () => program.kill(),
});
