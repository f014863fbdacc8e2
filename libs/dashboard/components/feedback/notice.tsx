import { Alert, type AlertProps } from '@mantine/core';
import type { ReactNode } from 'react';

interface NoticeProps extends Pick<AlertProps, 'mb' | 'title' | 'icon'> {
  tone?: keyof typeof COLOURS;
  /** `alert` interrupts what a screen reader says. */
  role?: 'status' | 'alert';
  children: ReactNode;
}

/** The library writes its own colours into the element: a class would not win. */
const COLOURS = {
  warning: { '--alert-color': 'var(--notice-warning)', '--alert-bd': '1px solid var(--notice-warning-border)' },
  bad: { '--alert-color': 'var(--notice-bad)', '--alert-bd': '1px solid var(--notice-bad-border)' },
  neutral: { '--alert-color': 'var(--mantine-color-text)', '--alert-bd': '1px solid var(--surface-border)' },
} as const;

/** A framed message. */
export function Notice({ tone = 'warning', children, ...props }: NoticeProps) {
  return (
    <Alert variant="outline" vars={() => ({ root: COLOURS[tone] })} {...props}>
      {children}
    </Alert>
  );
}
