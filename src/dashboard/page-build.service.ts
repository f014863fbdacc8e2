import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { Siblings } from '../core/cluster/siblings.service';
import { lowerPriority } from '../core/work/lower-priority';
import { PAGE_BUILD_SCRIPT } from './page-files';

/** How many characters of the build's errors are logged. */
const LONGEST_FAILURE = 2_000;

/** The topic on which the process that has built the page tells the others. */
const BUILT = 'dashboard.built';

export type PageBuildState = 'idle' | 'running' | 'failed';

/**
 * Builds the page in a child process while the gateway already serves the API, so that a first `npm start` is ready sooner.
 * The child does nothing if the page is newer than its sources.
 */
@Injectable()
export class PageBuild implements BeforeApplicationShutdown {
  private readonly logger = new Logger('Dashboard');
  private child?: ChildProcess;
  private current: PageBuildState = 'idle';

  /** Called when the build has succeeded, even if it had nothing to do. */
  onBuilt: () => void = () => undefined;

  constructor(private readonly siblings: Siblings) {
    siblings.onMessageOf(BUILT, () => this.onBuilt());
  }

  get state(): PageBuildState {
    return this.current;
  }

  start(): void {
    if (!this.siblings.isFirst || !existsSync(PAGE_BUILD_SCRIPT)) return;
    this.current = 'running';
    // The child ends when its stdin ends, so it does not outlive a gateway that is killed.
    const child = spawn(process.execPath, [PAGE_BUILD_SCRIPT, '--if-stale', '--with-parent'], {
      stdio: ['pipe', 'ignore', 'pipe'],
    });
    this.child = child;
    if (child.pid !== undefined) lowerPriority(child.pid);
    let errors = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors = (errors + text).slice(-LONGEST_FAILURE);
    });
    child.on('error', (error) => (errors = error.message));
    child.on('close', (code, signal) => {
      this.child = undefined;
      if (code === 0) {
        this.current = 'idle';
        this.onBuilt();
        this.siblings.tell(BUILT, undefined);
      } else if (signal === null) this.failed(errors.trim());
    });
  }

  beforeApplicationShutdown(): void {
    this.child?.kill();
  }

  private failed(reason: string): void {
    this.current = 'failed';
    this.logger.warn(`The dashboard could not be built; the API works without it. ${reason}`);
  }
}
