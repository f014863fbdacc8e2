/**
 * Does something again and again in this process, for as long as something lasts: a call, a connection, the process.
 * It does not keep the process alive. Work that one instance does for all is a timer of `Timers` instead, and work that begins and ends with
 * the application is a job of `PeriodicJobs`.
 * @param task reports its faults itself; a run may begin before the one before has ended
 * @returns what ends it
 */
export function repeat(everyMs: number, task: () => void): () => void {
  const timer = setInterval(task, everyMs).unref();
  return () => clearInterval(timer);
}
