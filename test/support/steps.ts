import { Session } from 'node:inspector/promises';
import { relative } from 'node:path';
import { ROOT } from './environment';

/**
 * Names that V8 makes up: of getters, module exports (`get`), class fields, and arrow functions in a field's value, whose
 * name is a path (`Store.outcomes._batcher.Batcher.size`).
 */
const UNWRITTEN = /^(?:$|get$|get |<)|[.]/;
/** Files that hold only declarations and decorators: no steps of a walk. */
const DECLARATIONS = /[.](?:rows|dto|decorator)[.]ts$/;

/** Lists the functions that run in this process, from V8's precise coverage. */
export class Steps {
  private readonly session = new Session();

  async start(): Promise<void> {
    this.session.connect();
    await this.session.post('Profiler.enable');
    await this.session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  }

  stop(): void {
    this.session.disconnect();
  }

  /**
   * The named functions in these folders of `src` that run in each of five runs of the same work. Background work of the
   * gateway does not appear in all five.
   * @returns lines like `messages/messages.service.ts send`, sorted
   */
  async ofWalk(folders: readonly string[], work: () => Promise<unknown>): Promise<string[]> {
    let common: ReadonlySet<string> | undefined;
    for (let time = 0; time < 5; time += 1) {
      await this.take();
      await work();
      const ran = await this.take();
      common = new Set([...ran].filter((step) => common?.has(step) ?? true));
    }
    return [...common!].filter((step) => folders.some((folder) => step.startsWith(`${folder}/`))).toSorted();
  }

  /** Functions that ran since the last call. */
  private async take(): Promise<ReadonlySet<string>> {
    const { result } = await this.session.post('Profiler.takePreciseCoverage');
    return new Set(
      result.flatMap(({ url, functions }) => {
        const file = relative(`${ROOT}/src`, url.replace('file://', ''));
        if (file.startsWith('..') || DECLARATIONS.test(file)) return [];
        return functions
          .filter(({ functionName, ranges }) => ranges[0]!.count > 0 && !UNWRITTEN.test(functionName))
          .map(({ functionName }) => `${file} ${functionName}`);
      }),
    );
  }
}
