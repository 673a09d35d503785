/** Statements in logs of databases and tracers, and the dangers of their programs. */
export { type LoggedDangers, dangersInLog } from './logged/logged-programs.ts';
export { LogError, logIn } from './logged/logs.ts';
export { DANGER_TITLES, dangerText, partyNames } from './report/words.ts';
