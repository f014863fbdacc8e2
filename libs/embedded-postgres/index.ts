export { EmbeddedPostgres, type EmbeddedPostgresOptions } from './embedded-postgres';
export { hasCluster, placesIn } from './cluster';
export { DataDirectoryLock, makeFolder } from './data-directory-lock';
export { codeOf, DataDirectoryInUseError, EmbeddedPostgresError } from './errors';
