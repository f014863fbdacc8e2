import { useState } from 'react';

/** Whether `value` was ever true. A dialog that was opened once stays mounted, so that it can animate its close. */
export function useEver(value: boolean): boolean {
  const [ever, setEver] = useState(false);
  if (value && !ever) setEver(true);
  return ever;
}
