import { type Statement, sentText } from '../statement.ts';
import {
  readBind,
  readExecute,
  readParse,
  readQuery,
  readTarget,
  withHiddenFormats,
  withText,
  withoutLimit,
  writeQuery,
} from './client-messages.ts';
import type { Reader, Treatment } from './framer.ts';
import { Client } from './message-types.ts';
import type { Portal, State } from './state.ts';
import type { Text } from './text.ts';

type Plan<S> = readonly S[] | null;

/** Follows what the client sends once it is let in, and rewrites it as the log plans. */
export class ClientSide<S extends Statement> implements Reader {
  readonly #state: State<S>;
  /** Called when the plan is there that all further messages wait for. */
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
        // Its arguments may be large objects.
        this.#addUnknown('function call', 'a function call');
        return 'pass';
      default:
        return 'take';
    }
  }

  take(type: number, message: Buffer): boolean {
    switch (type) {
      case Client.Query:
        return this.#query(message);
      case Client.Parse:
        return this.#parse(message);
      case Client.Bind:
        return this.#bind(message);
      case Client.Describe:
        return this.#describe(message);
      case Client.Execute:
        return this.#execute(message);
      case Client.Close:
        return this.#close(message);
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

  /** The message that waited for its plan need not wait any longer. */
  passAll(): void {
    if (this.#planned !== null) this.#state.toServer.add(this.#planned);
    this.#planned = null;
  }

  #query(message: Buffer): boolean {
    const text = readQuery(message);
    if (text === null) {
      this.#addUnknown('query', 'a query string that could not be read');
      return true;
    }
    return this.#whenPlanned(message, text, (plan) => this.#sendQuery(text, plan));
  }

  #addUnknown(kind: 'query' | 'execute' | 'function call', what: string): void {
    const { recording, expectations } = this.#state;
    expectations.add(kind, { runs: expectations.isSkipping ? [] : recording.unknown(what) });
  }

  #sendQuery(text: Text, plan: Plan<S>): boolean {
    const { recording, expectations, toServer } = this.#state;
    const begun = plan === null || expectations.isSkipping ? [] : plan;
    const runs = begun.map((statement) => recording.begin(statement, null));
    expectations.add('query', { runs });
    if (plan === null || plan.every(({ added }) => added === null)) return true;
    toServer.add(writeQuery(plan.length === 1 ? sentText(plan[0]!) : plan.map(sentText).join(''), text.encoding));
    return false;
  }

  #parse(message: Buffer): boolean {
    const { expectations, statements } = this.#state;
    const parse = readParse(message);
    const text = parse?.text;
    if (text) return this.#whenPlanned(message, text, (plan) => this.#sendParse(message, parse.name, text, plan));
    const meaning = parse && statements.set(parse.name, null, expectations.order);
    expectations.add('parse', { meaning });
    return true;
  }

  #sendParse(message: Buffer, name: string, text: Text, plan: Plan<S>): boolean {
    const { expectations, statements, toServer } = this.#state;
    // Several statements cannot be prepared together: the server shall say so.
    const own = plan?.filter(({ isAdded }) => isAdded !== true);
    const statement = own?.length === 1 ? own[0]! : null;
    const meaning = statements.set(name, statement, expectations.order);
    expectations.add('parse', { statement, meaning });
    if (statement === null || statement.added === null) return true;
    toServer.add(withText(message, text, sentText(statement)));
    return false;
  }

  /** `send` says whether the message passes unchanged. */
  #whenPlanned(message: Buffer, text: Text, send: (plan: Plan<S>) => boolean): boolean {
    const plan = this.#state.recording.plan(text.value);
    if (!(plan instanceof Promise)) return send(plan);
    this.#planned = message;
    void plan.then((statements) => {
      if (this.#planned !== message) return;
      this.#planned = null;
      if (send(statements)) this.#state.toServer.add(message);
      this.#resume();
    });
    return false;
  }

  #bind(message: Buffer): boolean {
    const { expectations, statements, portals, toServer } = this.#state;
    const bind = readBind(message);
    const statement = bind && statements.get(bind.statement);
    if (!statement) {
      const meaning = bind && portals.set(bind.portal, null, expectations.order);
      expectations.add('bind', { meaning });
      return true;
    }
    const portal: Portal<S> = { statement, parameters: bind.parameters, run: null };
    const meaning = portals.set(bind.portal, portal, expectations.order);
    expectations.add('bind', { statement, meaning });
    const rewritten = withHiddenFormats(message, bind, statement.hidden);
    if (rewritten === message) return true;
    toServer.add(rewritten);
    return false;
  }

  #describe(message: Buffer): boolean {
    const { expectations, statements, portals } = this.#state;
    const target = readTarget(message);
    const portal = target?.isPortal === true ? portals.get(target.name) : null;
    const prepared = target?.isPortal === false ? statements.get(target.name) : null;
    expectations.add('describe', { statement: portal?.statement ?? prepared });
    return true;
  }

  #execute(message: Buffer): boolean {
    const { expectations, portals, recording, toServer } = this.#state;
    const name = readExecute(message);
    const portal = name === null ? null : portals.get(name);
    if (portal === null || expectations.isSkipping) {
      this.#addUnknown('execute', 'a statement that was not prepared by a message');
      return true;
    }
    if (portal.run === null) portal.run = recording.begin(portal.statement, portal.parameters);
    else recording.resumes(portal.run);
    expectations.add('execute', { runs: [portal.run], statement: portal.statement });
    const rewritten = portal.statement.isSilent ? withoutLimit(message) : message;
    if (rewritten === message) return true;
    toServer.add(rewritten);
    return false;
  }

  #close(message: Buffer): boolean {
    const { expectations, statements, portals } = this.#state;
    const target = readTarget(message);
    const names = target?.isPortal === true ? portals : statements;
    const meaning = target && names.set(target.name, null, expectations.order);
    expectations.add('close', { meaning });
    return true;
  }
}
