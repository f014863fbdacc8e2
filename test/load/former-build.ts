import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = join(__dirname, '../../..');

/** A build of the gateway to measure beside this one. */
export interface FormerBuild {
  /** Its folder, with `dist`. */
  root: string;
  remove: () => void;
}

/**
 * Builds a commit in a temporary worktree. The packages are this tree's if both have the same lock file; else npm installs them.
 * @param commit or the folder of a build
 * @param directory a temporary folder, where the worktree is made
 */
export function buildFormer(commit: string, directory: string): FormerBuild {
  if (existsSync(join(commit, 'dist/bundle/main.js'))) return { root: resolve(commit), remove: () => undefined };
  const root = join(directory, 'former');
  const run = (file: string, args: readonly string[], cwd: string) =>
    execFileSync(file, args, { cwd, stdio: 'inherit' });
  run('git', ['worktree', 'add', '--detach', root, commit], ROOT);
  const remove = () => {
    // Its gateway may still write there while it stops.
    rmSync(root, { recursive: true, force: true, maxRetries: 10 });
    run('git', ['worktree', 'prune'], ROOT);
  };
  try {
    const [here, there] = [ROOT, root].map((folder) => readFileSync(join(folder, 'package-lock.json'), 'utf8'));
    if (here === there) symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
    else run('npm', ['ci'], root);
    run('npm', ['run', 'build'], root);
  } catch (error) {
    remove();
    throw error;
  }
  return { root, remove };
}
