import type { LevelName } from '@isolab/contract';

/** A release of a database that isolab can download, start and stop. */
export interface Engine {
  /** First part of its address: `postgres` in `postgres@18.4`. */
  readonly name: string;
  readonly version: string;
  readonly title: string;
  /** Names of its levels, weakest first, each with its claim. */
  readonly isolations: readonly Isolation[];
  /** Kinds of data that it can store. */
  readonly data: readonly DataKind[];
  readonly origin: Origin;
  /** Programs that must be on the PATH for its installation or its execution. */
  readonly needs: readonly string[];
  /** Optional npm packages with which isolab connects to it. */
  readonly clients?: readonly string[];
  /** Supported values of process.platform and process.arch; all if absent. */
  readonly platforms?: readonly string[];
  /** Oldest glibc that its programs support, on Linux. */
  readonly glibc?: string;
  /** Known violations of its claims; absent if none is known. */
  readonly violations?: readonly Violation[];
  /** Documentation page with its claims. */
  readonly documentation?: string;
  readonly runs: Runs;
  readonly options: Options;
}

export type DataKind = 'registers' | 'counters' | 'lists' | 'rows' | 'tables';

/** An isolation level under the database's name. */
export interface Isolation {
  readonly name: string;
  /** Level of isolab that the database claims to provide. */
  readonly claims: LevelName;
  /** Claim of the database when an option of the engine's address is on. */
  readonly claimsWith?: { readonly option: string; readonly claims: LevelName };
  /**
   * Level that its transactions keep beside transactions at other levels. If absent, a serializable transaction is
   * expected to keep only snapshot isolation, and any other level its claim; null if it shares no data with them.
   */
  readonly beside?: LevelName | null;
  /** For mixed levels, the levels that sessions take in turn. */
  readonly mixes?: readonly (Isolation & { readonly beside: LevelName })[];
  /** Warning, where the name of the level is misleading. */
  readonly warning?: string;
}

/** A level that the database claims but does not provide. */
export interface Violation {
  readonly level: LevelName;
  readonly what: string;
  /** Page that describes the violation; null where none is published. */
  readonly link: string | null;
}

export type Origin = InstalledOrigin | NpmOrigin | MavenOrigin | DebianOrigin | ProgramOrigin;

/** A package that npm installed together with isolab. */
export interface InstalledOrigin {
  readonly kind: 'installed';
  readonly package: string;
}

/** A package of the npm registry, with its dependencies. */
export interface NpmOrigin {
  readonly kind: 'npm';
  /** Name of the package; `{platform}` stands for the platform, such as `linux-x64`. */
  readonly package: string;
  readonly version: string;
  /** Versions of additional packages, such as a client. */
  readonly beside?: Readonly<Record<string, string>>;
  /**
   * Checksum of each package, NAME@VERSION, in the format of npm's lock files. Null for a version that is not in
   * isolab's list, which only npm checks, against its registry.
   */
  readonly pins: Readonly<Record<string, string>> | null;
  /** Whether the installation compiles it on this machine. */
  readonly builds?: true;
}

/** A jar of Maven Central, or an archive inside the jar. */
export interface MavenOrigin {
  readonly kind: 'maven';
  readonly artifact: string;
  /** Archive to unpack; null where the jar itself contains the files. */
  readonly archive: string | null;
  /** Checksum of the archive or the jar. */
  readonly sha256: string;
}

/** Debian packages, which are unpacked into a folder instead of installed. */
export interface DebianOrigin {
  readonly kind: 'debian';
  readonly packages: readonly { readonly name: string; readonly version: string; readonly sha256: string }[];
}

/** A library that is compiled into a driver program in programs/. */
export type ProgramOrigin =
  | JavaOrigin
  /** Build tag that selects a version in go.mod. */
  | { readonly kind: 'go'; readonly tag: string }
  /** Build feature that selects a version in Cargo.toml. */
  | { readonly kind: 'rust'; readonly feature: string }
  /** Module of programs/python/stores; the file of the same name beside main.py has the packages and their checksums. */
  | { readonly kind: 'python'; readonly store: string };

export interface JavaOrigin {
  readonly kind: 'java';
  readonly jars: readonly Jar[];
  /** Class of programs/java/stores; absent for databases with JDBC. */
  readonly store?: string;
  /** Packages of Java whose internals the library uses. */
  readonly opens?: readonly string[];
  /** Native libraries: a file in programs/java with wheels of Python and their checksums, and Debian packages. */
  readonly natives?: { readonly wheels: string; readonly packages: DebianOrigin['packages'] };
}

export interface Jar {
  readonly artifact: string;
  readonly sha256: string;
}

/**
 * Code that runs the database: a server, a driver file of src/modules that holds the database in its own process, or a
 * driver program, with its arguments before the data folder.
 */
export type Runs =
  | { readonly kind: 'postgres' }
  | { readonly kind: 'mariadb' }
  | { readonly kind: 'galera'; readonly nodes: number }
  | { readonly kind: 'etcd' }
  | { readonly kind: 'redis' }
  | { readonly kind: 'module'; readonly driver: string }
  | { readonly kind: 'program'; readonly options: readonly string[] };

/** Supported options after the question mark of the address. */
export interface Options {
  /** Options with their possible values, isolab's default first. */
  readonly choices?: Readonly<Record<string, readonly string[]>>;
  /** Whether any other option is passed on as a server setting: a number or a switch. */
  readonly settings?: true;
  /** Settings that isolab chooses and users cannot change. */
  readonly fixed?: readonly string[];
  /** Settings that every session makes for itself, so that the server's value would have no effect. */
  readonly ofSessions?: readonly string[];
}

/** Returns the levels of an engine with the claims that hold under these options. */
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
