import { Group, Text, Title } from '@mantine/core';
import { useId, type ReactNode } from 'react';
import classes from './section.module.css';

interface SectionProps {
  title: string;
  description?: ReactNode;
  actions?: ReactNode;
  /** True: no padding around the content, for tables. */
  flush?: boolean;
  children: ReactNode;
}

/** A titled card. */
export function Section({ title, description, actions, flush = false, children }: SectionProps) {
  const id = useId();
  return (
    <section className="card" aria-labelledby={id}>
      <Group justify="space-between" className={classes.head} gap="xs">
        <div>
          <Title order={2} size="h5" id={id}>
            {title}
          </Title>
          {description !== undefined && (
            <Text size="sm" c="dimmed" mt={2}>
              {description}
            </Text>
          )}
        </div>
        {actions}
      </Group>
      <div className={flush ? classes.flush : classes.body}>{children}</div>
    </section>
  );
}
