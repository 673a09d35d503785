import type { Parameters, Statement } from './statement.ts';
import { Expectations } from './expectations.ts';
import { Names } from './names.ts';
import type { Output } from './output.ts';
import type { Recording, Run } from './recording.ts';

/** A statement with its parameters. */
export interface Portal<S extends Statement> {
  readonly statement: S;
  readonly parameters: Parameters;
  /** The portal's run, from its first Execute on. */
  run: Run<S> | null;
}

/** The state that both sides of a session share. */
export class State<S extends Statement> {
  readonly toServer: Output;
  readonly toClient: Output;
  readonly recording: Recording<S>;
  readonly expectations: Expectations<S>;
  readonly statements = new Names<S>();
  readonly portals = new Names<Portal<S>>();

  constructor(recording: Recording<S>, toServer: Output, toClient: Output) {
    this.recording = recording;
    this.toServer = toServer;
    this.toClient = toClient;
    this.expectations = new Expectations(recording);
  }
}
