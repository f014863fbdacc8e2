const BEGIN = '<think>';
const END = '</think>';

/**
 * Leaves out what a local model thinks before it answers: servers without a parser for it send it as the beginning of the text,
 * in `<think>…</think>`.
 */
export class WithoutThinking {
  private held = '';
  private state: 'undecided' | 'thinking' | 'text' = 'undecided';

  /** @returns the text that can be passed on */
  add(piece: string): string {
    if (this.state === 'text') return piece;
    this.held += piece;
    if (this.state === 'undecided') this.decide();
    if (this.state === 'thinking') this.skip();
    return this.isText() ? this.take() : '';
  }

  private isText(): boolean {
    return this.state === 'text';
  }

  private take(): string {
    const text = this.held;
    this.held = '';
    return text;
  }

  /** The rest: a text that looked like the beginning of a thought. */
  end(): string {
    return this.state === 'undecided' ? this.held : '';
  }

  private decide(): void {
    const text = this.held.trimStart();
    if (text.startsWith(BEGIN)) this.state = 'thinking';
    else if (!BEGIN.startsWith(text)) this.state = 'text';
  }

  private skip(): void {
    const end = this.held.indexOf(END);
    if (end === -1) {
      // Only the end of the thought matters, which may be cut in two.
      this.held = this.held.slice(-END.length);
      return;
    }
    this.held = this.held.slice(end + END.length).trimStart();
    // White space may follow in the next piece.
    this.state = this.held === '' ? 'undecided' : 'text';
  }
}

export function withoutThinking(text: string): string {
  const filter = new WithoutThinking();
  return filter.add(text) + filter.end();
}
