/**
 * Runs a task periodically in this process, while a call, a connection or the process lasts. It does not keep the process
 * alive. Use `Timers.every` for work that begins and ends with the application.
 * @param task handles its own errors; a run may begin before the previous run ends
 * @returns a function that stops it
 */
export function repeat(everyMs: number, task: () => void): () => void {
  const timer = setInterval(task, everyMs).unref();
  return () => clearInterval(timer);
}
