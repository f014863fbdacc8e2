/** Tools of an environment. */
export const MAX_TOOLS = 64;
/** Names, descriptions and schemas of the enabled tools of an environment together, in bytes: one call has them all. */
export const MAX_DEFINITION_BYTES = 32_768;
/** Longest answer of a receiver, in bytes. */
export const MAX_ANSWER_BYTES = 65_536;
/** The part of it that the model sees. */
export const SEEN_BYTES = 16_384;
/** The part of a result that the API shows with a call. */
export const SHOWN_BYTES = 4_096;
/** Calls under way at once, for each tool and instance. */
export const CALLS_AT_ONCE = 8;
