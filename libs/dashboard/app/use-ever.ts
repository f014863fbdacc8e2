import { useState } from 'react';

/** Whether it was ever true: what was opened once stays, to close smoothly. */
export function useEver(value: boolean): boolean {
  const [ever, setEver] = useState(false);
  if (value && !ever) setEver(true);
  return ever;
}
