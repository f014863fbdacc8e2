import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { firstKeysPath } from './core/secrets/deployment-secrets';

/** Where the first keys are kept when they cannot be shown on a terminal: `DATA_DIR/first-keys`, for its owner alone. */
export class FirstKeysFile {
  readonly path: string;
  isWritten = false;

  constructor(private readonly dataDir: string) {
    this.path = firstKeysPath(dataDir);
  }

  write(keys: readonly string[]): void {
    mkdirSync(this.dataDir, { recursive: true, mode: 0o700 });
    // Not into a file that another user may have opened.
    rmSync(this.path, { force: true });
    writeFileSync(this.path, keys.map((key) => `${key}\n`).join(''), { mode: 0o600, flag: 'wx' });
    this.isWritten = true;
  }

  /** @param link signs in to the dashboard, once and within 10 minutes */
  addSignIn(link: string): void {
    appendFileSync(this.path, `\nSign in, once and within 10 minutes:\n${link}\n`);
  }
}
