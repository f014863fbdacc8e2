/*
 * Patterns of texts, for the document: no lookahead and no `\d`, `\s` or `\w`, which other languages read in other ways.
 */

/** PostgreSQL cannot store NUL. */
export const STORABLE = String.raw`^[^\x00]*$`;

/** What `String.prototype.trim` takes away (ECMA-262, WhiteSpace and LineTerminator), within a class of characters. */
const BLANKS = String.raw`\x09-\x0d\x20\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff`;

/** Contains a visible character. */
export const NOT_BLANK = String.raw`^[^\x00]*[^\x00${BLANKS}][^\x00]*$`;

const MAILBOX_PART = String.raw`[^\x00${BLANKS}@<>,;"]+`;

/** One `@` between texts of any other characters; mail servers know the rest. */
export const EMAIL = `^${MAILBOX_PART}@${MAILBOX_PART}$`;
