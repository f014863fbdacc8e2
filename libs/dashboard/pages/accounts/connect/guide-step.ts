import type { ReactNode } from 'react';

/** A step at a platform. */
export interface GuideStep {
  title: string;
  body: ReactNode;
}
