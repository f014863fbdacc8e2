import { renameSync, writeFileSync } from 'node:fs';
import { writeHeapSnapshot } from 'node:v8';

// Preloaded into a measured gateway (`node --require`, `--expose-gc`). At SIGUSR2 it collects the garbage, writes the memory
// usage to the file MEMORY_FILE and, if MEMORY_SNAPSHOTS is set, a heap snapshot into that folder.
process.on('SIGUSR2', () => {
  const file = process.env['MEMORY_FILE']!;
  const before = process.memoryUsage().rss;
  // The first collection runs finalizers and clears weak references; the second frees the memory that these release.
  for (let time = 0; time < 2; time++) globalThis.gc!();
  if (process.env['MEMORY_SNAPSHOTS'])
    writeHeapSnapshot(`${process.env['MEMORY_SNAPSHOTS']}/${process.pid}-${Date.now()}.heapsnapshot`);
  const told = { before, ...process.memoryUsage() };
  writeFileSync(`${file}.new`, JSON.stringify(told));
  renameSync(`${file}.new`, file);
});
