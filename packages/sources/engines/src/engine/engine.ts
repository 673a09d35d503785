import type { LevelName } from '@isolab/contract';

/** A release of a database that isolab can get, start and end. */
export interface Engine {
  /** Start of its address: `postgres` of `postgres@18.4`. */
  readonly name: string;
  readonly version: string;
  readonly title: string;
  /** Its own names of its levels, the weakest first, with the claim of each. */
  readonly isolations: readonly Isolation[];
  /** Kinds of data that keys can hold there. */
  readonly data: readonly DataKind[];
  readonly origin: Origin;
  /** Programs that must be on the PATH to get it or to run it. */
  readonly needs: readonly string[];
  /** Optional packages of npm by which isolab speaks with it. */
  readonly clients?: readonly string[];
  /** Where it runs, as process.platform and process.arch say; everywhere if absent. */
  readonly platforms?: readonly string[];
  /** The oldest glibc that its programs support, on Linux. */
  readonly glibc?: string;
  /** Violations of its claims that are known of it; believed to be correct if absent. */
  readonly violations?: readonly Violation[];
  /** Page of its documentation with its claims. */
  readonly documentation?: string;
  readonly runs: Runs;
  readonly options: Options;
}

export type DataKind = 'registers' | 'lists' | 'rows' | 'tables';

/** An isolation level by the database's own name. */
export interface Isolation {
  readonly name: string;
  /** Claim of the database for it, in isolab's terms. */
  readonly claims: LevelName;
  /** Claim of the database where an option of the engine's address is on. */
  readonly claimsWith?: { readonly option: string; readonly claims: LevelName };
  /** Where the name says something else than people think. */
  readonly warning?: string;
}

/** A level that it claims and does not keep. */
export interface Violation {
  readonly level: LevelName;
  readonly what: string;
  /** Description of it; null where none is published. */
  readonly link: string | null;
}

export type Origin = InstalledOrigin | NpmOrigin | MavenOrigin | DebianOrigin | ProgramOrigin;

/** A package that npm installed with isolab. */
export interface InstalledOrigin {
  readonly kind: 'installed';
  readonly package: string;
}

/** A package of the npm registry, with its dependencies. */
export interface NpmOrigin {
  readonly kind: 'npm';
  /** Its name; `{platform}` stands for the platform, as in `linux-x64`. */
  readonly package: string;
  readonly version: string;
  /** Packages that are installed beside it, such as its client, with their versions. */
  readonly beside?: Readonly<Record<string, string>>;
  /**
   * Checksum of each package, NAME@VERSION, as npm writes it into a lock file. Null for a version that is not in
   * isolab’s list: then npm alone checks it, against its registry.
   */
  readonly pins: Readonly<Record<string, string>> | null;
  /** Whether it is compiled on this machine. */
  readonly builds?: true;
}

/** A jar of Maven Central, or an archive inside it. */
export interface MavenOrigin {
  readonly kind: 'maven';
  readonly artifact: string;
  /** The archive that is unpacked; null where the jar itself has the files. */
  readonly archive: string | null;
  /** Checksum of the archive, or of the jar. */
  readonly sha256: string;
}

/** Packages of Debian, which are unpacked in a folder, not installed. */
export interface DebianOrigin {
  readonly kind: 'debian';
  readonly packages: readonly { readonly name: string; readonly version: string; readonly sha256: string }[];
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
 * Code that starts it: a server, a driver file of src/modules that holds the database in its own process, or a driver
 * program, with its arguments before the folder of its data.
 */
export type Runs =
  | { readonly kind: 'postgres' }
  | { readonly kind: 'mariadb' }
  | { readonly kind: 'galera'; readonly nodes: number }
  | { readonly kind: 'etcd' }
  | { readonly kind: 'redis' }
  | { readonly kind: 'module'; readonly driver: string }
  | { readonly kind: 'program'; readonly options: readonly string[] };

/** Options after the question mark of its address. */
export interface Options {
  /** Options with their values, isolab's own choice first. */
  readonly choices?: Readonly<Record<string, readonly string[]>>;
  /** Whether any other is a setting of the server: numbers and switches. */
  readonly settings?: true;
  /** Settings that isolab chooses. */
  readonly fixed?: readonly string[];
  /** Settings that every session makes for itself. The server's would have no effect. */
  readonly ofSessions?: readonly string[];
}

/** Its levels, with the claimed level where its address has these options. */
export const isolationsWith = (
  { isolations }: Engine,
  options: Readonly<Record<string, string>>,
): readonly Isolation[] =>
  isolations.map((level) => {
    const { name, claimsWith } = level;
    const isOn = claimsWith !== undefined && /^(?:on|1)$/i.test(options[claimsWith.option] ?? '');
    return isOn ? { name, claims: claimsWith.claims } : level;
  });

export const nameOf = ({ name, version }: Pick<Engine, 'name' | 'version'>): string => `${name}@${version}`;
