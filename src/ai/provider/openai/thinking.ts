const BEGIN = '<think>';
const END = '</think>';

/**
 * Leaves out what a local model thinks before it answers: servers without a parser for it send it as the beginning of the text,
 * in `<think>…</think>`.
 */
export class WithoutThinking {
  /** White space before `held`. It is kept apart: many pieces of it must not be read again with each piece. */
  private blank = '';
  private held = '';
  private hasThought = false;
  private state: 'undecided' | 'thinking' | 'text' = 'undecided';

  /** @returns the text that can be passed on */
  add(piece: string): string {
    if (this.state === 'text') return piece;
    if (this.state === 'undecided') this.decide(piece);
    else this.held += piece;
    if (this.state === 'thinking') this.skip();
    return this.isText() ? this.take() : '';
  }

  private isText(): boolean {
    return this.state === 'text';
  }

  private take(): string {
    const text = this.blank + this.held;
    this.blank = this.held = '';
    return text;
  }

  /** The rest: a text that looked like the beginning of a thought. */
  end(): string {
    return this.state === 'undecided' ? this.take() : '';
  }

  private decide(piece: string): void {
    const begun = this.held === '' ? piece.trimStart() : piece;
    // After a thought, the text begins without white space.
    if (!this.hasThought) this.blank += piece.slice(0, piece.length - begun.length);
    this.held += begun;
    if (this.held.startsWith(BEGIN)) this.state = 'thinking';
    else if (!BEGIN.startsWith(this.held)) this.state = 'text';
  }

  private skip(): void {
    const end = this.held.indexOf(END);
    if (end === -1) {
      // Only the end of the thought matters, which may be cut in two.
      this.held = this.held.slice(-END.length);
      return;
    }
    this.hasThought = true;
    this.blank = '';
    this.held = this.held.slice(end + END.length).trimStart();
    // White space may follow in the next piece.
    this.state = this.held === '' ? 'undecided' : 'text';
  }
}

export function withoutThinking(text: string): string {
  const filter = new WithoutThinking();
  return filter.add(text) + filter.end();
}
