/** A code fence as CommonMark has it (https://spec.commonmark.org/0.31.2/#fenced-code-blocks). */
export interface Fence {
  /** The run that opened it: three or more backticks or tildes. */
  marker: string;
  /** The rest of the opening line, trimmed: usually the language. */
  info: string;
}

const OPENING = /^ {0,3}(?:(`{3,})([^`\r\n]*)|(~{3,})(?!~)([^\r\n]*))\r?$/;
const CLOSING = /^ {0,3}(`{3,}|~{3,})[ \t]*\r?$/;

/** The fence that this line (without its line feed) opens, if any. */
export function openedBy(line: string): Fence | undefined {
  // Most lines are prose: a look for the marker is cheaper than the pattern.
  if (!line.includes('```') && !line.includes('~~~')) return undefined;
  const found = OPENING.exec(line);
  if (!found) return undefined;
  return { marker: found[1] ?? found[3] ?? '', info: (found[2] ?? found[4] ?? '').trim() };
}

/** Whether this line (without its line feed) closes the fence: the same character, at least as often, nothing else. */
export function closes(line: string, fence: Fence): boolean {
  const marker = CLOSING.exec(line)?.[1];
  return marker !== undefined && marker[0] === fence.marker[0] && marker.length >= fence.marker.length;
}

/** The fence state after a line, given the one before it. */
export function fenceAfterLine(line: string, open: Fence | undefined): Fence | undefined {
  if (!open) return openedBy(line);
  return closes(line, open) ? undefined : open;
}
