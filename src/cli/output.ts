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
  result(document: unknown, lines: readonly string[]): void {
    if (this.isJson) this.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
    else for (const line of lines) this.stdout.write(`${line}\n`);
  }

  /** A line that is no part of the result. */
  note(line: string): void {
    this.stderr.write(`${line}\n`);
  }

  fail(lines: readonly string[]): void {
    for (const line of lines) this.note(line);
    if (this.isJson) this.stdout.write(`${JSON.stringify({ error: { message: lines.join('\n') } }, null, 2)}\n`);
  }

  /** Whether a person sees stderr: only a terminal gets progress bars. */
  get showsProgress(): boolean {
    return this.stderr.isTTY;
  }

  /** Replaces the line of a progress bar; an empty text takes it away. */
  progress(text: string): void {
    if (this.showsProgress) this.stderr.write(`\r\u001b[K${text}`);
  }
}

/** Rows as aligned columns under their names. */
export function table(names: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = names.map((name, column) => Math.max(name.length, ...rows.map((row) => row[column]!.length)));
  return [names, ...rows].map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  );
}
