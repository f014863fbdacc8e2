import { execFile } from 'node:child_process';
import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

/** The project's own root. */
export const ROOT = resolve(__dirname, '../..');

/** A throw-away directory of small files on which a tool is run for real. */
export class ScratchTree {
  private constructor(readonly path: string) {}

  /** @param files file path → text */
  static async plant(files: Readonly<Record<string, string>>): Promise<ScratchTree> {
    const tree = new ScratchTree(await mkdtemp(join(tmpdir(), 'architecture-')));
    for (const [name, text] of Object.entries(files)) {
      const path = join(tree.path, name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, text);
    }
    return tree;
  }

  /** Runs a program of node_modules in the tree; resolves with its standard output whatever its exit code. */
  run(script: string, args: readonly string[]): Promise<string> {
    const program = [join(ROOT, 'node_modules', script), ...args];
    return new Promise((done, fail) => {
      execFile(process.execPath, program, { cwd: this.path, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
        if (stdout === '') fail(new Error(`${script} printed nothing: ${stderr}`, { cause: error }));
        else done(stdout);
      });
    });
  }

  async fell(): Promise<void> {
    await rm(this.path, { recursive: true, force: true });
  }
}
