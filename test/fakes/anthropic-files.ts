import { AnthropicFailure } from './anthropic-errors';
import type { ContentBlock, MessagesRequest } from './anthropic-types';

/** The longest base64 text of an image. */
const MAX_IMAGE_BYTES = 5_242_880;
const MAX_SIDE = 8_000;
/** The most pages of all documents of a request. */
const MAX_PAGES = 100;
/** A page object. In a PDF each character of a name may be written as its number: `/P#61ge`. */
const PAGE = /\/(?:P|#50)(?:a|#61)(?:g|#67)(?:e|#65)(?![A-Za-z#])/gi;

interface Source {
  media_type: string;
  data: string;
}

export function bytesOf({ source }: ContentBlock): Buffer {
  return Buffer.from((source as Source).data, 'base64');
}

export function pagesOf(pdf: Buffer): number {
  return pdf.toString('latin1').match(PAGE)?.length ?? 0;
}

/** Undefined if it is no PNG: the fake reads no other format. */
export function sizeOfPng(bytes: Buffer): { width: number; height: number } | undefined {
  if (bytes.toString('latin1', 1, 4) !== 'PNG') return undefined;
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

/** Refuses images and documents as the API does. https://platform.claude.com/docs/en/build-with-claude/vision */
export function refuseFiles({ messages }: MessagesRequest): void {
  let pages = 0;
  for (const [at, block] of blocksOf(messages)) {
    if (block.type === 'image') refuseImage(at, block);
    if (block.type !== 'document') continue;
    const bytes = bytesOf(block);
    if (bytes.toString('latin1', 0, 5) !== '%PDF-')
      throw new AnthropicFailure(400, `${at}.pdf.source.base64.data: The PDF specified was not valid.`);
    pages += pagesOf(bytes);
    if (pages > MAX_PAGES)
      throw new AnthropicFailure(
        400,
        `${at}.pdf.source.base64.data: A maximum of ${MAX_PAGES} PDF pages may be provided.`,
      );
  }
}

function refuseImage(at: string, block: ContentBlock): void {
  const { length } = (block.source as Source).data;
  if (length > MAX_IMAGE_BYTES)
    throw new AnthropicFailure(
      400,
      `${at}.image.source.base64: image exceeds 5 MB maximum: ${length} bytes > ${MAX_IMAGE_BYTES} bytes`,
    );
  const size = sizeOfPng(bytesOf(block));
  if (size && Math.max(size.width, size.height) > MAX_SIDE)
    throw new AnthropicFailure(
      400,
      `${at}.image.source.base64.data: At least one of the image dimensions exceed max allowed size: ${MAX_SIDE} pixels`,
    );
}

function blocksOf(messages: MessagesRequest['messages']): [at: string, block: ContentBlock][] {
  return messages.flatMap(({ content }, message) =>
    typeof content === 'string'
      ? []
      : content.map((block, index): [string, ContentBlock] => [`messages.${message}.content.${index}`, block]),
  );
}
