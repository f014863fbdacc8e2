import type { Readable } from 'node:stream';
import type { AttachmentKind, FileKind } from '#contracts';

/** A file, a location or a contact of an inbound message, as far as the platform describes it. Its claims may be wrong. */
export interface InboundAttachment {
  kind: AttachmentKind;
  /** The argument of `download`: opaque, at most 4,096 characters, contains no secret. Missing: there are no bytes. */
  ref?: string;
  mimeType?: string;
  filename?: string;
  sizeBytes?: number;
  /** In pixels. */
  width?: number;
  height?: number;
  durationSeconds?: number;
}

export interface DownloadOptions {
  /** The length that a look-up names is not compared with the file's: the answer with the file decides. */
  ignoresLookUp?: boolean;
}

export type Download = DownloadStarted | DownloadFailed;

export interface DownloadStarted {
  started: true;
  /**
   * Emits an `error` whose message contains no token and no URL if the connection breaks, the platform sends too slowly, or
   * the length is not the one that it named, by a look-up too unless `ignoresLookUp`. The file is incomplete then: download it again later.
   */
  body: Readable;
  /** The length that the answer names. */
  sizeBytes?: number;
  /** The type that the answer names. */
  mimeType?: string;
}

/**
 * `expired`: the platform does not hand the file out any more. `too_large`: the platform hands out only smaller files.
 * `later`: try again.
 */
export type DownloadFailure = 'expired' | 'too_large' | 'later';

export interface DownloadFailed {
  started: false;
  failure: DownloadFailure;
  /** Description for the operator, without tokens and URLs. */
  message: string;
  /** The platform asks to wait this long, in milliseconds; only with `later`. */
  retryAfterMs?: number;
}

/** A file of an outbound message. */
export interface OutboundFile {
  kind: FileKind;
  /** As its bytes say. */
  mimeType: string;
  filename: string;
  /** Exact: uploads announce it. */
  sizeBytes: number;
  /** In pixels, where they are known. */
  width?: number;
  height?: number;
  durationSeconds?: number;
  /** A new stream of all its bytes, each time. */
  open(): Readable;
}
