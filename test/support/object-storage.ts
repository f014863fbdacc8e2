import { mkdir, readdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { lastingPort } from './lasting-port';

/** s3rver ships no types. */
const S3rver = createRequire(__filename)('s3rver') as new (options: object) => {
  run(): Promise<unknown>;
  close(): Promise<void>;
};

/** An S3-compatible server with the bucket `backups`. */
export class ObjectStorage {
  private constructor(
    private readonly server: { close(): Promise<void> },
    private readonly directory: string,
    /** Includes the credentials. */
    readonly url: string,
  ) {}

  static async start(directory: string): Promise<ObjectStorage> {
    const port = await lastingPort();
    await mkdir(directory);
    const server = new S3rver({
      port,
      address: '127.0.0.1',
      silent: true,
      directory,
      configureBuckets: [{ name: 'backups', configs: [] }],
    });
    await server.run();
    return new ObjectStorage(server, directory, `http://S3RVER:S3RVER@127.0.0.1:${port}/backups/daily`);
  }

  stop(): Promise<void> {
    return this.server.close();
  }

  /** The paths of the files that hold the objects under `daily`. */
  async objects(): Promise<string[]> {
    const folder = join(this.directory, 'backups', 'daily');
    const names = await readdir(folder).catch(() => []);
    return names.filter((name) => name.endsWith('_object')).map((name) => join(folder, name));
  }
}
