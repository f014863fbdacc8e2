const WIDTH = 100;
const LABEL_WIDTH = 10;

/** Writes the steps of the demonstration, one short line per fact. */
export class Printer {
  private steps = 0;

  /**
   * @param write gets a line without its newline
   * @param colours whether to use escape sequences
   */
  constructor(
    private readonly write: (line: string) => void,
    private readonly colours: boolean,
  ) {}

  title(text: string): void {
    this.write('');
    this.write(this.style('1', text));
  }

  step(text: string): void {
    this.steps += 1;
    this.write('');
    this.write(`${this.style('36', String(this.steps).padStart(2))}  ${this.style('1', text)}`);
  }

  /** Prints a fact of the current step. Cuts long text to one line. */
  fact(label: string, text: string): void {
    const room = WIDTH - LABEL_WIDTH - 5;
    const cut = text.length > room ? `${text.slice(0, room - 1)}…` : text;
    this.write(`    ${this.style('2', label.padEnd(LABEL_WIDTH))} ${cut}`);
  }

  /** Prints a line that the user may copy, uncut. */
  line(text: string): void {
    this.write(`    ${text}`);
  }

  private style(code: string, text: string): string {
    return this.colours ? `\u001B[${code}m${text}\u001B[0m` : text;
  }
}
