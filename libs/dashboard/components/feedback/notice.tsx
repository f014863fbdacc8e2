import { Alert, type AlertProps } from '@mantine/core';
import type { ReactNode } from 'react';

interface NoticeProps extends Pick<AlertProps, 'mb' | 'title' | 'icon'> {
  tone?: keyof typeof COLOURS;
  /** `alert` interrupts a screen reader. */
  role?: 'status' | 'alert';
  children: ReactNode;
}

/** Mantine sets its colours in the element's style, which overrides classes. */
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
