import { startMysqlRecord } from './mysql/record.ts';
import { type RecordOptions, type RunningRecord, startPostgresRecord } from './recording/record.ts';

/** Records the statements of a database's clients: a PostgreSQL, or a MariaDB at an address `mariadb://…` or `mysql://…`. */
export const startRecord = (options: RecordOptions): Promise<RunningRecord> =>
  /^(mysql|mariadb):\/\//.test(options.upstream) ? startMysqlRecord(options) : startPostgresRecord(options);
