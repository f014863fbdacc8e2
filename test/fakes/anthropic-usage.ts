import { createHash } from 'node:crypto';
import { bytesOf, pagesOf, sizeOfPng } from './anthropic-files';
import type { CacheControl, ContentBlock, MessagesRequest, Usage } from './anthropic-types';

const PIXELS_PER_TOKEN = 750;
/** The API scales larger images down. The fake can read the size of PNGs only. */
const LARGEST_IMAGE_TOKENS = 1_600;
/** Tokens of a page of a document as an image, and the most that its text has. */
const PAGE_TOKENS = 1_500;

/** Rough token count: one per four characters, at least one. */
export function countTokens(text: string): number {
  return Math.max(1, Math.ceil(text.length / 4));
}

/**
 * Counts input tokens like the prompt cache: the first request writes the prefix up to the last `cache_control` block, and
 * later requests read it. https://platform.claude.com/docs/en/build-with-claude/prompt-caching
 */
export function promptTokens(request: MessagesRequest): number {
  return promptBlocks(request).reduce((sum, { tokens }) => sum + tokens, 0);
}

export class PromptCache {
  readonly #prefixes = new Set<string>();

  /** @param minimumTokens a shorter prefix is not cached, and causes no error */
  constructor(private readonly minimumTokens: number) {}

  count(request: MessagesRequest): Omit<Usage, 'output_tokens'> {
    const blocks = promptBlocks(request);
    const tokens = (some: PromptBlock[]) => some.reduce((sum, block) => sum + block.tokens, 0);
    const end = blocks.findLastIndex((block) => block.cacheControl) + 1;
    const prefix = blocks.slice(0, end);
    const cached = tokens(prefix);
    if (end === 0 || cached < this.minimumTokens) return usage(tokens(blocks), 0, 0);

    // Reads the longest prefix that an earlier request wrote, and writes the rest.
    let read = 0;
    for (let length = end; length > 0 && read === 0; length--)
      if (this.#prefixes.has(this.#key(request.model, blocks.slice(0, length)))) read = tokens(blocks.slice(0, length));
    this.#prefixes.add(this.#key(request.model, prefix));
    return usage(tokens(blocks.slice(end)), cached - read, read, blocks[end - 1]!.cacheControl?.ttl);
  }

  #key(model: string, blocks: PromptBlock[]): string {
    const texts = blocks.map(({ text }) => text);
    return createHash('sha256')
      .update(JSON.stringify([model, texts]))
      .digest('base64');
  }
}

function usage(input: number, written: number, read: number, ttl = '5m'): Omit<Usage, 'output_tokens'> {
  return {
    input_tokens: input,
    cache_creation_input_tokens: written,
    cache_read_input_tokens: read,
    cache_creation: {
      ephemeral_5m_input_tokens: ttl === '5m' ? written : 0,
      ephemeral_1h_input_tokens: ttl === '1h' ? written : 0,
    },
  };
}

interface PromptBlock {
  text: string;
  tokens: number;
  cacheControl: CacheControl | null | undefined;
}

/** Pictures and documents do not count by the length of their base64. */
function tokensOf(block: ContentBlock): number {
  const { text } = block;
  if (text === '') return 0;
  if (text !== undefined) return countTokens(text);
  if (block.type === 'tool_use' || block.type === 'tool_result') return countTokens(JSON.stringify(block));
  return block.type === 'image' ? imageTokens(bytesOf(block)) : documentTokens(bytesOf(block));
}

/** One token per 750 pixels: https://platform.claude.com/docs/en/build-with-claude/vision#evaluate-image-size */
function imageTokens(bytes: Buffer): number {
  const size = sizeOfPng(bytes);
  const pixels = size ? size.width * size.height : Infinity;
  return Math.min(LARGEST_IMAGE_TOKENS, Math.ceil(pixels / PIXELS_PER_TOKEN));
}

/** Each page counts as an image and as its text. https://platform.claude.com/docs/en/build-with-claude/pdf-support */
function documentTokens(pdf: Buffer): number {
  const images = pagesOf(pdf) * PAGE_TOKENS;
  return images + Math.min(images, countTokens(pdf.toString('latin1')));
}

function promptBlocks({ system, messages, cache_control }: MessagesRequest): PromptBlock[] {
  const blocks = [system ?? [], ...messages.map(({ content }) => content)].flatMap((content) =>
    (typeof content === 'string' ? [{ type: 'text', text: content } as ContentBlock] : content).map((block) => ({
      text: block.text ?? JSON.stringify(block),
      tokens: tokensOf(block),
      cacheControl: block.cache_control,
    })),
  );
  const last = blocks.at(-1);
  if (last) last.cacheControl ??= cache_control;
  return blocks;
}
