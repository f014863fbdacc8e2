import { parentPort, workerData } from 'node:worker_threads';
import { upload } from './uploads';

// A separate thread, so that uploads do not delay the honest clients of the main thread.

const { origin, key, files, bytes } = workerData as { origin: string; key: string; files: number; bytes: number };

/** As many as a key may upload at a time. */
const AT_ONCE = 4;

async function uploadAll(): Promise<number[]> {
  const times: number[] = [];
  let begun = 0;
  const uploader = async () => {
    for (; begun < files;) {
      begun += 1;
      times.push(await upload(origin, key, bytes));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, uploader));
  return times;
}

void uploadAll().then((times) => parentPort!.postMessage(times, []));
