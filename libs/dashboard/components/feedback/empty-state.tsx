import { Stack, Text, ThemeIcon, Title } from '@mantine/core';
import type { ReactNode } from 'react';

interface EmptyStateProps {
  icon: ReactNode;
  title: string;
  /** Next step for the user. */
  children?: ReactNode;
}

export function EmptyState({ icon, title, children }: EmptyStateProps) {
  return (
    <Stack align="center" gap="xs" py={48} px="md" ta="center" maw={520} mx="auto">
      <ThemeIcon variant="default" size={44} radius="xl" mb={4}>
        {icon}
      </ThemeIcon>
      <Title order={2} size="h5">
        {title}
      </Title>
      {typeof children === 'string' ? (
        <Text c="dimmed" size="sm">
          {children}
        </Text>
      ) : (
        children
      )}
    </Stack>
  );
}
