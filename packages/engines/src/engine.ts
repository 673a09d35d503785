import type { LevelName } from '@isolab/contract';

/** A release of a database that isolab can get, start and end. */
export interface Engine {
  /** What its address begins with: `postgres` of `postgres@18.4`. */
  readonly name: string;
  readonly version: string;
  readonly title: string;
  /** Its own names of its levels, the weakest first, with what it claims by each. */
  readonly isolations: readonly Isolation[];
  /** What keys can hold there. */
  readonly data: readonly DataKind[];
  readonly origin: Origin;
  /** Programs that must be on the PATH to get it or to run it. */
  readonly needs: readonly string[];
  /** Where it runs, as process.platform and process.arch say; everywhere if absent. */
  readonly platforms?: readonly string[];
  /** Violations of its claims that are known of it; believed to be correct if absent. */
  readonly violations?: readonly Violation[];
  /** Where its documentation says what it claims. */
  readonly documentation?: string;
  readonly runs: Runs;
  readonly options: Options;
}

export type DataKind = 'registers' | 'lists' | 'rows';

/** An isolation level by the database's own name. */
export interface Isolation {
  readonly name: string;
  /** What the database claims by it, in isolab's terms. */
  readonly claims: LevelName;
  /** Where the name says something else than people think. */
  readonly warning?: string;
}

/** A level that it claims and does not keep. */
export interface Violation {
  readonly level: LevelName;
  readonly what: string;
  /** Where it is described; null where nothing is published. */
  readonly link: string | null;
}

export type Origin = InstalledOrigin | NpmOrigin | MavenOrigin | ProgramOrigin;

/** A package that npm installed with isolab. */
export interface InstalledOrigin {
  readonly kind: 'installed';
  readonly package: string;
}

/** A package of the npm registry, with all that it depends on. */
export interface NpmOrigin {
  readonly kind: 'npm';
  readonly package: string;
  readonly version: string;
  /** Of the packages that matter, as npm writes them into a lock file; null where only the registry's own word is had. */
  readonly integrity: Readonly<Record<string, string>> | null;
}

/** An archive inside a jar of Maven Central. */
export interface MavenOrigin {
  readonly kind: 'maven';
  readonly artifact: string;
  readonly archive: string;
  /** Of the archive. */
  readonly sha256: string;
}

/** A library that a driver program of ours, in programs/, is built with. */
export type ProgramOrigin =
  | { readonly kind: 'java'; readonly jars: readonly Jar[] }
  /** A tag of the build, which stands for a version that go.mod names. */
  | { readonly kind: 'go'; readonly tag: string }
  /** A feature of the build, which stands for a version that Cargo.toml names. */
  | { readonly kind: 'rust'; readonly feature: string };

/** A file of Maven Central. */
export interface Jar {
  readonly artifact: string;
  readonly sha256: string;
}

/**
 * Which code starts it: a server, a driver file of src/modules that holds the database in its own process, or a driver
 * program, with what it is called with before the folder of its data.
 */
export type Runs =
  | { readonly kind: 'postgres' }
  | { readonly kind: 'module'; readonly driver: string }
  | { readonly kind: 'program'; readonly options: readonly string[] };

/** What may stand behind the question mark of its address. */
export interface Options {
  /** Options with their values, isolab's own choice first. */
  readonly choices?: Readonly<Record<string, readonly string[]>>;
  /** Whether any other is a setting of the server: numbers and switches. */
  readonly settings?: true;
  /** Settings that isolab chooses. */
  readonly fixed?: readonly string[];
}

export const nameOf = ({ name, version }: Pick<Engine, 'name' | 'version'>): string => `${name}@${version}`;
