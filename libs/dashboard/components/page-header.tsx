import { Group, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { usePageTitle } from './hooks/use-page-title';

interface PageHeaderProps {
  title: string;
  description?: ReactNode;
  /** Buttons of the page, at the end of the line. */
  children?: ReactNode;
}

/** The heading of a page. Also sets the title of the browser tab. */
export function PageHeader({ title, description, children }: PageHeaderProps) {
  usePageTitle(title);
  return (
    <Group justify="space-between" align="flex-end" mb="lg" gap="md">
      <div style={{ overflowWrap: 'anywhere' }}>
        <Title order={1} size={26} lh={1.25}>
          {title}
        </Title>
        {description !== undefined && (
          <Text c="dimmed" size="sm" mt={4} maw={640}>
            {description}
          </Text>
        )}
      </div>
      {children !== undefined && <Group gap="xs">{children}</Group>}
    </Group>
  );
}
