import { FakeFiles, type FakeFile } from './fake-files';
import type { FormFile } from './form-body';
import type { Answer } from './http-fake';

const MIB = 1_024 * 1_024;
/** Bytes, by the guild's boost level: https://discord.com/developers/docs/resources/guild#guild-object-premium-tier */
const LARGEST_UPLOAD = [10 * MIB, 10 * MIB, 50 * MIB, 100 * MIB];
const DAY_MS = 86_400_000;

/** Discord's CDN with signed URLs: https://discord.com/developers/docs/reference#signed-attachment-cdn-urls */
export class DiscordFiles {
  readonly #files = new FakeFiles();

  /** @param root the base URL of the CDN */
  constructor(private readonly root: () => string) {}

  /** @returns an attachment of a message. @param expiresAt expiry of its URL, in milliseconds since 1970 */
  add(bytes: Buffer | string, about: Partial<FakeFile> = {}, expiresAt = Date.now() + DAY_MS): Record<string, unknown> {
    const id = this.#files.add(bytes, about);
    const { filename, type, bytes: stored } = this.#files.get(id)!;
    const url = this.#sign(`${this.root()}/attachments/${id}/${filename}`, expiresAt);
    return { id: '1', filename, content_type: type, size: stored.length, url, proxy_url: url };
  }

  expire(url: string): void {
    this.#files.expire(idOf(new URL(url).pathname));
  }

  download(path: string, query: URLSearchParams): Answer {
    const file = this.#files.get(idOf(path));
    const isSigned = Number.parseInt(query.get('ex') ?? '', 16) * 1_000 > Date.now();
    if (!file || !isSigned) return { status: 404, body: 'This content is no longer available.' };
    return { status: 200, headers: { 'content-type': file.type }, body: file.bytes };
  }

  refresh(urls: readonly string[]): Record<string, unknown> {
    const known = urls.filter((url) => this.#files.get(idOf(new URL(url).pathname)));
    const refreshed_urls = known.map((original) => ({
      original,
      refreshed: this.#sign(original.split('?')[0]!, Date.now() + DAY_MS),
    }));
    return { refreshed_urls };
  }

  #sign(url: string, expiresAt: number): string {
    const ex = Math.floor(expiresAt / 1_000).toString(16);
    return `${url}?ex=${ex}&is=65000000&hm=00ff`;
  }
}

function idOf(path: string): string {
  return path.split('/').at(-2) ?? '';
}

/** Whether Discord refuses one of the files for its size. */
export function areTooLarge(files: readonly FormFile[], premiumTier: number): boolean {
  return files.some(({ bytes }) => bytes.length > LARGEST_UPLOAD[premiumTier]!);
}
