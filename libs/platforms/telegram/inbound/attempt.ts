/**
 * Reads a part of a message. Undefined if Telegram, or the server in its place, describes the part in another form than
 * documented: the rest of the message must not be lost for it.
 */
export function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
