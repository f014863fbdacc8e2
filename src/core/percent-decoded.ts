/** The text with its percent escapes decoded, as pg reads a password: the text itself where an escape is malformed. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
