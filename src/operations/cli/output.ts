/** C0, DEL and C1. A terminal may interpret them as commands, and texts of strangers may hold them. */
// oxlint-disable-next-line no-control-regex -- these characters must not reach a terminal
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/g;

/** Control characters as JSON writes them: `\u001b`. */
function withoutControl(text: string): string {
  return text.replaceAll(CONTROL, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** `JSON.stringify` escapes only C0. The line breaks of its indentation are not part of a text and stay. */
function json(document: unknown): string {
  return JSON.stringify(document, null, 2).split('\n').map(withoutControl).join('\n');
}

/** A line that may have colours. Its control characters must be replaced before the colours are added. */
export class StyledLine {
  constructor(readonly text: string) {}
}

/** Where a command prints: its result on stdout, all else on stderr. */
export class Output {
  constructor(
    /** With `--json`, stdout gets one JSON document and nothing else. */
    readonly isJson: boolean,
    private readonly stdout: NodeJS.WritableStream = process.stdout,
    private readonly stderr: NodeJS.WriteStream = process.stderr,
  ) {}

  /**
   * Prints the result of a command, once.
   * @param document for `--json`
   * @param lines for a person
   */
  result(document: unknown, lines: readonly (string | StyledLine)[]): void {
    if (this.isJson) this.stdout.write(`${json(document)}\n`);
    else
      for (const line of lines) this.stdout.write(`${line instanceof StyledLine ? line.text : withoutControl(line)}\n`);
  }

  /** Prints a line that is not part of the result. */
  note(line: string): void {
    this.stderr.write(`${withoutControl(line)}\n`);
  }

  fail(lines: readonly string[]): void {
    for (const line of lines) this.note(line);
    if (this.isJson) this.stdout.write(`${json({ error: { message: lines.join('\n') } })}\n`);
  }

  /** Whether a person sees stderr: only a terminal gets progress bars. */
  get showsProgress(): boolean {
    return this.stderr.isTTY;
  }

  /** Replaces the line of a progress bar; an empty text removes it. */
  progress(text: string): void {
    if (this.showsProgress) this.stderr.write(`\r\u001b[K${text}`);
  }
}

/** Rows as aligned columns under their names. */
export function table(names: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const printable = [names, ...rows].map((row) => row.map(withoutControl));
  const widths = names.map((_, column) => Math.max(...printable.map((row) => row[column]!.length)));
  return printable.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  );
}
