import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { Agent, request } from 'undici';
import type { Environment } from '#contracts';
import { KeyedSemaphore } from '#http-client';
import { Siblings } from '../core/cluster/siblings.service';
import { Configuration } from '../core/config/configuration';
import type { Caller } from '../core/http/lifecycle/request-context';
import { AddressGuard, ForbiddenAddressError } from '../core/egress/address-guard.service';
import { guardedConnector } from '../core/egress/guarded-connector';
import { percentDecoded } from '../core/percent-decoded';
import { SettingsService } from '../core/settings/settings.service';
import { QuotaError } from './storage/arriving-files';
import { MediaStore, type TakenFile } from './storage/media-store.service';
import { FileTooLargeError } from './storage/spool';

/** How many files an instance fetches at once for one key. The fetches of a key's other sends wait. */
export const FETCHES_OF_A_KEY = 4;
/** A fetch with its wait for a place, in milliseconds: the client waits. */
const TIMEOUT_MS = 60_000;
/** The longest pause between two bytes, in milliseconds. */
const SILENT_MS = 15_000;
/** The most bytes of an answer's head, besides the file. */
const HEAD_BYTES = 262_144;

/** Why a file could not be fetched, in words for the client. */
export class UrlFileError extends Error {}

/** A file that was fetched from a URL. */
export interface UrlFile {
  file: TakenFile;
  /** The last part of the URL's path. */
  filename: string;
}

/** Fetches files of URLs that clients name, through the guard of addresses. Redirects are not followed. */
@Injectable()
export class UrlFiles {
  private readonly places: KeyedSemaphore;

  constructor(
    private readonly guard: AddressGuard,
    private readonly store: MediaStore,
    private readonly settings: SettingsService,
    private readonly configuration: Configuration,
    siblings: Siblings,
  ) {
    this.places = new KeyedSemaphore(siblings.shareOf(FETCHES_OF_A_KEY));
  }

  /** @returns what is wrong with the URL itself, or with the addresses that it has now; undefined if nothing is */
  faultOf(url: string): Promise<string | undefined> {
    return this.guard.urlFault(url);
  }

  /** @throws UrlFileError, QuotaError */
  fetch({ environment, keyId }: Caller, url: string): Promise<UrlFile> {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    return this.places.run(keyId, () => this.fetchNow(environment, url, signal));
  }

  private async fetchNow(environment: Environment, url: string, signal: AbortSignal): Promise<UrlFile> {
    const { max_bytes } = this.settings.of(environment).media;
    const agent = new Agent({
      connect: guardedConnector(this.guard, {
        egressAddresses: this.configuration.webhooks.egressAddresses,
        timeoutMs: SILENT_MS,
        answerLimitBytes: max_bytes + HEAD_BYTES,
      }),
      headersTimeout: SILENT_MS,
      bodyTimeout: SILENT_MS,
      allowH2: false,
    });
    let body: Readable | undefined;
    try {
      const answer = await request(url, { dispatcher: agent, signal });
      body = answer.body;
      if (answer.statusCode !== 200) throw new UrlFileError(`it answered ${answer.statusCode}`);
      if (Number(answer.headers['content-length']) > max_bytes) throw new FileTooLargeError(max_bytes);
      const file = await this.store.take(environment, body, { signal });
      if (file.sizeBytes === 0) throw new UrlFileError('the file is empty');
      return { file, filename: nameIn(url) };
    } catch (error) {
      if (error instanceof QuotaError || error instanceof UrlFileError) throw error;
      if (error instanceof FileTooLargeError || error instanceof ForbiddenAddressError)
        throw new UrlFileError(error.message, { cause: error });
      if (signal.aborted) throw new UrlFileError(`it took more than ${TIMEOUT_MS / 1_000} seconds`, { cause: error });
      if (isOfNetwork(error, body))
        throw new UrlFileError('it was unreachable, or the connection broke', { cause: error });
      throw error;
    } finally {
      body?.on('error', () => undefined).destroy();
      void agent.destroy();
    }
  }
}

/** Whether the server or the network failed, rather than the gateway's storage. */
function isOfNetwork(error: unknown, body: Readable | undefined): boolean {
  return body === undefined || body.errored === error;
}

function nameIn(url: string): string {
  return percentDecoded(new URL(url).pathname.split('/').at(-1) ?? '');
}
