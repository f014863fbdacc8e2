export { EmbeddedPostgres, type EmbeddedPostgresOptions } from './embedded-postgres';
export { codeOf, DataDirectoryInUseError, EmbeddedPostgresError } from './errors';
