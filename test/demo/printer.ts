const WIDTH = 100;
const LABEL_WIDTH = 10;

/** Writes the steps of the demonstration, one short line per fact. */
export class Printer {
  private steps = 0;

  /**
   * @param write takes a line without its end
   * @param colours whether escape sequences may be used
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

  /** A fact of the present step; what is too long for a line is cut. */
  fact(label: string, text: string): void {
    const room = WIDTH - LABEL_WIDTH - 5;
    const cut = text.length > room ? `${text.slice(0, room - 1)}…` : text;
    this.write(`    ${this.style('2', label.padEnd(LABEL_WIDTH))} ${cut}`);
  }

  /** A line to be copied: never cut. */
  line(text: string): void {
    this.write(`    ${text}`);
  }

  private style(code: string, text: string): string {
    return this.colours ? `\u001B[${code}m${text}\u001B[0m` : text;
  }
}
