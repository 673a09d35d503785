export type { Parameter, Sent, SessionFacts, SessionLog, Statement } from './statement.ts';
