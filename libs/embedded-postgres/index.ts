export { EmbeddedPostgres, type EmbeddedPostgresOptions } from './embedded-postgres';
export { makeFolder } from './data-directory-lock';
export { codeOf, DataDirectoryInUseError, EmbeddedPostgresError } from './errors';
