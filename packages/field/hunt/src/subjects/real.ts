/** A database that is reached through drivers: opened at the start, and again after errors. */
import {
  CollectorError,
  type Counts,
  type DataKind,
  type Database,
  type Isolation,
  Proxies,
  collect,
  driverFor,
  isOfNetwork,
  isolationToCollect,
  mixedOf,
  parseLayout,
} from '@isolab/collector';
import { ParameterError, type Workload, findWorkload, resolveParameters } from '@isolab/workloads';
import { workloadNamed } from 'isolab/plugins';
import type { HuntOptions } from '../trials/events.ts';
import { type HuntSettings, faultsOf, levelOf } from '../trials/options.ts';
import { isComparable } from '@isolab/schedules';
import { HUNTED, LAYOUTS, type Region, SQL, spaceOf } from '../draws/space.ts';
import { playInto } from '../trials/results.ts';
import type { Asked, Subject } from './subject.ts';

type Driver = Awaited<ReturnType<typeof driverFor>>;

export class RealDatabase implements Subject {
  readonly isolations: readonly Isolation[];
  space: readonly Region[];
  readonly #drivers: readonly Driver[];
  readonly #settings: HuntSettings;
  readonly #options: HuntOptions;
  readonly #plugin: Workload | null;
  #nodes: Database[] = [];
  #proxies: Proxies | null = null;
  #takesSql = false;
  /** Names of the templates in SQL that were played at each level. */
  readonly #playedAt = new Map<string, Set<string>>();
  /** The database's description of itself, known once it is open. */
  description = '';

  private constructor(
    drivers: readonly Driver[],
    settings: HuntSettings,
    options: HuntOptions,
    plugin: Workload | null,
  ) {
    const driver = drivers[0]!;
    this.#drivers = drivers;
    this.#settings = settings;
    this.#options = options;
    this.isolations = isolationsOf(driver, settings);
    this.#plugin = plugin;
    if (plugin === null && settings.workload !== null && !HUNTED.includes(settings.workload))
      throw new ParameterError(
        `hunt does not support the workload ${settings.workload}; expected one of ${HUNTED.join(', ')}, or the file of a plug-in.`,
      );
    this.#takesSql = settings.workload === SQL; // until the database is open
    this.space = this.#spaceOf(driver.data);
  }

  /** Returns whether hunts may kill processes of the database, unless other faults are asked for. */
  get #takesKills(): boolean {
    return this.#nodes[0]?.faults !== undefined && this.#settings.faults === null;
  }

  /** Returns the regions that the database supports, for these kinds of data. */
  #spaceOf(supported: readonly DataKind[]): readonly Region[] {
    const { layout, workload } = this.#settings;
    // A layout does not apply to a workload's own rows.
    const data = layout === null ? supported : supported.filter((kind) => kind !== 'rows' && kind !== 'tables');
    const layouts = this.#nodes[0]?.takesLayout ? (layout === null ? LAYOUTS : [layout]) : [];
    const { takesStatements, takesLocks } = this.#nodes[0] ?? {};
    const has = {
      plugin: this.#plugin,
      layouts,
      takesStatements,
      takesLocks,
      takesSql: this.#takesSql,
      takesKills: this.#takesKills,
    };
    const space = spaceOf(data, workload ?? undefined, has);
    if (space.length > 0) return space;
    throw new CollectorError(
      `${this.#drivers[0]!.title} does not support the data of ${workload ?? 'the workloads'}${layout === null ? '' : ' with this layout of keys'}; it supports ${supported.join(', ')}.`,
    );
  }

  /** Finds out whether sessions take plain SQL. Faults would leave the results of schedules unknown. */
  async #trySql(): Promise<void> {
    const { faults, layout } = this.#settings;
    this.#takesSql = false;
    if (faults !== null || layout !== null || this.#plugin !== null) return;
    if (!this.isolations.some((one) => isComparable(levelOf(this.#settings, one)))) return;
    const connection = await this.#nodes[0]!.connect(this.isolations[0]!);
    this.#takesSql = connection.sql !== undefined;
    await connection.close();
  }

  #restrict(): void {
    const { data = this.#drivers[0]!.data, description, takesLayout } = this.#nodes[0]!;
    if (this.#settings.layout !== null && !takesLayout)
      throw new CollectorError(`${description} does not support layouts of tables.`);
    this.space = this.#spaceOf(data);
    const others = this.#drivers[0]!.data.filter((kind) => !data.includes(kind));
    if (others.length === 0) return;
    const text = `${this.description} supports only ${data.join(', ')}; workloads of ${others.join(', ')} are left out.`;
    void this.#options.onEvent?.({ kind: 'warning', text });
  }

  static async open(settings: HuntSettings, options: HuntOptions): Promise<RealDatabase> {
    const drivers = await Promise.all(settings.database.map((address) => driverFor(address)));
    const other = drivers.find(({ title }) => title !== drivers[0]!.title);
    if (other)
      throw new CollectorError(
        `All nodes of a database need the same driver, found ${drivers[0]!.title} and ${other.title}.`,
      );
    const subject = new RealDatabase(drivers, settings, options, await pluginOf(settings));
    try {
      await subject.reopen();
      await subject.#trySql();
      subject.#restrict();
    } catch (error) {
      await subject.close(); // closes the connections opened before the failure
      throw error;
    }
    return subject;
  }

  async reopen(): Promise<void> {
    await this.close();
    const { connectMs, signal, onEvent } = this.#options;
    const { database, sessionSetup, layout, faults } = this.#settings;
    if (layout !== null) parseLayout(layout);
    this.#proxies = faults?.kinds.some(isOfNetwork) ? new Proxies() : null;
    const limits = {
      connectMs,
      signal,
      sessionSetup,
      ...(this.#proxies && { proxies: this.#proxies }),
      onFetch: (line: string) => void onEvent?.({ kind: 'fetching', line }),
    };
    for (const [index, driver] of this.#drivers.entries())
      this.#nodes.push(await driver.open(database[index]!, limits));
    this.description = this.#nodes[0]!.description;
  }

  collect(
    { draw, isolation, level, seed, path, seconds, signal }: Asked,
    onProgress: (counts: Counts) => void,
  ): Promise<Counts> {
    if (draw.workload === SQL) {
      const played = this.#playedAt.get(isolation.name) ?? new Set();
      this.#playedAt.set(isolation.name, played);
      return playInto(this.#nodes[0]!, { isolation, level, seed, path, seconds, signal, played }, onProgress);
    }
    const { connectMs, stallMs } = this.#options;
    const workload = this.#plugin ?? findWorkload(draw.workload)!;
    const { layout, sessions } = draw;
    const faults = faultsOf(this.#settings, draw);
    return collect({
      database: this.#nodes[0]!,
      ...(this.#nodes.length > 1 && { nodes: this.#nodes }),
      ...(this.#proxies && { proxies: this.#proxies }),
      ...(layout !== null && { layout }),
      ...(faults && { faults }),
      isolation,
      workload,
      parameters: resolveParameters(workload, draw.set),
      sessions,
      transactions: Math.ceil(draw.transactions / sessions),
      seconds,
      ownReads: true,
      seed,
      path,
      connectMs,
      stallMs,
      signal,
      onProgress,
    });
  }

  async close(): Promise<void> {
    const nodes = this.#nodes;
    this.#nodes = [];
    await Promise.all(nodes.map((node) => node.close()));
    await this.#proxies?.close();
    this.#proxies = null;
  }
}

/**
 * Returns the levels of a hunt: the named one, the strongest one if a level to check is named, otherwise all claimed
 * levels, the strongest first, and these levels mixed.
 */
function isolationsOf(driver: Driver, { isolation, level }: HuntSettings): readonly Isolation[] {
  if (isolation !== null) return [isolationToCollect(driver, isolation)];
  if (level !== null) return [driver.isolations.at(-1)!];
  return [...driver.isolations.toReversed(), mixedOf(driver.isolations)].filter((one) => one !== null);
}

/** Loads a plug-in's workload if a file is named; null for a built-in workload. */
const pluginOf = async ({ workload }: HuntSettings): Promise<Workload | null> =>
  workload !== null && /[/\\]|\.[cm]?[jt]s$/.test(workload) ? workloadNamed(workload) : null;
