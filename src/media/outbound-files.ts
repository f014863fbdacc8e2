import { Readable } from 'node:stream';
import type { Attachment, Environment, FileKind } from '#contracts';
import { UNKNOWN_TYPE } from './files/file-kind';
import type { MediaStore } from './storage/media-store.service';

/** As `OutboundFile` of the adapters' port. */
export interface FileToSend {
  kind: FileKind;
  mimeType: string;
  filename: string;
  sizeBytes: number;
  width?: number;
  height?: number;
  durationSeconds?: number;
  open(): Readable;
}

/** File extensions that differ from the second part of the media type. */
const ENDINGS: Readonly<Record<string, string>> = {
  [UNKNOWN_TYPE]: 'bin',
  'audio/mpeg': 'mp3',
  'audio/mp4': 'm4a',
  'image/jpeg': 'jpg',
  'image/svg+xml': 'svg',
  'text/plain': 'txt',
  'video/quicktime': 'mov',
};

/** The files of stored attachments, as adapters take them. */
export function filesToSend(
  store: MediaStore,
  environment: Environment,
  attachments: readonly Attachment[],
): FileToSend[] {
  return attachments.flatMap((attachment) => {
    const { kind, sha256, size_bytes: sizeBytes, width, height, duration_seconds: durationSeconds } = attachment;
    if (kind === 'location' || kind === 'contact' || sha256 === null || sizeBytes === null) return [];
    const mimeType = attachment.mime_type ?? UNKNOWN_TYPE;
    const ending = ENDINGS[mimeType] ?? mimeType.split('/')[1]!.replace(/^x-/, '');
    return {
      kind,
      mimeType,
      filename: attachment.filename ?? `${kind}.${ending}`,
      sizeBytes,
      width: width ?? undefined,
      height: height ?? undefined,
      durationSeconds: durationSeconds ?? undefined,
      open: () => Readable.from(bytesOf(store, environment, sha256), { objectMode: false }),
    };
  });
}

async function* bytesOf(store: MediaStore, environment: Environment, sha256: string): AsyncGenerator<Buffer> {
  yield* (await store.read(environment, sha256)) as AsyncIterable<Buffer>;
}
