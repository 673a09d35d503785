import { type History, toPlain } from '@isolab/history';
import type pg from 'pg';

/** Makes the database log, in each transaction, all writes to the collector's tables. */
export async function startAudit(client: pg.Client): Promise<void> {
  await client.query(`
    CREATE TABLE isolab_audit (k text, v text);
    CREATE FUNCTION isolab_note() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO isolab_audit VALUES (NEW.k::text, substring(NEW.v::text from '[^,]*$'));
        RETURN NULL;
      END $$;
    CREATE FUNCTION isolab_watch() RETURNS event_trigger LANGUAGE plpgsql AS $$
      DECLARE made record;
      BEGIN
        FOR made IN SELECT object_identity FROM pg_event_trigger_ddl_commands() WHERE object_identity ~ 'isolab_(registers|lists)$' LOOP
          TRUNCATE isolab_audit;
          EXECUTE format('CREATE TRIGGER note AFTER INSERT OR UPDATE ON %s FOR EACH ROW EXECUTE FUNCTION isolab_note()', made.object_identity);
        END LOOP;
      END $$;
    CREATE EVENT TRIGGER isolab_watch ON ddl_command_end WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION isolab_watch();
  `);
}

/** Application name of collectors on the server. */
export const COLLECTORS = 'collector-to-be-killed';

/** Waits until no statement of a killed collector is running. */
export async function quiet(client: pg.Client): Promise<void> {
  for (let waited = 0; waited < MOST_WAITING_MS; waited += STEP_MS) {
    const { rows } = await client.query<{ others: string }>(
      `SELECT count(*) AS others FROM pg_stat_activity WHERE application_name = '${COLLECTORS}'`,
    );
    if (Number(rows[0]!.others) === 0) return;
    await new Promise((resolve) => setTimeout(resolve, STEP_MS));
  }
}

const MOST_WAITING_MS = 10_000;
const STEP_MS = 10;

/** Committed writes, as `key value`. */
export async function committedWrites(client: pg.Client): Promise<Set<string>> {
  const { rows } = await client.query<{ k: string; v: string }>("SELECT k, v FROM isolab_audit WHERE k <> '-1'");
  return new Set(rows.map(({ k, v }) => `${k} ${v}`));
}

/** Writes of a history's transactions, as `key value`, with their outcomes; or a problem with them. */
export function writesIn(history: History): Map<string, string> | string {
  const statusOf = new Map<string, string>();
  for (const { transactions } of toPlain(history).sessions) {
    for (const { status, operations } of transactions) {
      for (const operation of operations) {
        if (operation.kind !== 'write' && operation.kind !== 'append') continue;
        const write = `${String(operation.key)} ${String(operation.value)}`;
        if (statusOf.has(write)) return `the history contains ${write} twice`;
        statusOf.set(write, status);
      }
    }
  }
  return statusOf;
}

/** Finds the first write that the history does not record as committed or of unknown outcome; null if there is none. */
export function lostIn(statusOf: ReadonlyMap<string, string>, writes: Iterable<string>): string | null {
  for (const write of writes) {
    const status = statusOf.get(write);
    if (status !== 'committed' && status !== 'unknown')
      return `the history contains ${write} as ${status ?? 'nothing'}`;
  }
  return null;
}
