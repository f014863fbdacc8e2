import { randomUUID } from 'node:crypto';
import type { AiFile, AiRequest } from '../ai-provider.port';

/** No text can contain it: it is new in each process, and never sent. */
const MARK = `file ${randomUUID()} `;
const PLACES = new RegExp(`${MARK}([^"]+)`);

/** Stands for the base64 of a file in the parameters of a request. */
export function placeOf({ attachmentId }: AiFile): string {
  return MARK + attachmentId;
}

/**
 * The JSON of a request with files, in pieces: the SDK would encode 25 MB in one turn of the event loop.
 * @param params with places for the files
 * @returns undefined for a request without files
 */
export function piecesOf(params: object, { messages }: AiRequest): readonly Buffer[] | undefined {
  const files = new Map(messages.flatMap((message) => (message.files ?? []).map((file) => [file.attachmentId, file])));
  if (files.size === 0) return undefined;
  const parts = JSON.stringify(params).split(PLACES);
  // The ids of the files stand between the parts of the text.
  return parts.flatMap((part, index) => (index % 2 === 0 ? Buffer.from(part) : files.get(part)!.data!));
}
