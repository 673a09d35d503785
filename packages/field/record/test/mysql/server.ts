import { type RunningEngine, findEngine, startIn } from '@isolab/engines';
import mysql from 'mysql2/promise';

/** The settings that the recorder needs. */
const SETTINGS = {
  log_bin: 'binlog',
  binlog_format: 'ROW',
  binlog_row_image: 'FULL',
  binlog_row_metadata: 'FULL',
  innodb_lock_wait_timeout: '5',
};

/** Starts the MariaDB of this machine. */
export const startMariadb = (): Promise<RunningEngine> => startIn('/', findEngine('mariadb@10.11.19'), SETTINGS);

export const connect = (address: string, options: object = {}): Promise<mysql.Connection> =>
  mysql.createConnection({ uri: address.replace('mariadb:', 'mysql:'), ...options });

/** The address of the proxy in front of a database. */
export function through(address: string, port: number): string {
  const url = new URL(address);
  url.port = String(port);
  return url.href;
}

/** Returns a function whose promise is settled when it was called by a number of callers. */
export function gate(callers: number): () => Promise<void> {
  const waiting: (() => void)[] = [];
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      if (waiting.length === callers) for (const each of waiting) each();
    });
}
