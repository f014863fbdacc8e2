import { parentPort, workerData } from 'node:worker_threads';
import { upload } from './uploads';

// A separate thread, so that uploads do not delay the honest clients of the main thread.

const { origin, key, files, bytes } = workerData as { origin: string; key: string; files: number; bytes: number };

void Promise.all(Array.from({ length: files }, () => upload(origin, key, bytes))).then((times) =>
  parentPort!.postMessage(times, []),
);
