import { blindWrites, cobra, general } from './general.ts';
import { listAppend, rwRegister } from './jepsen.ts';
import { contention, miniTransactions } from './mini-transactions.ts';
import { counters } from './counters.ts';
import { smallbank, voter, wikipedia } from './oltp.ts';
import { ranges } from './ranges.ts';
import { reports } from './reports.ts';
import { rubis } from './rubis.ts';
import { tpcc } from './tpcc.ts';
import { twitter } from './twitter.ts';
import { schedules } from './schedules.ts';
import { bankAudit } from './tables/bank-audit.ts';
import { batch } from './tables/batch.ts';
import { booking } from './tables/booking.ts';
import { doctors } from './tables/doctors.ts';
import { intersecting } from './tables/intersecting.ts';
import { rows } from './tables/rows.ts';
import { withStatements } from './statements.ts';
import type { Workload } from './workload/workload.ts';

/** Registry of all workloads. To add a workload, write its file and name it here. */
export const WORKLOADS: readonly Workload[] = [
  withStatements(general),
  cobra,
  withStatements(blindWrites),
  withStatements(ranges),
  withStatements(reports),
  withStatements(listAppend),
  withStatements(rwRegister),
  withStatements(miniTransactions),
  contention,
  withStatements(counters),
  schedules,
  tpcc,
  rubis,
  twitter,
  smallbank,
  voter,
  wikipedia,
  withStatements(rows),
  withStatements(doctors),
  withStatements(booking),
  withStatements(bankAudit),
  withStatements(intersecting),
  withStatements(batch),
] as unknown as readonly Workload[];

export const findWorkload = (name: string): Workload | null =>
  WORKLOADS.find((workload) => workload.name === name) ?? null;
