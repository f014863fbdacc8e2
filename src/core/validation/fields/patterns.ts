/*
 * Patterns for the document: short, no lookahead and no `\d`, `\s` or `\w`, which other languages read in other ways.
 */

/** PostgreSQL cannot store NUL. */
export const STORABLE = String.raw`^[^\x00]*$`;

/** Contains a visible character. The API also refuses a text of rarer blanks, such as U+3000. */
export const NOT_BLANK = String.raw`^[^\x00]*[^\x00-\x20][^\x00]*$`;
