/** Duration of one task on the page's main thread, in milliseconds. */
export interface TaskTime {
  wallMs: number;
  cpuMs: number;
}

/** An event of Chromium's trace. Times are in microseconds. */
interface TraceEvent {
  name: string;
  ph: string;
  pid: number;
  tid: number;
  dur?: number;
  /** CPU time of the thread: excludes time taken by other processes. */
  tdur?: number;
  args?: { name?: string };
}

/** Trace categories for tasks and thread names. */
export const TRACED = ['disabled-by-default-devtools.timeline', 'toplevel', '__metadata'];

const TASK = /^(RunTask|ThreadControllerImpl::RunTask)$/;

/** @throws if the trace has no task of a page */
export function longestTask(trace: Buffer): TaskTime {
  const { traceEvents } = JSON.parse(trace.toString('utf8')) as { traceEvents: TraceEvent[] };
  const pages = new Set(
    traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  const tasks = traceEvents
    .filter(({ name, ph, pid, tid }) => ph === 'X' && TASK.test(name) && pages.has(`${pid} ${tid}`))
    .map(({ dur = 0, tdur = 0 }) => ({ wallMs: dur / 1_000, cpuMs: tdur / 1_000 }));
  const [longest] = tasks.toSorted((one, other) => other.cpuMs - one.cpuMs);
  if (!longest) throw new Error('The trace has no tasks of the page');
  return longest;
}
