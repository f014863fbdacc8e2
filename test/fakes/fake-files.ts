import { randomBytes } from 'node:crypto';

export interface FakeFile {
  bytes: Buffer;
  type: string;
  filename: string;
  /** The length that a look-up names; default: the true one. */
  told?: number;
}

/** The files that a platform serves, by random id. */
export class FakeFiles {
  readonly #files = new Map<string, FakeFile>();

  add(bytes: Buffer | string, { type = 'image/png', filename = 'file.png', told }: Partial<FakeFile> = {}): string {
    const id = randomBytes(24).toString('base64url');
    this.#files.set(id, { bytes: Buffer.from(bytes), type, filename, told });
    return id;
  }

  get(id: string): FakeFile | undefined {
    return this.#files.get(id);
  }

  /** The platform no longer serves the file. */
  expire(id: string): void {
    this.#files.delete(id);
  }
}
