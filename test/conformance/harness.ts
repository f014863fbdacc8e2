import type { SendFailureCode } from '#contracts';
import type { InboundSink, PlatformAdapter } from '#platforms';
import type { Fault, RetryAfter } from '../fakes/fault-queue';

/** A message that reached the fake platform. */
export interface SentToPlatform {
  recipient: string;
  /** The text as the recipient sees it. */
  text: string;
  silent: boolean;
  /** Whether any part of the text is formatted. */
  formatted: boolean;
  repliesTo: string | undefined;
  files: { filename: string; type: string; bytes: Buffer }[];
}

export interface PlatformMessage {
  chatId: string;
  text: string;
}

/** How a platform serves the files of messages. */
export interface PlatformFiles {
  /** A person sends an image of these bytes, with this caption. */
  receive(chatId: string, bytes: Buffer, caption: string): void;
  /** The fake's names for the call that returns a file's URL, and for the download. */
  readonly operations: { lookUp: string; download: string };
  /** Whether the look-up gives the length, so that the adapter can detect a truncated file. */
  readonly tellsLength: boolean;
  /** From now on the platform does not serve this file. */
  expire(ref: string): void;
  fail(fault: Fault): void;
}

/** A reason why the platform refuses a send, and how to make the fake do so. */
export interface RefusalCase {
  name: string;
  expected: { code: SendFailureCode; platform_code: string | null; retryable: boolean; retryAfterMs?: number };
  /** Prepares the refusal. @returns the recipient to send to */
  arrange(): Promise<string> | string;
}

/**
 * Plays the platform for the suite. Each test gets a new, started harness. `adapter` is configured to reach it, with short
 * timeouts so that no test has to wait.
 */
export interface ConformanceHarness {
  readonly adapter: PlatformAdapter;
  /** An adapter with credentials that the platform refuses. No error may contain `secret`. */
  withBadCredentials(): Promise<{ adapter: PlatformAdapter; secret: string }>;
  /**
   * Replaces {@link adapter} by one whose connection rarely proves itself, so that within a test it learns of a problem only by
   * other calls.
   */
  quiet(): Promise<PlatformAdapter>;
  /** The failure of a send whose token the platform refuses. */
  readonly refusedToken: SendFailureCode;
  /** The platform refuses the token in the next `times` calls. */
  refuseToken(times: number): void;
  /** The number of calls that reached the platform. */
  calls(): number;
  /**
   * For a platform with long polling: an adapter with the poll time of production. `asked` resolves once the platform holds
   * a poll open.
   */
  patient?(): Promise<{ adapter: PlatformAdapter; asked: () => Promise<void> }>;
  /** The secret that no error may contain. */
  readonly secret: string;
  readonly recipient: string;

  /**
   * For a platform that calls the gateway: passes its posts to the adapter, with this sink. Undefined: the server refuses
   * posts.
   */
  listen?(sink: InboundSink | undefined): void;
  /** A person writes. Resolves once the platform has the message. */
  receive(message: PlatformMessage): Promise<void>;
  /** Resolves once the adapter has confirmed every message to the platform. */
  allConfirmed(): Promise<void>;
  /** The number of messages that the adapter has not confirmed. */
  unconfirmed(): number;
  /** For a connection that rarely proves itself: makes it do so now. */
  askForProof?(): void;
  /** Messages that the platform accepted so far, in order. */
  sent(): SentToPlatform[];

  /** The titles of the options that a person sees under the newest message. */
  options(): string[];
  /** A person taps an option. Resolves once the adapter has acknowledged the tap to the platform. */
  tap(title: string): Promise<void>;

  /** Missing if the adapter receives no files. */
  readonly files?: PlatformFiles;

  /** The next send takes effect, but its answer is lost. */
  loseNextAnswer(): void;
  /** The next send is never answered. */
  hangNextSend(): void;
  /** A proxy, not the platform, answers the next send. */
  answerNextSendByProxy(): void;
  /** The platform rejects the markup of the next formatted text. */
  rejectNextMarkup(): void;
  /** A proxy answers the next send with 429 and this `Retry-After`. */
  throttleNextSendByProxy(retryAfter: string): void;
  /** The pause after a 429 without a wait time, in milliseconds. */
  readonly usualPauseMs: number;
  /** The platform answers the next send with 429 and this wait time. */
  throttleNextSend(retryAfter: RetryAfter): void;
  /** The platform answers the next attempt to connect with 429 and this wait time. */
  throttleConnection(retryAfter: RetryAfter): void;
  /** The next attempt to connect gets no answer. Resolves once the adapter makes the attempt. */
  hangConnection(): Promise<void>;
  /** Resolves once the platform serves exactly one connection; at once for a platform that calls the gateway. */
  onlyConnection(): Promise<void>;
  /** Another process takes the connection. */
  takeConnection(): Promise<void>;
  goDown(): Promise<void>;
  comeBack(): Promise<void>;
  refusals(): RefusalCase[];
  /** Failure codes without a case in `refusals`, and why. */
  readonly neverFailsWith: Partial<Record<SendFailureCode, string>>;

  stop(): Promise<void>;
}
