import type { Engine } from '../engine/engine.ts';
import { EMBEDDED_DATABASES, UNLISTED_EMBEDDED } from './embedded.ts';
import { KEY_VALUE_SERVERS } from './key-value.ts';
import { MARIADB } from './mariadb.ts';
import { GO } from './go.ts';
import { JAVA } from './java.ts';
import { JAVA_STORES } from './java-stores.ts';
import { POSTGRES, unlistedPostgres } from './postgres.ts';
import { PYTHON } from './python.ts';
import { RUST } from './rust.ts';

/**
 * All known releases with their sources; a name alone means the first release. To add a release, add it to the file of
 * its database.
 */
export const ENGINES: readonly Engine[] = [
  ...POSTGRES,
  ...MARIADB,
  ...EMBEDDED_DATABASES,
  ...JAVA,
  ...JAVA_STORES,
  ...GO,
  ...RUST,
  ...PYTHON,
  ...KEY_VALUE_SERVERS,
];

export const EMBEDDED: Engine = POSTGRES[0]!;

/** Constructors of unlisted releases, which a registry may have, by name. */
export const UNLISTED: Readonly<Record<string, (version: string) => Engine>> = {
  postgres: unlistedPostgres,
  ...UNLISTED_EMBEDDED,
};
