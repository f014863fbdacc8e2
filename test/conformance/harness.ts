import type { SendFailureCode } from '#contracts';
import type { InboundSink, PlatformAdapter } from '#platforms';
import type { Fault, RetryAfter } from '../fakes/fault-queue';

/** What reached the platform, as its fake saw it. */
export interface SentToPlatform {
  recipient: string;
  /** As the recipient sees it. */
  text: string;
  silent: boolean;
  /** Whether any of the text is marked up. */
  formatted: boolean;
  repliesTo: string | undefined;
  files: { filename: string; type: string; bytes: Buffer }[];
}

export interface PlatformMessage {
  chatId: string;
  text: string;
}

/** How a platform hands out the files of messages. */
export interface PlatformFiles {
  /** A person sends an image of these bytes, with this caption. */
  receive(chatId: string, bytes: Buffer, caption: string): void;
  /** The fake's names of the call for a file's address, and of the download. */
  readonly operations: { lookUp: string; download: string };
  /** The look-up tells the length, so that a shorter answer shows. */
  readonly tellsLength: boolean;
  /** From now on the platform does not hand out the file of this reference. */
  expire(ref: string): void;
  fail(fault: Fault): void;
}

/** Why the platform refuses a send, and how the fake is made to. */
export interface RefusalCase {
  name: string;
  expected: { code: SendFailureCode; platform_code: string | null; retryable: boolean; retryAfterMs?: number };
  /** Arranges it and gives the recipient to write to. */
  arrange(): Promise<string> | string;
}

/**
 * Plays the platform for the suite. Made anew for each case, and started; `adapter` is configured to reach it, with short
 * times so that no case has to wait.
 */
export interface ConformanceHarness {
  readonly adapter: PlatformAdapter;
  /** An adapter with credentials that the platform refuses; nothing of them may show in an error. */
  withBadCredentials(): Promise<{ adapter: PlatformAdapter; secret: string }>;
  /**
   * From now on {@link adapter}, whose connection proves itself too seldom for a case to see it: what it learns meanwhile, it
   * learns otherwise.
   */
  quiet(): Promise<PlatformAdapter>;
  /** The platform refuses the token of so many calls. */
  refuseToken(times: number): void;
  /** How many calls reached the platform. */
  calls(): number;
  /**
   * For a platform that holds a question open: an adapter that lets it for as long as in use, and what resolves once it
   * does.
   */
  patient?(): Promise<{ adapter: PlatformAdapter; asked: () => Promise<void> }>;
  /** What must never show in an error. */
  readonly secret: string;
  readonly recipient: string;

  /**
   * For a platform that calls us: what it posts is handed to the adapter from now on, with this sink, until it is called
   * with none.
   */
  listen?(sink: InboundSink | undefined): void;
  /** A person writes. Resolves once the platform has it. */
  receive(message: PlatformMessage): Promise<void>;
  /** Resolves once the platform was told that everything it had is stored. */
  allConfirmed(): Promise<void>;
  /** Messages that the platform still has. */
  unconfirmed(): number;
  /** For a platform whose connection proves itself too seldom to wait for it: it is asked to now. */
  askForProof?(): void;
  /** What was accepted so far, in order. */
  sent(): SentToPlatform[];

  /** The words of the options that a person sees with the newest message. */
  options(): string[];
  /** A person taps one of them. Resolves once the platform was told that the tap is taken. */
  tap(title: string): Promise<void>;

  /** Missing where messages come without files. */
  readonly files?: PlatformFiles;

  /** The next send takes effect, but its answer is lost. */
  loseNextAnswer(): void;
  /** The next send is never answered. */
  hangNextSend(): void;
  /** The next send is answered by something that is not the platform (a proxy). */
  answerNextSendByProxy(): void;
  /** The platform reads the next marked-up text and finds fault with its markup. */
  rejectNextMarkup(): void;
  /** The next send is answered 429 by something that is not the platform, with this `Retry-After`. */
  throttleNextSendByProxy(retryAfter: string): void;
  /** The pause after a limit that names no time, in milliseconds. */
  readonly usualPauseMs: number;
  /** The platform asks to wait this long with the next send. */
  throttleNextSend(retryAfter: RetryAfter): void;
  /** The platform asks to wait this long with the next attempt to connect. */
  throttleConnection(retryAfter: RetryAfter): void;
  /** The next attempt to connect is never answered. Resolves once it is being made. */
  hangConnection(): Promise<void>;
  /** Resolves once the platform serves exactly one connection; at once where it knows of none, because it calls us. */
  onlyConnection(): Promise<void>;
  /** Another process takes the connection. */
  takeConnection(): Promise<void>;
  goDown(): Promise<void>;
  comeBack(): Promise<void>;
  refusals(): RefusalCase[];
  /** The classes of failure that `refusals` has no case of, and why. */
  readonly neverFailsWith: Partial<Record<SendFailureCode, string>>;

  stop(): Promise<void>;
}
