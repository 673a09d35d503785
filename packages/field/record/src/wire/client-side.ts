import type { Hold } from './gate.ts';
import { type Statement, type TextlessStatement, sentText } from './statement.ts';
import {
  type Bind,
  BoundParameters,
  type Parse,
  type Target,
  readBind,
  readExecute,
  readParse,
  readQuery,
  readTarget,
  withHiddenFormats,
} from './client-messages.ts';
import type { Reader, Treatment } from './framer.ts';
import { Client, HEADER } from './message-types.ts';
import type { Prepared, State } from './state.ts';
import type { Text } from './text.ts';

type Plan<S> = readonly S[] | null;

/** Follows the client's packets after its login, and rewrites them according to the log's plans. */
export class ClientSide<S extends Statement> implements Reader {
  readonly #state: State<S>;
  /** Called when the plan that delays all further messages is ready. */
  readonly #resume: () => void;
  readonly #loses: (why: string) => void;
  /** The message whose plan is being made. */
  #planned: Buffer | null = null;

  constructor(state: State<S>, resume: () => void, loses: (why: string) => void) {
    this.#state = state;
    this.#resume = resume;
    this.#loses = loses;
  }

  get isPlanning(): boolean {
    return this.#planned !== null;
  }

  treatment(type: number): Treatment {
    if (this.#planned !== null) return 'wait';
    switch (type) {
      case Client.CopyData:
      case Client.Flush:
      case Client.Terminate:
      case Client.Password:
        return 'pass';
      case Client.FunctionCall:
        // The arguments may be large objects.
        this.#addUnknown('function call', 'a function call');
        return 'pass';
      default:
        return 'take';
    }
  }

  take(type: number, bytes: Buffer, start: number, end: number): boolean {
    switch (type) {
      case Client.Query:
        return this.#query(bytes, start, end);
      case Client.Parse:
        return this.#parse(bytes, start, end);
      case Client.Bind:
        return this.#bind(bytes, start, end);
      case Client.Describe:
        return this.#describe(readTarget(bytes, start, end));
      case Client.Execute:
        return this.#execute(bytes, start, end);
      case Client.Close:
        return this.#close(readTarget(bytes, start, end));
      case Client.Sync:
        this.#state.expectations.add('sync');
        return true;
      default:
        this.#state.expectations.addEndOfData();
        return true;
    }
  }

  loses(why: string): void {
    this.#loses(`the client sent ${why}`);
  }

  /** Releases the message that waits for its plan. */
  passAll(): void {
    if (this.#planned !== null) this.#state.toServer.give(this.#planned);
    this.#planned = null;
  }

  #query(bytes: Buffer, start: number, end: number): boolean {
    const text = readQuery(bytes, start, end);
    if (text === null) {
      this.#addUnknown('query', 'a query string that could not be read');
      return true;
    }
    const hold = this.#state.recording.holds(text.value);
    if (hold !== null) return this.#hold(hold, bytes.subarray(start, end), (later) => this.#planQuery(later, text));
    return this.#planQuery(bytes.subarray(start, end), text);
  }

  #planQuery(message: Buffer, text: Text): boolean {
    const plan = this.#state.recording.plan(text.value, false, this.#state.ask);
    if (!(plan instanceof Promise)) return this.#sendQuery(text, plan);
    return this.#waitFor(plan, Buffer.from(message), (planned) => this.#sendQuery(text, planned));
  }

  #addUnknown(kind: 'query' | 'execute' | 'function call', what: TextlessStatement): void {
    const { recording, expectations } = this.#state;
    expectations.add(kind, expectations.isSkipping ? [] : recording.unknown(what));
  }

  #sendQuery({ encoding }: Text, plan: Plan<S>): boolean {
    const { recording, expectations, toServer } = this.#state;
    const begun = plan === null || expectations.isSkipping ? [] : plan;
    expectations.add(
      'query',
      begun.map((statement) => recording.begin(statement, null)),
    );
    if (plan === null || plan.every(({ added }) => added === null)) return true;
    const text = plan.length === 1 ? sentText(plan[0]!) : plan.map(sentText).join('');
    toServer.message(Client.Query, NO_BYTES, text, encoding, NO_BYTES);
    return false;
  }

  #parse(bytes: Buffer, start: number, end: number): boolean {
    const { expectations, statements, recording } = this.#state;
    const parse = readParse(bytes, start, end);
    const text = parse?.text;
    if (!text) {
      const meaning = parse && statements.set(parse.name, null, expectations.order);
      expectations.add('parse', [], null, meaning);
      return true;
    }
    const hold = recording.holds(text.value);
    if (hold !== null)
      return this.#hold(hold, bytes.subarray(start, end), (later) => this.#planParse(later, parse, text));
    return this.#planParse(bytes.subarray(start, end), parse, text);
  }

  #planParse(message: Buffer, parse: Parse, text: Text): boolean {
    const plan = this.#state.recording.plan(text.value, true, this.#state.ask);
    if (!(plan instanceof Promise)) return this.#sendParse(message, parse, text, plan);
    const copy = Buffer.from(message);
    return this.#waitFor(plan, copy, (planned) => this.#sendParse(copy, parse, text, planned));
  }

  /** Delays this message and all further messages. `treat` returns whether the message passes unchanged. */
  #hold({ until, isAcknowledged }: Hold, bytes: Buffer, treat: (message: Buffer) => boolean): boolean {
    const message = Buffer.from(bytes);
    this.#planned = message;
    this.#state.isAcknowledged = isAcknowledged;
    if (isAcknowledged) this.#state.toClient.give(COMMITTED);
    void until.then(() => {
      if (this.#planned !== message) return;
      this.#planned = null;
      this.#state.isAcknowledged = false;
      this.#state.isMuted = isAcknowledged;
      if (treat(message)) this.#state.toServer.give(message);
      this.#resume();
    });
    return false;
  }

  #sendParse(message: Buffer, { name, textStart, textEnd, types }: Parse, { encoding }: Text, plan: Plan<S>): boolean {
    const { expectations, statements, toServer } = this.#state;
    // Several statements cannot be prepared together: the server reports the error.
    const own = plan?.filter(({ isAdded }) => isAdded !== true);
    const statement = own?.length === 1 ? own[0]! : null;
    const meaning = statements.set(name, statement && { statement, types }, expectations.order);
    expectations.add('parse', [], statement, meaning);
    if (statement === null || statement.added === null) return true;
    const before = message.subarray(HEADER, textStart);
    toServer.message(Client.Parse, before, sentText(statement), encoding, message.subarray(textEnd));
    return false;
  }

  /** Delays all further messages until this message is planned. `send` returns whether the message passes unchanged. */
  #waitFor<T>(plan: Promise<T>, message: Buffer, send: (plan: T) => boolean): boolean {
    this.#planned = message;
    void plan.then((planned) => {
      if (this.#planned !== message) return;
      this.#planned = null;
      if (send(planned)) this.#state.toServer.give(message);
      this.#resume();
    });
    return false;
  }

  #bind(bytes: Buffer, start: number, end: number): boolean {
    const { expectations, statements, portals, recording } = this.#state;
    const bind = readBind(bytes, start, end);
    const prepared = bind && statements.get(bind.statement);
    if (!prepared) {
      const meaning = bind && portals.set(bind.portal, null, expectations.order);
      expectations.add('bind', [], null, meaning);
      return true;
    }
    const hold = recording.holds(prepared.statement.text);
    if (hold !== null)
      return this.#hold(hold, bytes.subarray(start, end), (later) => this.#presentBind(later, prepared));
    return this.#presentBind(bytes.subarray(start, end), prepared);
  }

  #presentBind(bytes: Buffer, prepared: Prepared<S>): boolean {
    const { recording, ask } = this.#state;
    const bind = readBind(bytes, 0, bytes.length)!;
    const { statement } = prepared;
    const present = statement.hidden > 0 ? recording.present(statement, ask) : statement;
    if (!(present instanceof Promise)) return this.#sendBind(bytes, 0, bytes.length, bind, prepared, present);
    const message = Buffer.from(bytes);
    return this.#waitFor(present, message, (now) =>
      this.#sendBind(message, 0, message.length, readBind(message, 0, message.length)!, prepared, now),
    );
  }

  #sendBind(bytes: Buffer, start: number, end: number, bind: Bind, prepared: Prepared<S>, present: S | null): boolean {
    const { expectations, portals, toServer } = this.#state;
    const { statement: before, types } = prepared;
    const statement = present ?? before;
    const values = Buffer.from(bytes.subarray(bind.parametersAt, bind.formatsAt));
    const parameters = new BoundParameters(values, types);
    const meaning = portals.set(bind.portal, { statement, parameters, run: null }, expectations.order);
    expectations.add('bind', [], statement, meaning);
    // Zero formats or one format apply to all columns, including hidden ones.
    if (statement.hidden === 0 || bind.formats < 2) return true;
    toServer.give(withHiddenFormats(bytes, start, end, bind, statement.hidden));
    return false;
  }

  #describe(target: Target | null): boolean {
    const { expectations, statements, portals } = this.#state;
    const portal = target?.isPortal === true ? portals.get(target.name) : null;
    const prepared = target?.isPortal === false ? statements.get(target.name) : null;
    expectations.add('describe', [], portal?.statement ?? prepared?.statement ?? null);
    return true;
  }

  #execute(bytes: Buffer, start: number, end: number): boolean {
    const { expectations, portals, recording, toServer } = this.#state;
    const name = readExecute(bytes, start, end);
    const portal = name === null ? null : portals.get(name);
    if (portal === null || expectations.isSkipping) {
      this.#addUnknown('execute', 'a statement that was not prepared by a message');
      return true;
    }
    const { statement, parameters } = portal;
    if (portal.run === null) portal.run = recording.begin(statement, parameters);
    else recording.resumes(portal.run);
    expectations.add('execute', [portal.run], statement);
    if (!statement.isSilent) return true;
    // The proxy fetches all rows, regardless of the client's limit.
    toServer.pass(bytes, start, end - 4);
    toServer.add(NO_LIMIT);
    return false;
  }

  #close(target: Target | null): boolean {
    const { expectations, statements, portals } = this.#state;
    const names = target?.isPortal === true ? portals : statements;
    const meaning = target && names.set(target.name, null, expectations.order);
    expectations.add('close', [], null, meaning);
    return true;
  }
}

/** CommandComplete and ReadyForQuery outside a transaction. */
const COMMITTED = Buffer.from('C\0\0\0\x0bCOMMIT\0Z\0\0\0\x05I', 'latin1');
const NO_BYTES = Buffer.alloc(0);
const NO_LIMIT = Buffer.alloc(4);
