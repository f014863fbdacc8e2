import { Alert, type AlertProps } from '@mantine/core';
import type { ReactNode } from 'react';

interface NoticeProps extends Pick<AlertProps, 'mb' | 'title' | 'icon'> {
  tone?: 'warning' | 'bad' | 'neutral';
  /** `alert` interrupts what a screen reader says. */
  role?: 'status' | 'alert';
  children: ReactNode;
}

/** A framed message. */
export function Notice({ tone = 'warning', children, ...props }: NoticeProps) {
  return (
    <Alert variant="outline" className="notice" data-tone={tone} {...props}>
      {children}
    </Alert>
  );
}
