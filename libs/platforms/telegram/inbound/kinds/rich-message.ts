import { MAX_TEXT_LENGTH } from '#contracts';
import { withAddress } from './links';

/** Telegram's own limits are 16 levels, 500 blocks and 32,768 characters: https://core.telegram.org/bots/api#rich-message-limits */
const MOST_LEVELS = 40;
const MOST_NODES = 5_000;
/** In UTF-16 units. A longer text is cut when it is stored. */
const MOST_CHARACTERS = 2 * MAX_TEXT_LENGTH;
const MOST_FILES = 50;

/** Blocks of these types show the field of the same name, a file. */
const FILE_TYPES: Readonly<Record<string, string>> = {
  photo: 'photo',
  video: 'video',
  animation: 'animation',
  audio: 'audio',
  document: 'document',
  voice_note: 'voice message',
};
const MENTIONS: ReadonlySet<unknown> = new Set(['mention', 'text_mention', 'bot_command']);
const QUOTATIONS = new Set(['blockquote', 'expandable_blockquote', 'pullquote']);
/** A block with one of these shows nothing only because that is empty. */
const CONTENT_FIELDS = ['text', 'summary', 'blocks', 'items', 'cells', 'buttons'];
/** Words of a block whose type is new: values of these fields. */
const WORD_FIELDS = new Set(['text', 'title', 'label', 'name', 'description', 'content', 'value', 'caption']);

export interface RichContent {
  text: string;
  /** Fields of files in the form that messages have them, in order: `{photo: […]}`, `{voice_note: …}`. */
  files: Node[];
  /** The nodes that name a user or a bot. */
  mentions: Node[];
}

type Node = Record<string, unknown>;

/**
 * The text of a rich message in reading order, a line for each paragraph, list item and table row:
 * https://core.telegram.org/bots/api#richmessage. What exceeds the limits is left out. A block of an unknown type keeps its words.
 */
export function readRichMessage(message: unknown): RichContent {
  const reader = new RichReader();
  if (isNode(message)) reader.blocks(message['blocks'], '', 0);
  return { text: reader.text, files: reader.files, mentions: reader.mentions };
}

class RichReader {
  readonly files: Node[] = [];
  readonly mentions: Node[] = [];
  private readonly lines: string[] = [];
  private nodes = 0;
  private left = MOST_CHARACTERS;

  get text(): string {
    const text = this.lines.join('\n');
    return this.isFull ? `${text}…` : text;
  }

  /** @param indent what each line begins with: the marks of the quotations and lists around it */
  blocks(blocks: unknown, indent: string, level: number): void {
    for (const block of Array.isArray(blocks) ? blocks : [blocks]) {
      if (this.isFull) return;
      if (Array.isArray(block) || typeof block === 'string') this.line(this.inline(block, level), indent);
      else if (isNode(block) && this.visit(level)) this.block(block, indent, level + 1);
    }
  }

  private block(block: Node, outer: string, level: number): void {
    const type = typeof block['type'] === 'string' ? block['type'] : '';
    const before = this.lines.length;
    const indent = QUOTATIONS.has(type) ? `${outer}> ` : outer;
    this.line(this.inline(block['summary'], level), indent);
    this.line(this.inline(block['text'] ?? block['expression'], level), indent);
    if (type === 'divider') this.line('---', indent);
    if (type === 'table') this.line(this.inline(block['caption'], level), indent);
    this.table(block['cells'], indent, level);
    this.items(block['items'], indent, level);
    for (const button of listOf(block['buttons'])) this.line(this.inline(button, level), indent);
    this.blocks(block['blocks'] ?? [], indent, level);
    if (type !== 'table') this.caption(block, type, indent, level);
    this.line(this.inline(block['credit'], level), `${indent}— `);
    if (this.lines.length === before && type !== 'anchor') this.unknown(block, type, indent, level);
  }

  private caption(block: Node, type: string, indent: string, level: number): void {
    const { caption, location } = block;
    const isFile = Object.hasOwn(FILE_TYPES, type) && block[type] !== undefined;
    if (isFile && this.files.length < MOST_FILES) this.files.push({ [type]: block[type] });
    const place = isNode(location)
      ? `[location] ${String(location['latitude'])}, ${String(location['longitude'])}`
      : '';
    const shown = isFile ? `[${FILE_TYPES[type]!}]` : place;
    const described = isNode(caption) && 'text' in caption && !('type' in caption) ? caption : { text: caption };
    const words = this.inline(described['text'], level);
    this.line([shown, words].filter(Boolean).join(' '), indent);
    this.line(this.inline(described['credit'], level), `${indent}— `);
  }

  /** An item begins with its label or check box; its further lines are indented. */
  private items(items: unknown, indent: string, level: number): void {
    for (const item of listOf(items)) {
      if (this.isFull || !isNode(item)) return;
      const first = this.lines.length;
      const inner = `${indent}  `;
      this.blocks(item['blocks'] ?? item['text'] ?? [], inner, level);
      const begin = `${indent}${labelOf(item)} `;
      const line = this.lines[first];
      if (line === undefined) this.line(labelOf(item), indent);
      else this.lines[first] = begin + line.slice(inner.length);
    }
  }

  private table(rows: unknown, indent: string, level: number): void {
    for (const row of listOf(rows)) {
      if (this.isFull) return;
      const cells = listOf(row).map((cell) => this.inline(cell, level));
      if (cells.some((cell) => cell !== '')) this.line(cells.join(' | '), indent);
    }
  }

  /** Takes all words that it can find; without words it names the type. */
  private unknown(block: Node, type: string, indent: string, level: number): void {
    const before = this.lines.length;
    for (const [name, value] of Object.entries(block)) {
      if (this.isFull) return;
      if (typeof value === 'object' && value !== null) this.blocks(value, indent, level);
      else if (WORD_FIELDS.has(name) && typeof value === 'string') this.line(this.take(value), indent);
    }
    const isEmpty = CONTENT_FIELDS.some((name) => name in block);
    if (this.lines.length === before && !isEmpty && /^\w{1,40}$/.test(type)) this.line(`[${type}]`, indent);
  }

  /** A `RichText`: a string, a list of rich texts, or an object that holds one. */
  private inline(node: unknown, level: number): string {
    if (typeof node === 'string') return this.take(node);
    if (Array.isArray(node)) return this.joined(node, level);
    if (!isNode(node) || !this.visit(level)) return '';
    if (MENTIONS.has(node['type'])) this.mentions.push(node);
    const { button } = node;
    if (isNode(button)) return this.inline(button, level + 1);
    const words = this.inline(node['text'] ?? node['alternative_text'] ?? node['expression'], level + 1);
    const address = node['url'] ?? node['email_address'] ?? node['phone_number'];
    return typeof address === 'string' ? withAddress(words, this.take(address)) : words;
  }

  private joined(nodes: readonly unknown[], level: number): string {
    if (!this.visit(level)) return '';
    let words = '';
    for (const node of nodes) {
      if (this.isFull) break;
      words += this.inline(node, level + 1);
    }
    return words;
  }

  private line(words: string, indent: string): void {
    if (words === '') return;
    for (const line of words.split('\n')) {
      if (this.left < 0) return;
      this.left -= indent.length + 1;
      this.lines.push(indent + line);
    }
  }

  private take(text: string): string {
    const taken = text.slice(0, Math.max(this.left, 0));
    this.left -= taken.length;
    return taken;
  }

  private visit(level: number): boolean {
    this.nodes += 1;
    return level < MOST_LEVELS && !this.isFull;
  }

  private get isFull(): boolean {
    return this.left <= 0 || this.nodes > MOST_NODES;
  }
}

function labelOf({ has_checkbox, is_checked, label, value }: Node): string {
  if (has_checkbox === true) return is_checked === true ? '[x]' : '[ ]';
  if (typeof label === 'string' && label.length <= 20 && /[^\s•]/.test(label)) return label.trim();
  return typeof value === 'number' ? `${value}.` : '-';
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
