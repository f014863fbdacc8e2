import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** The preferred encoding first. */
const ENCODINGS = [
  { name: 'br', ending: '.br' },
  { name: 'gzip', ending: '.gz' },
] as const;

/**
 * Files of the program's folder that are served from memory: an upgrade may remove the folder while the gateway runs
 * (ADR 71).
 */
export class StaticFiles {
  private constructor(private readonly files: ReadonlyMap<string, Buffer>) {}

  /**
   * @param names by default all files of the folder
   * @throws when one cannot be read
   */
  static async read(folder: string, names?: readonly string[]): Promise<StaticFiles> {
    const wanted = names ?? (await readdir(folder));
    const read = wanted.map(async (name) => [name, await readFile(join(folder, name))] as const);
    return new StaticFiles(new Map(await Promise.all(read)));
  }

  /**
   * Answers with a file, compressed if a compressed file is beside it and the client accepts that.
   * @returns undefined if there is no such file
   */
  answer(name: string, { headers }: FastifyRequest, reply: FastifyReply): Buffer | undefined {
    const file = this.files.get(name);
    const type = TYPES[extname(name)];
    if (!file || type === undefined) return undefined;
    void reply.type(type);
    const encodings = ENCODINGS.filter(({ ending }) => this.files.has(name + ending));
    if (encodings.length === 0) return file;
    void reply.header('vary', 'accept-encoding');
    const accepted = encodings.find((encoding) => accepts(headers['accept-encoding'], encoding.name));
    if (!accepted) return file;
    void reply.header('content-encoding', accepted.name);
    return this.files.get(name + accepted.ending);
  }
}

/** Whether a client takes an encoding. @param header `gzip, br;q=0.5`; a quality of 0 refuses */
export function accepts(header: string | string[] | undefined, encoding: string): boolean {
  return String(header ?? '')
    .split(',')
    .map((each) => each.split(';').map((part) => part.trim().toLowerCase()))
    .some(([name, weight = 'q=1']) => name === encoding && weight.startsWith('q=') && Number(weight.slice(2)) > 0);
}
